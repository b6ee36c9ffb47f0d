#pragma once

#include <Python.h>

#include "launching/given_attributes.hpp"
#include "pycuda/launch.hpp"

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

/// By Keyword; null where not given.
struct CallOptions {
    PyObject* values[KeywordCount] = {};
    PyObject* operator[](Keyword k) const noexcept { return values[k]; }
};

/// Of a vectorcall. PythonError (ValueError) for a keyword that a call does not have.
CallOptions read_options(PyObject* const* values, PyObject* kwnames);
/// The same of a dict.
CallOptions options_of_dict(PyObject* options);

bool read_flag(PyObject* value);

/// Geometry, stream and attributes. std::invalid_argument without a block.
LaunchConfig read_config(const CallOptions& options, OptionalAttributes& attributes);
/// The same, where `config` has what is not given.
LaunchConfig read_config(const CallOptions& options, OptionalAttributes& attributes, LaunchConfig config);

/// Nonzero with a Python exception set on failure.
int load_call_options();

}  // namespace pycuda::python
