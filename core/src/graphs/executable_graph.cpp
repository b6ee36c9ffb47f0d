#include "pycuda/graphs/executable_graph.hpp"

#include <algorithm>
#include <utility>

#include "deferred_release.hpp"
#include "driver_table.hpp"
#include "graphs/captures.hpp"
#include "graphs/graph_resources.hpp"
#include "graphs/node_parameters.hpp"
#include "stream_order.hpp"
#include "waiting/interruptible_wait.hpp"

namespace pycuda {
namespace {

/// Drops resources once all that is queued in the context by now is over: launches may use them.
class DroppedLater {
public:
    DroppedLater(std::shared_ptr<Context> context, std::vector<std::shared_ptr<GraphResources>> resources)
        : context_(std::move(context)),
          order_(context_->attachment<StreamOrder>()),
          epoch_(order_->epoch()),
          resources_(std::move(resources)) {}
    ~DroppedLater() {
        const CleanupScope scope(*context_);
        if (!scope) return;
        try {
            order_->wait(epoch_);
        } catch (const std::exception&) {
            // A fault: the context's work is over.
        }
    }

private:
    const std::shared_ptr<Context> context_;
    const std::shared_ptr<StreamOrder> order_;
    const std::uint64_t epoch_;
    std::vector<std::shared_ptr<GraphResources>> resources_;
};

void drop_later(const std::shared_ptr<Context>& context, std::vector<std::shared_ptr<GraphResources>> resources) {
    if (!resources.empty() && context) release_later(std::make_shared<DroppedLater>(context, std::move(resources)));
}

bool has(const Graph& graph, GraphNodeKind kind) {
    const auto nodes = graph.nodes();
    return std::any_of(nodes.begin(), nodes.end(), [kind](const GraphNode& node) { return node.kind() == kind; });
}

const char* difference(CUgraphExecUpdateResult result) {
    switch (result) {
        case CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED:
            return "has other nodes or edges around it";
        case CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED:
            return "is of another kind";
        case CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED:
        case CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE:
            return "has another kernel, which cannot take its place";
        case CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED:
            return "has parameters that cannot be changed";
        case CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED:
            return "has launch attributes that cannot be changed";
        case CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED:
            return "is of a kind that cannot be updated";
        default:
            return "cannot be updated";
    }
}

/// The node, by its number and what it does.
std::string name_in(const Graph& graph, CUgraphNode handle) {
    const auto nodes = graph.nodes();
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        if (nodes[k].handle() != handle) continue;
        std::string name = "node " + std::to_string(k);
        const auto texts = nodes[k].parameter_texts();
        for (std::size_t t = 0; t + 1 < texts.size(); t += 2) name += (t ? ", " : " (") + texts[t] + " " + texts[t + 1];
        return texts.empty() ? name : name + ")";
    }
    return "a node inside";
}

}  // namespace

void ExecutableGraphTraits::destroy(CUgraphExec graph) noexcept {
    const RelaxedCapture relaxed;
    driver().cuGraphExecDestroy.clean_up(graph);
}

ExecutableGraph::ExecutableGraph(std::shared_ptr<Graph> graph, const Stream* upload) : source_(graph) {
    graph->finish_loops();
    auto owner = graph->context();
    const ContextScope scope(*owner);
    const RelaxedCapture relaxed;  // of other streams, which this does not disturb
    CUgraphExec made = nullptr;
    const bool allocates = has(*graph, GraphNodeKind::MEM_ALLOC);
    const auto& call = driver().cuGraphInstantiateWithFlags;
    const unsigned long long flags = allocates ? CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH : 0;
    if (const CUresult result = call.try_call(&made, graph->use(), flags))
        call.fail(result, allocates || has(*graph, GraphNodeKind::CONDITIONAL)
                              ? "a graph with memory or conditions has one executable graph at a time"
                              : "");
    graph_ = {made, std::move(owner)};
    if (upload) this->upload(upload);
}

void ExecutableGraph::launch(const Stream* stream) {
    note_long_work();
    driver().cuGraphLaunch(use(), use_of(stream));
}

void ExecutableGraph::upload(const Stream* stream) {
    driver().cuGraphUpload(use(), use_of(stream));
}

void ExecutableGraph::close() noexcept {
    const auto context = graph_.owner();
    if (!graph_.reset()) return;
    const std::lock_guard lock(nodes_->mutex);
    try {
        drop_later(context, std::exchange(nodes_->graphs, {}));
    } catch (const std::bad_alloc&) {
        // They go with this object.
    }
}

void ExecutableGraph::update(std::shared_ptr<Graph> graph) {
    graph->finish_loops();
    const auto given = graph->use();
    CUgraphExecUpdateResultInfo info{};
    const auto& call = driver().cuGraphExecUpdate;
    const RelaxedCapture relaxed;
    const CUresult result = call.try_call(use(), given, &info);
    if (result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)
        throw GraphUpdateError(
            call.name(), result,
            (info.errorNode ? name_in(*graph, info.errorNode) : std::string("a node")) + " " + difference(info.result));
    if (result != CUDA_SUCCESS) call.fail(result, "");
    const auto context = graph_.owner();
    const std::lock_guard lock(nodes_->mutex);
    nodes_->kernels.clear();
    drop_later(context, std::exchange(nodes_->graphs, {graph->resources()}));
}

// ---- nodes

void ExecutableGraph::set_enabled(const GraphNode& node, bool enabled) {
    driver().cuGraphNodeSetEnabled(use(), source_->own(node), enabled);
}

bool ExecutableGraph::is_enabled(const GraphNode& node) const {
    unsigned enabled = 0;
    driver().cuGraphNodeGetEnabled(use(), source_->own(node), &enabled);
    return enabled != 0;
}

const ExecutableGraph::KernelNode& ExecutableGraph::kernel_node(const GraphNode& node) {
    const CUgraphNode handle = source_->own(node);
    const std::lock_guard lock(nodes_->mutex);
    if (const auto found = nodes_->kernels.find(handle); found != nodes_->kernels.end()) return found->second;
    if (node.kind() != GraphNodeKind::KERNEL)
        throw LogicError("ExecutableGraph", 0, "only a kernel node has arguments");
    KernelNode known{};
    driver().cuGraphKernelNodeGetParams(handle, &known.params);
    known.params.kernelParams = nullptr;
    known.params.extra = nullptr;
    known.layout = parameter_layout(known.params.func);
    return nodes_->kernels.emplace(handle, std::move(known)).first->second;
}

void ExecutableGraph::update_kernel(const GraphNode& node, const LaunchConfig* config, const void* arguments,
                                    std::size_t nbytes) {
    const KernelNode& known = kernel_node(node);
    CUDA_KERNEL_NODE_PARAMS params = config ? kernel_parameters(known.params.func, *config) : known.params;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(arguments), CU_LAUNCH_PARAM_BUFFER_SIZE, &nbytes,
                     CU_LAUNCH_PARAM_END};
    if (nbytes != 0) params.extra = extra;
    const CUgraphNode handle = source_->own(node);
    const auto& call = driver().cuGraphExecKernelNodeSetParams;
    if (const CUresult result = call.try_call(use(), handle, &params))
        call.fail(result, "kernel '" + known.layout.kernel + "'");
    note_update(handle);
}

void ExecutableGraph::update_memset(const GraphNode& node, DevicePtr dest, unsigned value, std::size_t count,
                                    unsigned width) {
    const CUgraphNode handle = source_->own(node);
    const CUDA_MEMSET_NODE_PARAMS params = fill_parameters(dest, value, count, width);
    driver().cuGraphExecMemsetNodeSetParams(use(), handle, &params, source_->context()->handle());
    note_update(handle);
}

void ExecutableGraph::update_memcpy_dtod(const GraphNode& node, DevicePtr dest, DevicePtr src, std::size_t size) {
    const CUgraphNode handle = source_->own(node);
    const CUDA_MEMCPY3D params = copy_parameters(dest, src, size);
    driver().cuGraphExecMemcpyNodeSetParams(use(), handle, &params, source_->context()->handle());
    note_update(handle);
}

/// What the node used before is let go of: memory that launches under way still use is given to others after them.
void ExecutableGraph::note_update(CUgraphNode node) {
    auto used = node_arguments();
    if (!used) return;
    const std::lock_guard lock(nodes_->mutex);
    nodes_->used[node].swap(used);
}

}  // namespace pycuda
