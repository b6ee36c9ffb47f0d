#include "pycuda/gpuarray/reduction.hpp"

#include <algorithm>
#include <vector>

#include "gpuarray/arguments.hpp"
#include "gpuarray/reduction_plan.hpp"
#include "gpuarray/scratch.hpp"

namespace pycuda::gpuarray {
namespace {

template <class Index, class Offset, class Division>
void add_reduced(Arguments& arguments, const ReductionPlan& plan) {
    const int rank = std::max(plan.reduced.ndim, 1);
    for (int axis = 0; axis < rank; ++axis)
        arguments.add(Division(plan.reduced.ndim ? static_cast<std::uint64_t>(plan.reduced.shape[axis]) : 1));
    for (int k = 0; k < plan.inputs; ++k)
        for (int axis = 0; axis < rank; ++axis)
            arguments.add(plan.reduced.ndim ? static_cast<Offset>(plan.reduced.strides[k][axis]) : Offset{0});
}

void launch(Kernels& kernels, const ReductionPlan& plan, DevicePtr out, const DevicePtr* in, std::uint64_t parts,
            CUstream stream, const ComputedReduction* computed = nullptr) {
    const Kernel& kernel = computed ? kernels.get(computed->key, computed->source)
                                    : kernels.get(plan.key.packed(), [&] { return reduction_source(plan.key); });
    Arguments arguments;
    arguments.add(out + static_cast<std::uint64_t>(plan.outer.offset[0]));
    if (computed) arguments.add(computed->parameters.data(), computed->parameters.size(), 8);
    for (int k = 0; k < plan.inputs; ++k)
        arguments.add(in[k] + static_cast<std::uint64_t>(plan.outer.offset[k + 1] + plan.reduced.offset[k]));
    arguments.add(plan.results);
    arguments.add(plan.elements);
    if (plan.key.wide)
        arguments.add(plan.length);
    else
        arguments.add(static_cast<std::uint32_t>(plan.length));
    arguments.add(static_cast<std::uint32_t>(parts));
    arguments.add(static_cast<std::uint32_t>(plan.width));
    const int rank = std::max(plan.outer.ndim, 1);
    for (int axis = 0; axis < rank; ++axis)
        arguments.add(WideDivisor(plan.outer.ndim ? static_cast<std::uint64_t>(plan.outer.shape[axis]) : 1));
    for (int k = 0; k <= plan.inputs; ++k)
        for (int axis = 0; axis < rank; ++axis)
            arguments.add(plan.outer.ndim ? plan.outer.strides[k][axis] : std::int64_t{0});
    if (plan.key.wide)
        add_reduced<std::uint64_t, std::int64_t, WideDivisor>(arguments, plan);
    else
        add_reduced<std::uint32_t, std::int32_t, Divisor>(arguments, plan);
    arguments.pad(8);
    const unsigned results = plan.results_together();
    kernels.launch(kernel, (plan.results + results - 1) / results * parts, plan.threads(), arguments.data(),
                   arguments.size(), stream);
}

std::vector<Kernels::Wanted> wanted_by(const Stages& stages) {
    const auto wanted = [](const ReductionKey& key) {
        return Kernels::Wanted{key.packed(), [key] { return reduction_source(key); }};
    };
    std::vector<Kernels::Wanted> list{wanted(stages.first.key)};
    if (stages.second) list.push_back(wanted(stages.second->key));
    return list;
}

}  // namespace

void run(Kernels& kernels, const Stages& stages, DevicePtr out, const DevicePtr* in, CUstream stream,
         const ComputedReduction* computed) {
    const ReductionPlan& plan = stages.first;
    if (!stages.second) return launch(kernels, plan, out, in, 1, stream, computed);
    const Scratch scratch(plan.results * stages.parts * accumulator_bytes(plan.key.op, plan.key.accumulator), stream);
    const ReductionKey &one = plan.key, &two = stages.second->key;
    const Kernels::Wanted both[] = {computed ? Kernels::Wanted{computed->key, computed->source}
                                             : Kernels::Wanted{one.packed(), [&one] { return reduction_source(one); }},
                                    {two.packed(), [&two] { return reduction_source(two); }}};
    kernels.prepare(both);
    launch(kernels, plan, scratch.pointer(), in, stages.parts, stream, computed);
    const DevicePtr partial = scratch.pointer();
    launch(kernels, *stages.second, out, &partial, 1, stream);
}

std::vector<Kernels::Wanted> wanted_reduction(Reduction op, const ArrayRef& out, std::span<const ArrayRef> inputs,
                                              std::uint32_t axes) {
    Stages stages;
    return find_stages(stages, op, out, inputs, axes) ? wanted_by(stages) : std::vector<Kernels::Wanted>();
}

void reduce(Kernels& kernels, Reduction op, const ArrayRef& out, std::span<const ArrayRef> inputs, std::uint32_t axes,
            CUstream stream) {
    Stages stages;
    if (!find_stages(stages, op, out, inputs, axes)) return;
    DevicePtr in[2] = {};
    for (std::size_t k = 0; k < inputs.size(); ++k) in[k] = inputs[k].address;
    run(kernels, stages, out.address, in, stream);
}

}  // namespace pycuda::gpuarray
