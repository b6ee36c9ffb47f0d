#pragma once

#include <Python.h>

#include <optional>
#include <span>

#include "lifetime.hpp"
#include "pycuda/launch_attributes.hpp"

namespace pycuda::python {

/// The attributes of a launch from Python, and what their values need until it has returned. Not to be moved after
/// use().
struct GivenAttributes {
    LaunchAttributes values;

    /// Adds those of a mapping from names, or numbers, to values; null and None have none. `stream` is the launch's.
    void read(PyObject* mapping, CUstream stream);
    /// As a LaunchConfig takes them.
    std::span<const CUlaunchAttribute> use() { return in_use_.emplace(values).list(); }

private:
    void add(PyObject* key, PyObject* value, CUstream stream);
    Owners owners_;  ///< of events and addresses
    std::optional<LaunchAttributesInUse> in_use_;
};

}  // namespace pycuda::python
