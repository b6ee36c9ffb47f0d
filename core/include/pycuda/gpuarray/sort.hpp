#pragma once

#include <cuda.h>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

/// Sort along the last axis, ascending and stable, asynchronously on `stream`: short rows by comparing all
/// elements, others by a radix sort with one pass per byte and scratch memory from the context's pool. NaN come last,
/// and -0.0 before 0.0.
///
/// `keys` receives the sorted elements, `indices` (int64) the index in its row that each had; one of them may be
/// null (without a layout). All are C contiguous and of in's shape; `keys` may be `in`. To sort other
/// elements by keys, sort the indices and gather by them.
///
/// Raises std::invalid_argument for layouts and shapes that do not fit, and rows of 2^32 elements;
/// ArgumentTypeError for complex numbers and structures.
void sort(Kernels& kernels, const ArrayRef& keys, const ArrayRef& indices, const ArrayRef& in, CUstream stream);

/// mask[i] (bool) = whether sorted[i] is the first of its value: with compress(), the distinct values. All NaN count as
/// equal. Both are contiguous and of the same size.
void mark_first(Kernels& kernels, const ArrayRef& mask, const ArrayRef& sorted, CUstream stream);

/// indices[i] (int64) = the number of elements of `sorted` that are less than wanted[i] or, for `right`, not greater:
/// its insertion index. NaN is the greatest value. All contiguous; `sorted` of wanted's type. By bisection.
void search(Kernels& kernels, const ArrayRef& indices, const ArrayRef& wanted, const ArrayRef& sorted, bool right,
            CUstream stream);

/// Compile in parallel the kernels that find the distinct values of `in`: sort(), mark_first(), prepare_selection().
void prepare_distinct(Kernels& kernels, const ArrayRef& in);

}  // namespace pycuda::gpuarray
