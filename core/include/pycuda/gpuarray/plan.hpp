#pragma once

#include <cuda.h>

#include <cstdint>
#include <span>

#include "pycuda/gpuarray/elementwise.hpp"
#include "pycuda/gpuarray/layout.hpp"
#include "pycuda/gpuarray/operation.hpp"

namespace pycuda::gpuarray {

/// Whether the result's elements are converted, as C does, to those of an array that is there.
enum class Casting : bool { No, Unsafe };

/// What an elementwise operation on these operands is: worked out from types and shapes, before there is memory for the
/// result. Addresses are not looked at.
struct Plan {
    Op op;
    DType result;   ///< the element type of a new result
    Layout layout;  ///< of a new result: packed, in the operands' order of axes
    int like = -1;  ///< the first operand that is an array of the result's shape; -1: there is none

    /// Of a result that is there already. std::invalid_argument for another shape, another type where nothing is
    /// converted, and elements that share memory with one another.
    void check_out(const Layout& out, DType dtype, Casting casting) const;
};

/// Raise what result_type() and broadcast() raise.
Plan plan(Op op, std::span<const Input> operands, ResultType type);

/// Run the operation, with the addresses that `out` and `operands` have by now: one launch, and a copy of each operand
/// whose elements would be overwritten before they are read. What elementwise() raises.
void run(Kernels& kernels, Op op, const ArrayRef& out, std::span<const Input> operands, CUstream stream);

}  // namespace pycuda::gpuarray
