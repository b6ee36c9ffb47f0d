#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "pycuda/gpuarray/elementwise.hpp"
#include "pycuda/gpuarray/kernels.hpp"
#include "pycuda/gpuarray/layout.hpp"

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

/// Whether Walk::General can be used: a thread's index may exceed the last element's by almost a block.
template <int count>
bool is_narrow(const CollapsedOperands<count>& walk) noexcept {
    constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max() - 512;
    return walk.size <= limit && walk.reaches_at_most(limit);
}

/// The parts of a kernel's text that find a thread's elements. `pointers` advance, over `rank` axes; a block has
/// `block` elements, and a thread `at_once` of them.
struct WalkText {
    Walk walk;
    int rank;
    std::size_t pointers;
    unsigned block, at_once;

    /// The kernel's parameter `space`, for every walk but Dense.
    std::string space() const;
    /// For Inner: `first` element in its row, and each pointer's `offset`.
    std::string row_of_block() const;
    /// For General and Wide: `first` index, and the offsets `at` which `loads` reads into what is `declared`.
    std::string positions(const std::string& declared, const std::string& loads) const;
};

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
