// What Java's arrays call. Handles are addresses of gpuarray::Array objects, which their Java objects own.
#pragma once

#ifndef SWIG
#include <jni.h>

#include <cstdint>
#include <string>
#include <vector>
#endif

namespace pycuda_java {

using ArrayHandle = std::uint64_t;

// Making. `dtype` is a code of DType, `order` 0 for C, 1 for Fortran, 2 for the array's own; `stream` a handle, 0 for
// the default stream.
ArrayHandle array_empty(int dtype, const std::vector<jlong>& shape, int order, std::uint64_t stream);
ArrayHandle array_wrap(std::uint64_t address, int dtype, const std::vector<jlong>& shape,
                       const std::vector<jlong>& strides);
ArrayHandle array_arange(int dtype, jlong count, int kind, std::int64_t start, std::int64_t step, std::uint64_t stream);
/// An uninitialised array of `array`'s shape.
ArrayHandle array_like(ArrayHandle array, int dtype, int order, std::uint64_t stream);
void array_delete(ArrayHandle array);
void array_close(ArrayHandle array);

/// dtype, item size, elements, flags (1: C contiguous, 2: Fortran contiguous), then shape and strides.
std::vector<jlong> array_form(ArrayHandle array);
std::uint64_t array_address(ArrayHandle array);

// Views
ArrayHandle array_reshaped(ArrayHandle array, const std::vector<jlong>& shape, int order);
ArrayHandle array_transposed(ArrayHandle array, const std::vector<jlong>& axes);
ArrayHandle array_squeezed(ArrayHandle array);
ArrayHandle array_viewed(ArrayHandle array, int dtype);
ArrayHandle array_broadcast(ArrayHandle array, const std::vector<jlong>& shape);
/// Five numbers a part: kind, flags (1: has a start, 2: has a stop), start, stop, step.
ArrayHandle array_indexed(ArrayHandle array, const std::vector<jlong>& parts);

// Operations by their codes (ArrayCodes). `common`: the result has the operands' common type. `out` 0: a new array,
// whose handle is returned; otherwise the result goes there, and 0 is returned.
ArrayHandle array_apply(int op, bool common, ArrayHandle out, ArrayHandle a, ArrayHandle b, ArrayHandle c,
                        std::uint64_t stream);
/// With a number, of kind 0 (an integer), 1 (a double's bits) or 2 (the bits of both parts); `reversed`: as first
/// operand.
ArrayHandle array_apply_scalar(int op, bool common, ArrayHandle out, ArrayHandle a, int kind, std::int64_t first,
                               std::int64_t second, bool reversed, std::uint64_t stream);
/// f * a + g * b
ArrayHandle array_mul_add(ArrayHandle out, ArrayHandle a, ArrayHandle b, int kind, std::int64_t f, std::int64_t f2,
                          std::int64_t g, std::int64_t g2, std::uint64_t stream);
ArrayHandle array_converted(ArrayHandle array, int dtype, int order, std::uint64_t stream);
void array_assign(ArrayHandle out, ArrayHandle in, std::uint64_t stream);
void array_fill(ArrayHandle out, int kind, std::int64_t first, std::int64_t second, std::uint64_t stream);
/// `dtype` -1: the usual one. `axes` empty: all.
ArrayHandle array_reduced(int op, ArrayHandle a, ArrayHandle b, const std::vector<jlong>& axes, bool keep_axes,
                          int dtype, std::uint64_t stream);
ArrayHandle array_concatenated(const std::vector<jlong>& arrays, int axis, std::uint64_t stream);
int common_dtype(int a, int b);

}  // namespace pycuda_java
