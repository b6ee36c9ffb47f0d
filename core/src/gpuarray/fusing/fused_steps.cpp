#include "gpuarray/fusing/fused_steps.hpp"

#include <algorithm>

#include "pycuda/gpuarray/fusing/trace.hpp"

namespace pycuda::gpuarray {
namespace {

/// Shorter rows do not fill a block.
constexpr std::int64_t shortest_row = 256;
constexpr std::size_t max_numbers = 32, max_extent = 1024;

/// The arrays of a kernel, those that it writes first, in their common shape.
struct Operands {
    std::vector<Layout> layouts;
    std::vector<std::int64_t> itemsizes;
    std::size_t written = 0;

    bool is_flat() const {
        const Layout& first = layouts[0];
        return std::all_of(layouts.begin(), layouts.end(), [&](const Layout& layout) {
            return layout.same_dense(first) || (&layout != &first && is_single(layout));
        });
    }
    static bool is_single(const Layout& layout) {
        for (std::size_t k = 0; k < layout.shape().size(); ++k)
            if (layout.shape()[k] > 1 && layout.strides()[k] != 0) return false;
        return true;
    }
    /// True if all are contiguous along the axis; those that are read may also have one element for all of it.
    bool are_adjacent(const FusedLayouts& walk, int axis) const {
        for (std::size_t k = 0; k < layouts.size(); ++k) {
            const std::int64_t stride = walk.strides[k][axis];
            if (stride != itemsizes[k] && (k < written || stride != 0)) return false;
        }
        return true;
    }
};

void check_extent(std::size_t operands, int rank) {
    const auto axes = static_cast<std::size_t>(rank);
    if (rank <= max_rank && (operands + 3) * axes * 8 + 32 <= max_extent) return;
    throw CannotFuse("its arrays, " + std::to_string(operands) + " for one kernel, have " + std::to_string(rank) +
                     " axes that cannot be joined; copy them to contiguous arrays first");
}

template <class Offset>
void add_strides(Arguments& extent, const FusedLayouts& walk, int rank) {
    for (int k = 0; k < walk.operands; ++k)
        for (int axis = 0; axis < rank; ++axis) extent.add(static_cast<Offset>(walk.strides[k][axis]));
}

void walk_dense(ElementwiseStep& step, const FusedWalk& walk) {
    step.walk = walk;
    step.extent.add(step.size);
}

void walk_rows(ElementwiseStep& step, const FusedLayouts& walk) {
    const int rank = walk.ndim - 1;
    check_extent(static_cast<std::size_t>(walk.operands), rank);
    step.walk.walk = Walk::Inner;
    step.walk.rank = rank;
    for (std::size_t k = step.writes.size(); k < static_cast<std::size_t>(walk.operands); ++k)
        step.walk.singles.push_back(walk.strides[k][rank] == 0);
}

/// The rows' parameters, once it is known how many elements a block has.
void add_rows(ElementwiseStep& step, const FusedLayouts& walk) {
    const auto inner = static_cast<std::uint64_t>(walk.shape[step.walk.rank]);
    const std::uint64_t blocks = (inner + step.elements - 1) / step.elements;
    step.extent.add(inner);
    step.extent.add(WideDivisor(blocks));
    std::uint64_t rows = 1;
    for (int axis = 0; axis < step.walk.rank; ++axis) {
        rows *= static_cast<std::uint64_t>(walk.shape[axis]);
        step.extent.add(WideDivisor(static_cast<std::uint64_t>(walk.shape[axis])));
    }
    add_strides<std::int64_t>(step.extent, walk, step.walk.rank);
    step.blocks = rows * blocks;
}

void walk_strided(ElementwiseStep& step, const FusedLayouts& walk) {
    check_extent(static_cast<std::size_t>(walk.operands), walk.ndim);
    const bool narrow = is_narrow(walk);
    step.walk.walk = narrow ? Walk::General : Walk::Wide;
    step.walk.rank = walk.ndim;
    step.walk.singles.assign(step.work.reads.size(), false);
    if (narrow)
        step.extent.add(static_cast<std::uint32_t>(step.size));
    else
        step.extent.add(step.size);
    for (int axis = 0; axis < walk.ndim; ++axis) {
        const auto length = static_cast<std::uint64_t>(walk.shape[axis]);
        if (narrow)
            step.extent.add(Divisor(length));
        else
            step.extent.add(WideDivisor(length));
    }
    if (narrow)
        add_strides<std::int32_t>(step.extent, walk, walk.ndim);
    else
        add_strides<std::int64_t>(step.extent, walk, walk.ndim);
    step.extent_alignment = narrow ? 4 : 8;
}

void check_work(const FusedWork& work, std::size_t written) {
    const std::size_t arrays = written + work.reads.size();
    if (arrays > FusedLayouts::max_operands || work.numbers.size() > max_numbers)
        throw CannotFuse("one kernel would have " + std::to_string(arrays) + " arrays and " +
                         std::to_string(work.numbers.size()) + " numbers, more than " +
                         std::to_string(FusedLayouts::max_operands) + " and " + std::to_string(max_numbers));
}

}  // namespace

ElementwiseStep elementwise_step(FusedWork work, std::vector<int> writes, std::span<const Layout* const> layouts) {
    check_work(work, writes.size());
    ElementwiseStep step;
    step.work = std::move(work);
    step.writes = std::move(writes);
    Operands operands;
    operands.written = step.writes.size();
    for (const Layout* layout : layouts) operands.layouts.push_back(*layout);
    for (const FusedAccess& read : step.work.reads)
        operands.layouts.push_back(read.layout.broadcast_to(layouts[0]->shape()));
    for (const Layout& layout : operands.layouts) operands.itemsizes.push_back(layout.itemsize());
    step.size = static_cast<std::uint64_t>(layouts[0]->size());
    step.offsets.assign(operands.layouts.size(), 0);
    if (step.size == 0) return step;

    FusedLayouts walk;
    FusedWalk dense;
    if (operands.is_flat()) {
        for (std::size_t k = operands.written; k < operands.layouts.size(); ++k)
            dense.singles.push_back(step.size > 1 && Operands::is_single(operands.layouts[k]));
        walk_dense(step, dense);
    } else {
        std::vector<const Layout*> all;
        for (const Layout& layout : operands.layouts) all.push_back(&layout);
        walk = collapse<FusedLayouts>(all);
        std::copy(walk.offset, walk.offset + walk.operands, step.offsets.begin());
        const bool adjacent = walk.ndim > 0 && operands.are_adjacent(walk, walk.ndim - 1);
        if (walk.ndim == 1 && adjacent) {
            for (std::size_t k = operands.written; k < operands.layouts.size(); ++k)
                dense.singles.push_back(walk.is_single(static_cast<int>(k)));
            walk_dense(step, dense);
        } else if (walk.ndim <= max_rank && adjacent && walk.shape[walk.ndim - 1] >= shortest_row) {
            walk_rows(step, walk);
        } else {
            walk_strided(step, walk);
        }
    }
    for (std::size_t k = 0; k < step.work.reads.size(); ++k)
        step.offsets[operands.written + k] += step.work.reads[k].offset;
    const KernelSource source = fused_source(step.work.expression, step.walk);
    step.key = key_of(source);
    step.elements = source.elements;
    step.blocks = (step.size + step.elements - 1) / step.elements;
    if (step.walk.walk == Walk::Inner) add_rows(step, walk);
    return step;
}

bool walk_flat(const FusedWork& work, const Layout& packed) {
    return std::all_of(work.reads.begin(), work.reads.end(), [&](const FusedAccess& read) {
        return read.layout.same_dense(packed) || read.layout.size() == 1 ||
               (read.layout.same_shape(packed) && Operands::is_single(read.layout));
    });
}

void plan_step(ReductionStep& step, std::span<const Array* const> inputs, const ArrayRef& out) {
    check_work(step.work, 1);
    ArrayRef refs[2];
    for (std::size_t k = 0; k < inputs.size() && k < 2; ++k) refs[k] = {0, &inputs[k]->layout(), inputs[k]->dtype()};
    if (!find_stages(step.stages, step.op, out, {refs, inputs.size()}, step.axes)) return;
    const Layout& packed = inputs[0]->layout();
    for (const FusedAccess& read : step.work.reads)
        step.singles.push_back(packed.size() > 1 && !read.layout.same_dense(packed));
    for (const bool aligned : {false, true})
        step.keys[aligned] =
            key_of(fused_reduction_source(step.work.expression, step.singles, aligned, step.stages.first.key));
}

}  // namespace pycuda::gpuarray
