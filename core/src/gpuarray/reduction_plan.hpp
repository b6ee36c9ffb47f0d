#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "gpuarray/arguments.hpp"
#include "gpuarray/reduction_source.hpp"
#include "pycuda/gpuarray/layout.hpp"

namespace pycuda::gpuarray {

/// One launch of a reduction.
struct ReductionPlan {
    ReductionKey key;
    CollapsedLayouts outer;    ///< over the result, then the operands
    CollapsedLayouts reduced;  ///< over the operands
    std::uint64_t results = 1, length = 1;
    std::uint64_t elements = 1;  ///< per result: the divisor of a mean, in both stages
    int inputs = 1;
    unsigned width = 1;  ///< for columns: how many columns, or packs of them, a block processes side by side

    bool has_columns() const { return key.team == Team::Columns; }
    unsigned lanes() const { return has_columns() ? threads_of(key.team) / width : lanes_of(key.team); }
    /// The threads of a block. For few elements, a large block would mostly wait at its barriers.
    unsigned threads() const {
        const unsigned max = threads_of(key.team);
        return key.team == Team::All && length < 4 * max
                   ? std::max(64u, std::bit_ceil(static_cast<unsigned>(length) / 4))
                   : max;
    }
    unsigned results_together() const {
        return has_columns() ? width * key.pack : threads_of(key.team) / lanes_of(key.team);
    }
};

/// The launches of a reduction: one kernel over all elements, or a first over `parts` and a second over their results.
struct Stages {
    ReductionPlan first;
    std::optional<ReductionPlan> second;
    std::uint64_t parts = 1;
};

/// False if there is nothing to launch. Does not need the addresses, except to know whether packs of elements are
/// aligned. Raises as reduce() does.
bool find_stages(Stages& stages, Reduction op, const ArrayRef& out, std::span<const ArrayRef> inputs,
                 std::uint32_t axes);

/// The first kernel of a reduction of elements that it computes.
struct ComputedReduction {
    KernelKey key;
    std::function<KernelSource()> source;
    Arguments parameters;  ///< after the result's pointer
};

/// Runs the planned launches. `in` are the operands' addresses; 0 for elements that are computed.
void run(Kernels& kernels, const Stages& stages, DevicePtr out, const DevicePtr* in, CUstream stream,
         const ComputedReduction* computed = nullptr);

}  // namespace pycuda::gpuarray
