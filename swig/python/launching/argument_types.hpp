#pragma once

#include <Python.h>
#include <cuda.h>

#include <cstddef>
#include <vector>

#include "lifetime.hpp"
#include "pycuda/launching/prepared_arguments.hpp"

/// The argument types that are passed to prepare, and values of these types.
namespace pycuda::python {

/// Slots from struct characters (append_slots) or a sequence of types, in order, not placed yet. std::invalid_argument
/// for a character that is not an argument type; ArgumentTypeError for an object that is not a type.
std::vector<Slot> read_argument_types(PyObject* types);

/// Writes `value` as the slot's type to `destination`. ArgumentTypeError, which names `position`, if it cannot be
/// converted. Objects that must live until the launch, on `stream`, are added to `owners`.
void store_value(const Slot& slot, PyObject* value, unsigned char* destination, std::size_t position, Owners& owners,
                 CUstream stream);

}  // namespace pycuda::python
