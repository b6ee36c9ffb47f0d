// Nodes that signal semaphores of other interfaces, or wait for them.
#include "captures/graph_resources.hpp"
#include "driver/driver_table.hpp"
#include "external/described_semaphores.hpp"
#include "graphs/executable_uses.hpp"
#include "pycuda/graphs/executable_graph.hpp"
#include "pycuda/graphs/graph.hpp"

namespace pycuda {
namespace {

CUDA_EXT_SEM_SIGNAL_NODE_PARAMS parameters_of_node(DescribedSignals& signals) {
    return {signals.handles.data(), signals.parameters.data(), signals.count()};
}

CUDA_EXT_SEM_WAIT_NODE_PARAMS parameters_of_node(DescribedWaits& waits) {
    return {waits.handles.data(), waits.parameters.data(), waits.count()};
}

/// Adds or changes a node by `change`, which gets its parameters; `objects` keep the semaphores. `rule`: for messages.
template <class Described, class Call, class Change>
void with_semaphores(const Call& call, const SemaphoreValues& semaphores, GraphResources& objects, const char* rule,
                     Change&& change) {
    const auto described = std::make_shared<Described>(semaphores);
    objects.keep(described);
    const auto parameters = parameters_of_node(*described);
    if (const CUresult result = change(parameters)) call.fail(result, semaphores_text(described->count()) + rule);
}

constexpr const char* other_kind = "only a node that signals semaphores or waits for them has semaphores";

}  // namespace

GraphNode Graph::add_semaphore_signals(const SemaphoreValues& semaphores, const Nodes& after) {
    const auto first = handles(after);
    const auto graph = use();
    const ContextScope scope(*context());
    CUgraphNode node = nullptr;
    const auto& add = driver().cuGraphAddExternalSemaphoresSignalNode;
    auto resources = std::make_shared<GraphResources>();
    with_semaphores<DescribedSignals>(add, semaphores, *resources, "", [&](const auto& parameters) {
        return add.try_call(&node, graph, first.data(), first.size(), &parameters);
    });
    replace(node, std::move(resources));
    return made(node);
}

GraphNode Graph::add_semaphore_waits(const SemaphoreValues& semaphores, const Nodes& after) {
    const auto first = handles(after);
    const auto graph = use();
    const ContextScope scope(*context());
    CUgraphNode node = nullptr;
    const auto& add = driver().cuGraphAddExternalSemaphoresWaitNode;
    auto resources = std::make_shared<GraphResources>();
    with_semaphores<DescribedWaits>(add, semaphores, *resources, "", [&](const auto& parameters) {
        return add.try_call(&node, graph, first.data(), first.size(), &parameters);
    });
    replace(node, std::move(resources));
    return made(node);
}

void GraphNode::update_semaphores(const SemaphoreValues& semaphores) {
    const auto graph = graph_->use();
    const GraphNodeKind its_kind = kind();
    const auto set = [&]<class Described>(const auto& call) {
        auto resources = std::make_shared<GraphResources>();
        with_semaphores<Described>(call, semaphores, *resources, "",
                                   [&](const auto& parameters) { return call.try_call(handle(), &parameters); });
        graph_->replace(node_, std::move(resources));
    };
    if (its_kind == GraphNodeKind::EXT_SEMAS_SIGNAL)
        set.template operator()<DescribedSignals>(driver().cuGraphExternalSemaphoresSignalNodeSetParams);
    else if (its_kind == GraphNodeKind::EXT_SEMAS_WAIT)
        set.template operator()<DescribedWaits>(driver().cuGraphExternalSemaphoresWaitNodeSetParams);
    else
        throw LogicError("GraphNode", 0, other_kind);
}

void ExecutableGraph::update_semaphores(const GraphNode& node, const SemaphoreValues& semaphores) {
    const CUgraphNode handle = source_->own(node);
    const auto graph = use();
    const GraphNodeKind kind = node.kind();
    const ExecutableUses::Part part{handle, 0};
    const auto set = [&]<class Described>(const auto& call) {
        auto objects = uses_->prepare(part);
        with_semaphores<Described>(call, semaphores, *objects, ": an update keeps their number",
                                   [&](const auto& parameters) { return call.try_call(graph, handle, &parameters); });
        uses_->replace(part, {}, std::move(objects));
    };
    if (kind == GraphNodeKind::EXT_SEMAS_SIGNAL)
        set.template operator()<DescribedSignals>(driver().cuGraphExecExternalSemaphoresSignalNodeSetParams);
    else if (kind == GraphNodeKind::EXT_SEMAS_WAIT)
        set.template operator()<DescribedWaits>(driver().cuGraphExecExternalSemaphoresWaitNodeSetParams);
    else
        throw LogicError("ExecutableGraph", 0, other_kind);
}

}  // namespace pycuda
