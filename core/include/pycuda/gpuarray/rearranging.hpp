#pragma once

#include <cuda.h>

#include <cstdint>

#include "pycuda/gpuarray/array.hpp"
#include "pycuda/gpuarray/scan.hpp"

namespace pycuda::gpuarray {

// What gather.hpp, scan.hpp, sort.hpp and matmul.hpp do, for Arrays of any layout: operands with gaps are packed first,
// and operands that share memory with what is written are copied first. Asynchronous on `stream` but where a result's
// size has to be known. Axes from -ndim to ndim - 1, else std::out_of_range. What the functions there raise.

/// A new array of the shape of `indices`: the elements of `array`, in C order, at these places.
Array taken(const Array& array, const Array& indices, CUstream stream);
/// The same into `out`, of as many elements.
void take_into(const Array& out, const Array& array, const Array& indices, CUstream stream);
/// out[indices[i]] = values[i], places in C order.
void put_into(const Array& out, const Array& indices, const Array& values, CUstream stream);
/// out[to[i]] = array[from[i] + offset].
void take_put_into(const Array& out, const Array& to, const Array& array, const Array& from, std::int64_t offset,
                   CUstream stream);

/// How many elements are not zero. Waits for the stream.
std::int64_t count_nonzero(const Array& array, CUstream stream);
/// The places, in C order, of the elements that are not zero: one axis, int64. Waits for the stream.
Array places_nonzero(const Array& array, CUstream stream);
/// The elements where `mask`, of one shape with `array`, is not zero: one axis. Waits for the stream.
Array selected(const Array& array, const Array& mask, CUstream stream);
/// The k-th place where `mask` is not zero gets element k of `values`, which has exactly so many, or one element for
/// all. Of one type with `out`. Waits for the stream, unless `values` has one element.
void assign_selected(const Array& out, const Array& mask, const Array& values, CUstream stream);

/// Running sums, products or extrema along an axis, in a new array.
Array scanned(Scan op, ScanKind kind, const Array& array, int axis, CUstream stream);
/// A copy sorted along an axis: ascending, stable, NaN last.
Array sorted(const Array& array, int axis, CUstream stream);
/// Where along the axis the elements of sorted() are: int64.
Array sorted_places(const Array& array, int axis, CUstream stream);
/// The different elements, ascending: one axis. Waits for the stream.
Array distinct(const Array& array, CUstream stream);

/// The product of two matrices, of a matrix and a vector on either side, or of stacks of matrices (matmul.hpp), in the
/// common type.
Array matrix_product(const Array& a, const Array& b, CUstream stream);
/// The same into `out`, which has the product's shape and type.
void matrix_product_into(const Array& out, const Array& a, const Array& b, CUstream stream);

}  // namespace pycuda::gpuarray
