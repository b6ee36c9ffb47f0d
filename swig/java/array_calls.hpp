// The calls of Java's arrays. Handles are addresses of gpuarray::Array objects, which the Java objects own.
#pragma once

#ifndef SWIG
#include <jni.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pycuda/gpuarray/array.hpp"
#endif

namespace pycuda_java {

using ArrayHandle = std::uint64_t;
/// Results that Java takes over together.
using NewArrays = std::vector<std::unique_ptr<pycuda::gpuarray::Array>>;

// Creation. `type` has a DType's code in the low 8 bits, and the size of an element above; `order`: 0 for C, 1 for
// Fortran, 2 for the array's own; `stream`: a Stream, 0 for the default stream.
/// `allocator` null: the context's pool.
ArrayHandle array_empty(std::int64_t type, const std::vector<jlong>& shape, int order, std::uint64_t stream,
                        std::shared_ptr<pycuda::gpuarray::ArrayAllocator> allocator);
ArrayHandle array_wrap(std::uint64_t address, std::int64_t type, const std::vector<jlong>& shape,
                       const std::vector<jlong>& strides);
/// Fills `out`, of one axis.
void array_arange(ArrayHandle out, int kind, std::int64_t start, std::int64_t step, std::uint64_t stream);
/// An uninitialised array of `array`'s shape.
ArrayHandle array_like(ArrayHandle array, std::int64_t type, int order, std::uint64_t stream);
/// The allocator that array_empty was given for the first array in the chain that led to this one.
std::shared_ptr<pycuda::gpuarray::ArrayAllocator> array_allocator(ArrayHandle array);
void array_delete(ArrayHandle array);
void array_end(ArrayHandle array);
void array_close(ArrayHandle array);

/// dtype, item size, elements, flags (1: C contiguous, 2: Fortran contiguous), then shape and strides.
std::vector<jlong> array_form(ArrayHandle array);
std::uint64_t array_address(ArrayHandle array);
/// The same for work on `stream`.
std::uint64_t array_address_for(ArrayHandle array, std::uint64_t stream);

// Views
ArrayHandle array_reshaped(ArrayHandle array, const std::vector<jlong>& shape, int order);
ArrayHandle array_transposed(ArrayHandle array, const std::vector<jlong>& axes);
ArrayHandle array_squeezed(ArrayHandle array);
ArrayHandle array_viewed(ArrayHandle array, std::int64_t type);
/// A view of the part of each element that has this type, `offset` bytes from its start.
ArrayHandle array_field(ArrayHandle array, std::int64_t type, std::int64_t offset);
ArrayHandle array_broadcast(ArrayHandle array, const std::vector<jlong>& shape);
/// Five numbers for each part: kind, flags (1: has a start, 2: has a stop), start, stop, step.
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
/// Limit elements to the bounds.
ArrayHandle array_clipped(ArrayHandle array, int kind, std::int64_t min, std::int64_t max, std::uint64_t stream);
ArrayHandle array_converted(ArrayHandle array, std::int64_t type, int order, std::uint64_t stream);
void array_assign(ArrayHandle out, ArrayHandle in, std::uint64_t stream);
void array_fill(ArrayHandle out, int kind, std::int64_t first, std::int64_t second, std::uint64_t stream);
/// Over all axes. `dtype` -1: the usual one.
ArrayHandle array_reduced_fully(int op, ArrayHandle a, ArrayHandle b, int dtype, std::uint64_t stream);
/// `axes` empty: all.
ArrayHandle array_reduced(int op, ArrayHandle a, ArrayHandle b, const std::vector<jlong>& axes, bool keepdims,
                          int dtype, std::uint64_t stream);
/// The number of a function of calls.hpp, for array_call.
int array_call_number(const std::string& name);
/// The results of the function.
NewArrays array_call(int number, const std::vector<jlong>& arrays, const std::vector<jlong>& numbers,
                     std::uint64_t stream);
/// The bit mask of axes of an array of `ndim`.
std::int64_t axis_mask(const std::vector<jlong>& axes, int ndim);
int common_dtype(int a, int b);

// Fused functions, and traces, as the addresses of their C++ objects (fused_calls.cpp).
std::uint64_t fused_make();
void fused_delete(std::uint64_t function);
/// The results of the function, for arguments like those of an earlier trace; empty without one.
NewArrays fused_run(std::uint64_t function, const std::vector<jlong>& arguments, std::uint64_t stream);
bool array_is_traced(ArrayHandle array);

std::uint64_t trace_begin(bool fast);
/// A traced array in the place of an argument.
ArrayHandle trace_argument(std::uint64_t trace, ArrayHandle argument);
/// Ends the trace. The function then has its program, for these results.
void trace_finish(std::uint64_t trace, std::uint64_t function, const std::vector<jlong>& results);
/// Ends the trace, unless it is over.
void trace_delete(std::uint64_t trace);

}  // namespace pycuda_java
