#pragma once

#include <cuda.h>

#include <cstdint>
#include <span>

#include "pycuda/gpuarray/elementwise.hpp"
#include "pycuda/gpuarray/layout.hpp"
#include "pycuda/gpuarray/operation.hpp"

namespace pycuda::gpuarray {

/// Whether the result's elements are converted, as C does, to those of an existing array.
enum class Casting : std::uint8_t { No, SameKind, Unsafe };

/// The plan of an elementwise operation: derived from types and shapes, before the result has
/// memory. Ignores addresses.
struct Plan {
    Op op;
    DType result;   ///< the element type of a new result
    Layout layout;  ///< of a new result: packed, in the operands' order of axes
    int like = -1;  ///< the first operand that is an array of the result's shape; -1: none

    /// Whether the result broadcasts to the shape of an existing array, as in NumPy.
    bool fits(const Layout& out) const noexcept;
    /// The plan for an existing result. std::invalid_argument for a shape that does not fit, another type
    /// without conversion, and elements that share memory.
    void check_out(const Layout& out, DType dtype, Casting casting) const;
};

/// Raise what result_type() and broadcast() raise.
Plan plan(Op op, std::span<const Input> operands, ResultType type);

/// Run the operation on the present addresses of `out` and `operands`: one launch, and a copy of each operand whose
/// elements would be overwritten before they are read. Raises as elementwise() does.
void run(Kernels& kernels, Op op, const ArrayRef& out, std::span<const Input> operands, CUstream stream);

}  // namespace pycuda::gpuarray
