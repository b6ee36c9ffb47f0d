#pragma once

#include <Python.h>

#include "launching/given_attributes.hpp"
#include "pycuda/launching/launch.hpp"

/// The keyword arguments of a kernel call.
namespace pycuda::python {

enum Keyword {
    Block,
    Grid,
    StreamArgument,
    Shared,
    Texrefs,
    TimeKernel,
    Cooperative,
    Cluster,
    Attributes,
    KeywordCount
};

/// By Keyword; null if not given.
struct CallOptions {
    PyObject* values[KeywordCount] = {};
    PyObject* operator[](Keyword k) const noexcept { return values[k]; }
};

/// The options of a vectorcall. PythonError (ValueError) for an unknown keyword.
CallOptions read_options(PyObject* const* values, PyObject* kwnames);
/// The same for a dict.
CallOptions options_of_dict(PyObject* options);

bool read_flag(PyObject* value);

/// Geometry, stream and attributes. std::invalid_argument without a block.
LaunchConfig read_config(const CallOptions& options, OptionalAttributes& attributes);
/// The same; values that are not given are taken from `config`.
LaunchConfig read_config(const CallOptions& options, OptionalAttributes& attributes, LaunchConfig config);

/// Nonzero with a Python exception set on failure.
int load_call_options();

}  // namespace pycuda::python
