#pragma once

#include <cstdint>
#include <initializer_list>

#include "pycuda/gpuarray/elementwise.hpp"

/// Elements that are only moved, including structures, treated as numbers of one size.
namespace pycuda::gpuarray {

/// The widest unit that divides item size, addresses and strides of all these arrays: 1 to 16 bytes.
std::int64_t common_unit(std::initializer_list<const ArrayRef*> arrays);
/// A type of `unit` bytes.
DType dtype_of_unit(std::int64_t unit);
/// The layout of `layout`'s elements, divided into units.
Layout in_units(const Layout& layout, std::int64_t unit);

}  // namespace pycuda::gpuarray
