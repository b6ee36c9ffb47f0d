#pragma once

#include <cuda.h>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

/// Sort along the last axis, ascending and stable, asynchronously on `stream`: short rows by comparing all
/// elements, others by a radix sort of one pass a byte, with scratch memory from the context's pool. NaN come last, and
/// -0.0 before 0.0.
///
/// `keys` gets the sorted elements, `places` (int64) where in its row each of them was; either may be null (have no
/// layout), not both. All are C contiguous and of in's shape; `keys` may be `in`. Elements that belong to keys are
/// sorted by sorting places, and taking them by those.
///
/// Raises std::invalid_argument for layouts and shapes that do not fit, and rows of 2^32 elements;
/// ArgumentTypeError for complex numbers and structures.
void sort(Kernels& kernels, const ArrayRef& keys, const ArrayRef& places, const ArrayRef& in, CUstream stream);

/// mask[i] (bool) = whether sorted[i] is the first of its value: with compress(), the distinct values. All NaN are one.
/// Both are contiguous and of one size.
void mark_first(Kernels& kernels, const ArrayRef& mask, const ArrayRef& sorted, CUstream stream);

/// places[i] (int64) = how many elements of `sorted` are less than wanted[i], or, for `right`, not greater: where it
/// goes in. NaN is greater than all else. All contiguous; `sorted` of wanted's type. By bisection.
void search(Kernels& kernels, const ArrayRef& places, const ArrayRef& wanted, const ArrayRef& sorted, bool right,
            CUstream stream);

/// Compile, side by side, what finding the distinct values of `in` takes: sort(), mark_first(), prepare_selection().
void prepare_distinct(Kernels& kernels, const ArrayRef& in);

}  // namespace pycuda::gpuarray
