#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "gpuarray/arguments.hpp"
#include "gpuarray/fusing/fused_source.hpp"
#include "gpuarray/reduction_plan.hpp"
#include "pycuda/gpuarray/array.hpp"
#include "pycuda/gpuarray/fusing/fused_program.hpp"

namespace pycuda::gpuarray {

/// Elements in memory: of an argument, or of the result of an earlier step.
struct FusedAccess {
    int stored = 0;  ///< which of FusedSteps::stored
    DType dtype = DType::Opaque;
    Layout layout;
    std::int64_t offset = 0;
};

/// A number that is passed to a kernel.
struct FusedNumber {
    Scalar value;  ///< of an argument, or a constant
    DType dtype;   ///< in which it is passed
};

/// What a kernel computes, and from what.
struct FusedWork {
    FusedExpression expression;
    std::vector<FusedAccess> reads;    ///< the expression's elements
    std::vector<FusedNumber> numbers;  ///< the expression's numbers
};

/// One elementwise kernel.
struct ElementwiseStep {
    FusedWork work;
    FusedWalk walk;
    std::vector<int> writes;            ///< which of FusedSteps::stored
    std::vector<std::int64_t> offsets;  ///< of what it writes and reads
    Arguments extent;                   ///< the last parameters
    std::size_t extent_alignment = 8;
    std::uint64_t size = 0;
    KernelKey key{};
    unsigned elements = 1;  ///< of a block
    std::uint64_t blocks = 0;
};

/// One reduction. Its operands are results of `work`'s operations; without work, they are elements in memory.
struct ReductionStep {
    Reduction op;
    std::uint32_t axes = 0;
    int writes = 0;
    std::vector<FusedAccess> reads;
    FusedWork work;
    std::vector<bool> singles;
    Stages stages;
    KernelKey keys[2]{};  ///< of the first kernel: for any alignment, and for arrays that are aligned to packs
};

using FusedStep = std::variant<ElementwiseStep, ReductionStep>;

/// Everything that a program does.
struct FusedSteps {
    struct Stored {
        int argument = -1;  ///< an argument's elements
        int made = -1;      ///< those of an array that the function returns; else memory for the call alone
        DType dtype = DType::Opaque;
        Layout layout;
    };
    std::vector<Stored> stored;
    std::vector<FusedStep> steps;
};

/// The step that computes the operations `work`.expression.results into arrays `writes` of `layouts`, which have one
/// shape. CannotFuse if that is too much for one kernel.
ElementwiseStep elementwise_step(FusedWork work, std::vector<int> writes, std::span<const Layout* const> layouts);

/// Fills in how a reduction with work is run: as if `inputs`, which are packed, were in memory.
void plan_step(ReductionStep& step, std::span<const Array* const> inputs, const ArrayRef& out);

/// What operations ask of numbers: types and kernels depend on the answers. Programs fit only where they are the same.
enum FusedQuestion : int { FitsType, IsStoredAsOnDevice, IsNegative };
bool answer(FusedQuestion question, const Scalar& number, DType dtype) noexcept;

/// Whether elements of these arrays, broadcast to `packed`'s shape, are visited in its order, or are single ones.
bool walk_flat(const FusedWork& work, const Layout& packed);

}  // namespace pycuda::gpuarray
