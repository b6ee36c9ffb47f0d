#pragma once

#include <cstdint>
#include <string>

#include "pycuda/gpuarray/elementwise.hpp"
#include "pycuda/gpuarray/kernels.hpp"

namespace pycuda::gpuarray {

/// How a kernel iterates over its operands.
enum class Walk : std::uint8_t {
    Dense,    ///< one flat index for all operands
    Inner,    ///< rows whose elements are adjacent (or a single one) in every operand; `rank` outer axes
    General,  ///< any strides over `rank` axes; indices and byte offsets below 2^31
    Wide,     ///< the same with 64 bits
};

/// How an operand is passed to the kernel.
enum class Passing : std::uint8_t {
    None,
    Array,
    Value,   ///< a scalar, converted to the type that the operation computes in
    Single,  ///< one element on the device (for Inner: one for each row)
};

template <>
inline constexpr unsigned values_of<Walk> = 4;
template <>
inline constexpr unsigned values_of<Passing> = 4;

inline constexpr int max_rank = 8;

/// Everything that a kernel's source depends on.
struct ElementwiseKey {
    Op op = Op::copy;
    Walk walk = Walk::Dense;
    int rank = 0;
    DType out = DType::Bool;
    struct In {
        Passing passing = Passing::None;
        DType dtype = DType::Bool;
    } in[max_inputs];
    int inputs = 0;

    KernelKey packed() const;
};

/// The kernel's text; `types` is the operation's signature on these operands.
///
/// Parameters: the result's pointer; for each input a pointer, or its value; then, for Dense, the number of elements
/// (64 bits), else a Space, which elementwise.cpp mirrors.
KernelSource elementwise_source(const ElementwiseKey& key, const Signature& types);

/// An operation on one element, for a kernel that computes several: `R operation(operands, i)`, the types, and what
/// its compiler has to know.
struct OperationText {
    std::string text;
    bool is_complex;
    bool is_long;  ///< expensive to compute: a kernel should contain the code a few times only
};
OperationText operation_text(const ElementwiseKey& key, const Signature& types);

/// A kernel for array[index] = op(array[index], value), applied once for each of several values of an index, in turn.
///
/// Parameters: the array's pointer, the sorted indices (int64), the indices of their values (int64), the values'
/// pointer and the number of indices (64 bits). A block has dense_threads indices.
KernelSource update_source(Op op, DType array, DType values, const Signature& types);

}  // namespace pycuda::gpuarray
