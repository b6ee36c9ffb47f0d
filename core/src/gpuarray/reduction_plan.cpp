#include "gpuarray/reduction_plan.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>

#include "gpuarray/device_types.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda::gpuarray {
namespace {

using Accumulator = ReductionInfo::Accumulator;

/// The fewest elements that justify a separate block, and the most blocks that share the work.
constexpr std::uint64_t elements_of_a_block = 16384, max_blocks = 1024;

/// The part of `layout` whose axes are, or are not, in `axes`.
Layout part_of(const Layout& layout, std::uint32_t axes, bool reduced) {
    std::int64_t shape[max_axes], strides[max_axes];
    std::size_t count = 0;
    for (std::size_t k = 0; k < layout.shape().size(); ++k)
        if (((axes >> k & 1) != 0) == reduced) {
            shape[count] = layout.shape()[k];
            strides[count++] = layout.strides()[k];
        }
    return Layout(std::span<const std::int64_t>(shape, count), std::span<const std::int64_t>(strides, count),
                  layout.itemsize());
}

void check_rank(const CollapsedLayouts& walk) {
    if (walk.ndim > 8)
        throw std::invalid_argument("reductions support at most 8 non-contiguous axes; copy the arrays first");
}

Team choose_team(const ReductionPlan& plan) {
    const std::int64_t step = plan.reduced.ndim ? std::abs(plan.reduced.strides[0][plan.reduced.ndim - 1]) : 0;
    const std::int64_t across = plan.outer.ndim ? std::abs(plan.outer.strides[1][plan.outer.ndim - 1]) : 0;
    if (plan.results == 1) return Team::Block;
    if (plan.length < 16) return Team::Threads;
    if (across != 0 && across < step) return plan.length < 64 ? Team::Threads : Team::Columns;
    const std::uint64_t long_row = plan.results >= 4096 ? 8192 : 1024;  // many rows: warps enough, and none waits
    return plan.length >= long_row ? Team::Block : plan.length >= 256 ? Team::Warp : Team::EightLanes;
}

/// How many neighbours one thread processes, if they are adjacent in every operand: columns, else elements. Depends on
/// shapes and strides only, because it determines the order of summation.
void choose_pack(ReductionPlan& plan) {
    const CollapsedLayouts& walk = plan.has_columns() ? plan.outer : plan.reduced;
    unsigned pack = walk.ndim == 1 || plan.has_columns() ? widest_pack(plan.key) : 1;
    for (int k = 0; k < plan.inputs && pack > 1; ++k)
        if (walk.strides[plan.has_columns() ? k + 1 : k][walk.ndim - 1] != info(plan.key.in[k]).size) pack = 1;
    if (plan.has_columns())
        while (pack > 1 && walk.shape[walk.ndim - 1] % pack != 0) pack /= 2;
    else if (plan.length < plan.lanes() * pack)
        pack = 1;
    plan.key.pack = pack;
}

/// A block processes adjacent columns, since rows are contiguous; several blocks share wide rows evenly. The
/// second stage has little to read: there, many blocks read short pieces.
void choose_width(ReductionPlan& plan) {
    if (plan.key.stage == Stage::Second) {
        plan.width = static_cast<unsigned>(std::min<std::uint64_t>(plan.results, 8));
        return;
    }
    const std::uint64_t max = threads_of(Team::Columns), row = plan.outer.shape[plan.outer.ndim - 1] / plan.key.pack;
    const std::uint64_t groups = (row + max - 1) / max, all = plan.results / plan.key.pack;
    std::uint64_t width = (row + groups - 1) / groups;
    while (width * 2 <= std::min(max, all) && max / width * 16 > plan.length) width *= 2;
    plan.width = static_cast<unsigned>(width);
}

/// True if every pack can be loaded at once.
bool packs_are_aligned(const ReductionPlan& plan, const DevicePtr* in) {
    const bool columns = plan.has_columns();
    std::uint64_t bits = 0;
    for (int k = 0; k < plan.inputs; ++k) {
        std::uint64_t all = in[k] + static_cast<std::uint64_t>(plan.outer.offset[k + 1] + plan.reduced.offset[k]);
        for (int axis = 0; axis < plan.outer.ndim - (columns ? 1 : 0); ++axis)
            all |= static_cast<std::uint64_t>(plan.outer.strides[k + 1][axis]);
        for (int axis = 0; axis < plan.reduced.ndim - (columns ? 0 : 1); ++axis)
            all |= static_cast<std::uint64_t>(plan.reduced.strides[k][axis]);
        bits |= all % (plan.key.pack * static_cast<unsigned>(info(plan.key.in[k]).size));
    }
    return bits == 0;
}

bool fits_32_bits(const CollapsedLayouts& walk, std::uint64_t length, std::uint64_t step) {
    constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
    // The loop prefetches up to 16 steps ahead.
    return length + 16 * step < static_cast<std::uint64_t>(limit) && walk.reaches_at_most(limit);
}

/// For few elements, one block suffices; one kernel handles every stride.
void all_at_once(ReductionPlan& plan) {
    plan.key.team = Team::All;
    plan.key.pack = 1;
    plan.key.aligned = false;
}

void finish_key(ReductionPlan& plan, std::uint64_t parts) {
    plan.key.result_rank = plan.outer.ndim;
    plan.key.rank = std::max(plan.reduced.ndim, 1);
    plan.key.wide = !fits_32_bits(plan.reduced, plan.length, parts * plan.lanes());
}

/// The second launch's plan: it reduces `parts` accumulators for each result of the first.
ReductionPlan second_stage(const ReductionPlan& first, std::uint64_t parts) {
    const auto bytes = static_cast<std::int64_t>(accumulator_bytes(first.key.op, first.key.accumulator));
    ReductionPlan plan = first;
    plan.key.stage = Stage::Second;
    plan.inputs = 1;
    plan.length = parts;
    std::int64_t step = bytes;
    for (int axis = plan.outer.ndim - 1; axis >= 0; --axis) {
        plan.outer.strides[1][axis] = step;
        step *= plan.outer.shape[axis];
    }
    plan.outer.offset[1] = 0;
    plan.reduced.ndim = plan.reduced.operands = 1;
    plan.reduced.shape[0] = static_cast<std::int64_t>(parts);
    plan.reduced.strides[0][0] = step;
    plan.reduced.offset[0] = 0;
    all_at_once(plan);
    if (plan.results > 1) plan.key.team = choose_team(plan);
    if (plan.has_columns()) choose_width(plan);
    finish_key(plan, 1);
    return plan;
}

/// Splits `stages.first`, whose stage is not decided yet, into parts.
void cut(Stages& stages) {
    ReductionPlan& plan = stages.first;
    const unsigned of_a_block = plan.results_together();
    const std::uint64_t groups = (plan.results + of_a_block - 1) / of_a_block;
    // The number of parts depends on the shape alone, so that sums are the same on every device.
    const std::uint64_t wanted = std::min(max_blocks, plan.results * plan.length / elements_of_a_block);
    const std::uint64_t longest = plan.length / (plan.lanes() * 16ull);
    const std::uint64_t parts = stages.parts = std::max<std::uint64_t>(1, std::min(wanted / groups, longest));
    if (parts == 1 && plan.results == 1) all_at_once(plan);
    finish_key(plan, parts);
    if (parts == 1) return;
    const ReductionPlan& second = stages.second.emplace(second_stage(plan, parts));
    plan.key.stage = Stage::First;
    for (int axis = 0; axis < plan.outer.ndim; ++axis) plan.outer.strides[0][axis] = second.outer.strides[1][axis];
    plan.outer.offset[0] = 0;
}

DType common_type(std::span<const DType> operands) {
    DType common = operands[0];
    for (const DType operand : operands) common = promote(common, operand);
    return common;
}

void check_operands(Reduction op, std::span<const DType> operands) {
    const ReductionInfo& row = info(op);
    if (operands.size() != static_cast<std::size_t>(row.arity))
        throw std::invalid_argument(std::string("'") + row.name + "' takes " + std::to_string(row.arity) +
                                    " arrays, not " + std::to_string(operands.size()));
    const bool is_real = row.accumulator == Accumulator::Input || row.accumulator == Accumulator::Index ||
                         row.accumulator == Accumulator::Moments;
    for (const DType dtype : operands)
        if (dtype == DType::Opaque || (is_real && is_complex(dtype)))
            throw ArgumentTypeError(std::string("'") + row.name + "' is not defined for " + name_of(dtype));
}

/// True if all elements are reduced and are contiguous.
bool is_one_stretch(std::span<const ArrayRef> inputs, std::uint32_t axes) {
    const Layout& first = *inputs[0].layout;
    const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << first.ndim()) - 1);
    bool one = (axes & all) == all && first.size() > 0;
    for (const ArrayRef& input : inputs) one &= input.layout->is_c_contiguous() && input.layout->same_shape(first);
    return one;
}

/// The result of walk_axes() for such operands, in a fraction of the time.
void walk_stretch(ReductionPlan& plan, std::span<const ArrayRef> inputs) {
    plan.length = plan.elements = static_cast<std::uint64_t>(inputs[0].layout->size());
    plan.outer.operands = plan.inputs + 1;
    plan.reduced.operands = plan.inputs;
    plan.reduced.ndim = 1;
    plan.reduced.size = plan.reduced.shape[0] = inputs[0].layout->size();
    plan.outer.offset[0] = 0;
    for (int k = 0; k < plan.inputs; ++k) {
        plan.outer.offset[k + 1] = plan.reduced.offset[k] = 0;
        plan.reduced.strides[k][0] = inputs[static_cast<std::size_t>(k)].layout->itemsize();
    }
}

void walk_axes(ReductionPlan& plan, const ArrayRef& out, std::span<const ArrayRef> inputs, std::uint32_t axes) {
    const Layout* shapes[2] = {inputs[0].layout, inputs.size() > 1 ? inputs[1].layout : inputs[0].layout};
    const bool equal = shapes[0]->same_shape(*shapes[1]);
    const Layout common = equal ? *shapes[0] : broadcast(shapes, 1);
    Layout outer[2], reduced[2];
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const Layout layout = equal ? *shapes[k] : shapes[k]->broadcast_to(common.shape());
        outer[k] = part_of(layout, axes, false);
        reduced[k] = part_of(layout, axes, true);
    }
    if (!out.layout->same_shape(outer[0]))
        throw std::invalid_argument("the result of this reduction has shape " + shape_text(outer[0].shape()) +
                                    ", but the output has shape " + shape_text(out.layout->shape()));
    if (out.layout->size() == 0) return;
    // In the order of the operands, not the result's: most memory accesses are reads of operands.
    const Layout* layouts[3] = {&outer[0], inputs.size() > 1 ? &outer[1] : out.layout, out.layout};
    const CollapsedLayouts walk = collapse({layouts, inputs.size() + 1});
    plan.outer = walk;
    const int last = walk.operands - 1;
    const auto put = [&](int to, int from) {
        std::copy(walk.strides[from], walk.strides[from] + walk.ndim, plan.outer.strides[to]);
        plan.outer.offset[to] = walk.offset[from];
    };
    put(0, last);
    for (int k = 0; k < plan.inputs; ++k) put(k + 1, k);
    const Layout* of_reduced[2] = {&reduced[0], &reduced[1]};
    plan.reduced = collapse({of_reduced, inputs.size()}, info(plan.key.op).accumulator == Accumulator::Index);
    check_rank(plan.outer);
    check_rank(plan.reduced);
    plan.length = plan.elements = static_cast<std::uint64_t>(reduced[0].size());
}

}  // namespace

DType result_type(Reduction op, std::span<const DType> operands) {
    check_operands(op, operands);
    const bool is_mean = op == Reduction::mean || info(op).accumulator == Accumulator::Moments;
    if (is_mean && (is_integer(operands[0]) || operands[0] == DType::Bool)) return DType::Float64;
    if (op == Reduction::count_nonzero || info(op).accumulator == Accumulator::Index) return DType::Int64;
    if (info(op).accumulator == Accumulator::Truth) return DType::Bool;
    return common_type(operands);
}

bool find_stages(Stages& stages, Reduction op, const ArrayRef& out, std::span<const ArrayRef> inputs,
                 std::uint32_t axes) {
    DType dtypes[2] = {DType::Bool, DType::Bool};
    for (std::size_t k = 0; k < std::min<std::size_t>(inputs.size(), 2); ++k) dtypes[k] = inputs[k].dtype;
    check_operands(op, std::span<const DType>(dtypes, std::min<std::size_t>(inputs.size(), 3)));
    static_cast<void>(info(out.dtype));  // rejects structures
    DevicePtr in[2] = {};
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        check_alignment(inputs[k]);
        in[k] = inputs[k].address;
    }
    check_alignment(out);
    ReductionPlan& plan = stages.first;
    plan.key.op = op;
    plan.key.in[0] = dtypes[0];
    plan.key.in[1] = dtypes[1];
    plan.key.out = out.dtype;
    const auto accumulator = info(op).accumulator;
    const bool of_result = accumulator == Accumulator::Result || accumulator == Accumulator::Moments;
    plan.key.accumulator = of_result                           ? out.dtype
                           : accumulator == Accumulator::Truth ? DType::Bool
                                                               : common_type({dtypes, inputs.size()});
    plan.inputs = static_cast<int>(inputs.size());
    if (is_one_stretch(inputs, axes) && out.layout->ndim() == 0)
        walk_stretch(plan, inputs);
    else
        walk_axes(plan, out, inputs, axes);
    plan.results = static_cast<std::uint64_t>(out.layout->size());
    if (plan.results == 0) return false;
    plan.key.team = choose_team(plan);
    choose_pack(plan);
    if (plan.has_columns()) choose_width(plan);
    plan.key.aligned = plan.key.pack > 1 && packs_are_aligned(plan, in);
    cut(stages);
    return true;
}

}  // namespace pycuda::gpuarray
