#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpuarray/elementwise_source.hpp"
#include "gpuarray/reduction_source.hpp"

namespace pycuda::gpuarray {

/// A value in a fused kernel: an element of an array, a number, or the result of an earlier operation.
struct FusedOperand {
    enum Kind : std::uint8_t { Element, Number, Value } kind;
    int index;
};

struct FusedOperation {
    Op op;
    Signature types;
    DType out;  ///< to which its result is rounded
    std::vector<FusedOperand> operands;
};

/// What a fused kernel computes for each index.
struct FusedExpression {
    struct Number {
        DType dtype;      ///< in which it is passed
        bool is_literal;  ///< stands in the text
        std::int64_t literal;
    };
    std::vector<DType> elements;  ///< of the arrays that it reads
    std::vector<Number> numbers;
    std::vector<FusedOperation> operations;  ///< in order
    std::vector<int> results;                ///< operations
    bool fast = false;                       ///< results need not be those of separate kernels, bit for bit
};

/// How a fused elementwise kernel iterates.
struct FusedWalk {
    Walk walk = Walk::Dense;
    int rank = 0;
    std::vector<bool> singles;  ///< of the arrays that are read: one element, for Inner one for each row
};

/// Parameters: the results' pointers, the arrays' pointers, the numbers that are no literals; then as for
/// elementwise_source(), the strides of the results before those of the arrays that are read.
KernelSource fused_source(const FusedExpression& expression, const FusedWalk& walk);

/// The first or only kernel of a reduction whose operands are the expression's results: elements that are computed, not
/// loaded. Its plan is that of packed arrays at address 0 with these elements, and so is the order of summation.
/// `aligned`: packs of the arrays that are read are loaded at once.
///
/// Parameters: the result's pointer, the pointers and numbers as above, then as for reduction_source().
KernelSource fused_reduction_source(const FusedExpression& expression, const std::vector<bool>& singles, bool aligned,
                                    const ReductionKey& key);

/// The key of this kernel, which is unlike all others.
KernelKey key_of(const KernelSource& source);

}  // namespace pycuda::gpuarray
