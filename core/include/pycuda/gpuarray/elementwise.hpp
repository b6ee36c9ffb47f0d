#pragma once

#include <cuda.h>

#include <cstdint>
#include <span>
#include <stdexcept>

#include "pycuda/gpuarray/kernels.hpp"
#include "pycuda/gpuarray/layout.hpp"
#include "pycuda/gpuarray/operation.hpp"

namespace pycuda::gpuarray {

using DevicePtr = std::uint64_t;

/// Elements on the device. The caller keeps memory and layout alive, the memory until the stream has completed the
/// work.
struct ArrayRef {
    DevicePtr address = 0;  ///< of element (0, 0, ...); unspecified if the array is empty
    const Layout* layout = nullptr;
    DType dtype = DType::Opaque;
};

/// An operand of an operation: an array or a scalar.
class Input {
public:
    Input() = default;  ///< false
    Input(const ArrayRef& array) : array_(array) {}
    Input(const Scalar& scalar) : scalar_(scalar) {}
    bool is_scalar() const noexcept { return array_.layout == nullptr; }
    const ArrayRef& array() const noexcept { return array_; }
    const Scalar& scalar() const noexcept { return scalar_; }
    OperandType type() const noexcept {
        return is_scalar() ? OperandType{scalar_.dtype(), scalar_.is_weak()} : OperandType{array_.dtype, false};
    }

private:
    ArrayRef array_;
    Scalar scalar_ = Scalar::weak(false);
};

/// Operands of an operation.
inline constexpr std::size_t max_inputs = 4;

/// A weak integer that the operation's type cannot hold: 300 with uint8.
class OutOfBounds : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

/// Whether powers of integers in type `compute` would be fractions, which it cannot hold.
inline bool is_fraction(Op op, DType compute, const Scalar& exponent) noexcept {
    return op == Op::pow && is_integer(compute) && exponent.is_negative_integer();
}

/// The result type of `op` on these operands. Raises as signature() does, and OutOfBounds, except for comparisons.
/// std::invalid_argument for integers to a negative power.
DType result_type(Op op, std::span<const Input> inputs);

/// The packed layout of the result, for elements of `itemsize` bytes: broadcast, in the operands' order of axes. Raises
/// as broadcast() does. Scalars do not count; 0-d if all are scalars.
Layout result_layout(std::span<const Input> inputs, std::int64_t itemsize);

/// out = op(inputs), element by element, asynchronously on `stream`: one launch (none if `out` is empty). Inputs are
/// broadcast to out's shape, which may have any strides; values are computed in the operation's type and converted to
/// out's as C does. Allocates nothing once the kernel is loaded.
///
/// `out` may be one of the inputs, as the same view; the caller must resolve other overlaps before
/// (overlaps_destructively). `kernels` is the current context's. Raises what result_type and broadcasting raise;
/// std::invalid_argument for memory that is not aligned to its elements; what launching raises.
void elementwise(Kernels& kernels, Op op, const ArrayRef& out, std::span<const Input> inputs, CUstream stream);

/// out = in, converted to out's type: elementwise(copy), and for equal types a copy of bytes, structures included
/// (their item sizes must be equal: std::invalid_argument).
void copy(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, CUstream stream);

/// The hot path: an operation on plain operands, which needs no analysis: an array of numbers without gaps and, if the
/// operation has two operands, an array of its shape and order, or a scalar. Addresses may be set after find().
struct PlainCall {
    ArrayRef a, b;                   ///< b without a layout: no second array
    const Scalar* scalar = nullptr;  ///< the second operand, if that is not an array
    const Kernel* kernel = nullptr;

    /// Find the kernel, if these types were used before; ignores addresses. False if elementwise() must analyse the
    /// operation.
    bool find(const Kernels& kernels, Op op, ResultType type) noexcept;
    /// Whether the result may be written to `out`: it has the result's type, shape and order, and each operand is
    /// either in other memory or read just where the result is written.
    bool fits(const ArrayRef& out) const noexcept;
    /// One launch, nothing else, with the result at `out`. False, and no launch, if memory is not aligned to its
    /// elements.
    bool launch(const Kernels& kernels, DevicePtr out, CUstream stream) const;
};

/// Threads of a block of the dense kernels, and the elements that it covers.
inline constexpr unsigned dense_threads = 128;
inline constexpr unsigned dense_elements = 512;

}  // namespace pycuda::gpuarray
