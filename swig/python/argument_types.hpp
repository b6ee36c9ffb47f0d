#pragma once

#include <Python.h>

#include <cstddef>
#include <vector>

#include "pycuda/kernel_args.hpp"

/// The argument types that prepare is given, and values of these types.
namespace pycuda::python {

/// What a slot of the parameter block holds.
enum class SlotKind : unsigned char { Signed, Unsigned, Float, Complex, Bool, Pointer, Bytes };

struct Slot {
    SlotKind kind;
    std::size_t size;
    std::size_t alignment;
    std::size_t offset = 0;
};

/// Slots from struct characters or a sequence of types, in order, at C's natural offsets. std::invalid_argument for a
/// character that has no meaning here; ArgumentTypeError for what is no type.
std::vector<Slot> read_argument_types(PyObject* types);

/// Writes `value` as the slot's type to `destination`. ArgumentTypeError names `position` when it cannot be that type.
void store_value(const Slot& slot, PyObject* value, unsigned char* destination, std::size_t position);

}  // namespace pycuda::python
