#include "launching/launch_graph.hpp"

#include <array>
#include <utility>

#include "driver/driver_table.hpp"
#include "launching/kernel_node.hpp"
#include "pycuda/handles/handle.hpp"
#include "pycuda/launching/repeated_launches.hpp"

namespace pycuda {
namespace {

/// Never destroyed: launches may happen while statics are destroyed.
std::array<LaunchGraph, 32>& slots() {
    static auto* const all = new std::array<LaunchGraph, 32>;
    return *all;
}

std::atomic<long>& live_graphs() {
    static std::atomic<long>& counter = live_handle_counter("launch graph");
    return counter;
}

/// No launch uses a graph of an object that is about to end: launches keep their module, stream and context alive.
template <class Belongs>
void end_graphs(const Belongs& belongs, bool reachable) noexcept {
    if (live_graphs().load(std::memory_order_relaxed) == 0 || is_forked_child()) return;
    for (LaunchGraph& graph : slots())
        if (belongs(graph)) graph.end_soon(reachable);
}

/// The first such slot that no other thread has locked; returned locked.
template <class Wanted>
LaunchGraph* take_if(const Wanted& is_wanted) noexcept {
    for (LaunchGraph& graph : slots()) {
        if (!graph.try_lock()) continue;
        if (is_wanted(graph)) return &graph;
        graph.unlock();
    }
    return nullptr;
}

CUDA_KERNEL_NODE_PARAMS with_arguments(CUfunction function, const LaunchConfig& config, void** extra) {
    CUDA_KERNEL_NODE_PARAMS params = kernel_parameters(function, config);
    params.extra = extra;
    return params;
}

}  // namespace

bool LaunchGraph::try_lock() noexcept {
    return !(state_.fetch_or(Locked, std::memory_order_acquire) & Locked);
}

void LaunchGraph::unlock() noexcept {
    unsigned state = Locked;
    while (!state_.compare_exchange_strong(state, 0, std::memory_order_release, std::memory_order_relaxed)) {
        const unsigned wanted = state_.exchange(Locked, std::memory_order_acquire);
        if (!is_free()) end(!(wanted & Forget));
        state = Locked;
    }
}

void LaunchGraph::end_soon(bool reachable) noexcept {
    const unsigned before = state_.fetch_or(Locked | (reachable ? End : Forget), std::memory_order_acq_rel);
    if (!(before & Locked)) unlock();
}

bool LaunchGraph::make(std::uint64_t owner, CUcontext context, CUfunction function, const LaunchConfig& config,
                       void** extra) {
    const CUDA_KERNEL_NODE_PARAMS params = with_arguments(function, config, extra);
    const DriverTable& call = driver();
    CUmodule module = nullptr;
    if (call.cuFuncGetModule.try_call(&module, function) != CUDA_SUCCESS ||
        call.cuGraphCreate.try_call(&graph_, 0) != CUDA_SUCCESS)
        return false;
    if (call.cuGraphAddKernelNode.try_call(&node_, graph_, nullptr, 0, &params) != CUDA_SUCCESS ||
        call.cuGraphInstantiateWithFlags.try_call(&exec_, graph_, 0) != CUDA_SUCCESS) {
        call.cuGraphDestroy.clean_up(graph_);
        exec_ = nullptr;
        return false;
    }
    owner_ = owner;
    context_ = context;
    function_ = function;
    stream_ = config.stream;
    module_ = module;
    was_used = true;
    trials = 0;
    ++live_graphs();
    return true;
}

CUresult LaunchGraph::launch(CUfunction function, const LaunchConfig& config, void** extra) {
    const CUDA_KERNEL_NODE_PARAMS params = with_arguments(function, config, extra);
    was_used = true;
    const DriverTable& call = driver();
    if (const CUresult result = call.cuGraphExecKernelNodeSetParams.try_call(exec_, node_, &params)) return result;
    return call.cuGraphLaunch.try_call(exec_, stream());
}

void LaunchGraph::end(bool reachable) noexcept {
    if (reachable) {
        driver().cuGraphExecDestroy.clean_up(exec_);
        driver().cuGraphDestroy.clean_up(graph_);
    }
    owner_ = 0;
    exec_ = nullptr;
    --live_graphs();
}

void LaunchGraphsOfContext::context_ends(bool reachable) noexcept {
    forget_launch_graphs_of(context_, reachable);
}

void LaunchGraphsOfContext::settings_changed() noexcept {
    forget_launch_graphs_of(context_, true);
}

LaunchGraph* take_slot(CUcontext current) noexcept {
    if (LaunchGraph* const graph = take_if([](const LaunchGraph& slot) { return slot.is_free(); })) return graph;
    LaunchGraph* const graph = take_if([&](LaunchGraph& slot) {
        return slot.is_free() || (slot.context() == current && !std::exchange(slot.was_used, false));
    });
    if (graph && !graph->is_free()) graph->end(true);
    return graph;
}

void forget_launch_graphs_of(CUmodule module) noexcept {
    end_graphs([&](const LaunchGraph& graph) { return graph.module() == module; }, true);
}

void forget_launch_graphs_of(CUstream stream) noexcept {
    end_graphs([&](const LaunchGraph& graph) { return graph.stream() == stream; }, true);
}

void forget_launch_graphs_of(CUfunction function) noexcept {
    end_graphs([&](const LaunchGraph& graph) { return graph.function() == function; }, true);
}

void forget_launch_graphs_of(CUcontext context, bool reachable) noexcept {
    end_graphs([&](const LaunchGraph& graph) { return graph.context() == context; }, reachable);
}

}  // namespace pycuda
