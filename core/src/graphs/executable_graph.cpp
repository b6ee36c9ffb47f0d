#include "pycuda/graphs/executable_graph.hpp"

#include <utility>

#include "captures/captures.hpp"
#include "captures/graph_resources.hpp"
#include "captures/repeated_call.hpp"
#include "captures/use_in_graph.hpp"
#include "contexts/interruptible_wait.hpp"
#include "driver/driver_table.hpp"
#include "graphs/executable_uses.hpp"
#include "graphs/graphs_of_context.hpp"
#include "graphs/node_parameters.hpp"
#include "graphs/node_states.hpp"
#include "launching/kernel_node.hpp"
#include "pycuda/streams/stream.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/pending_waits.hpp"

namespace pycuda {
namespace {

/// Why a graph cannot be instantiated, as far as its nodes tell.
std::string why_not(const Graph& graph) {
    if (graph.is_inside_another())
        return "it is the body of a condition or a child graph, which runs with its graph only";
    std::string why;
    if (graph.has(GraphNodeKind::CONDITIONAL) || graph.has(GraphNodeKind::MEM_ALLOC))
        why = "a graph with memory or condition nodes can have only one executable graph at a time";
    if (graph.has(GraphNodeKind::CONDITIONAL))
        why += ", and bodies of conditions only kernels, copies, fills, empty nodes, child graphs and conditions";
    return why;
}

const char* difference(CUgraphExecUpdateResult result) {
    switch (result) {
        case CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED:
            return "has different nodes or edges around it";
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

std::string device_launch_rule() {
    return choose_driver().is_cpu_device
               ? "kernels cannot launch graphs on the CPU device"
               : "the graph may have kernels, copies of device memory, fills and child graphs, all on one device";
}

/// The part of a node that is not a copy (NodeArguments).
constexpr std::size_t whole_part = 0;

/// The node's number and what it does.
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

void ExecutableGraphTraits::destroy(CUgraphExec graph, Context* owner) noexcept {
    const RelaxedCapture relaxed;
    const auto graphs = owner ? owner->attachment_if_any<GraphsOfContext>() : nullptr;
    const auto uses = graphs ? graphs->take(graph) : nullptr;  // the handle may be reused
    const auto destroy = [graph] { driver().cuGraphExecDestroy.clean_up(graph); };
    if (!uses) return destroy();
    if (!uses->has_lost_a_context() && !uses->leave_to_launches(*owner, destroy)) destroy();
    uses->replace({});
}

ExecutableGraph::ExecutableGraph(std::shared_ptr<Graph> graph, const Stream* upload, bool device_launch)
    : source_(graph) {
    graph->finish_loops();
    states_ = std::make_shared<NodeStates>(*graph);
    auto owner = graph->context();
    const ContextScope scope(*owner);
    const RelaxedCapture relaxed;  // captures of other streams are not affected
    CUgraphExec made = nullptr;
    const bool allocates = graph->has(GraphNodeKind::MEM_ALLOC);
    const auto& call = driver().cuGraphInstantiateWithFlags;
    const auto source = graph->use();
    unsigned long long flags = allocates ? CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH : 0;
    if (device_launch) flags |= CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    if (const CUresult result = call.try_call(&made, source, flags)) {
        if (device_launch) call.fail(result, "for launches by kernels: " + device_launch_rule());
        call.fail(result, why_not(*graph));
    }
    graph_ = {made, owner};
    const ExecutableUses::Kinds kinds{graph->has(GraphNodeKind::CONDITIONAL), graph->may_wait()};
    uses_ = std::make_shared<ExecutableUses>(owner, graph->all_resources(), kinds);
    owner->attachment<GraphsOfContext>()->add(made, uses_);
    if (upload) this->upload(upload);
}

Handle<ExecutableGraphTraits>::Use ExecutableGraph::use() const {
    auto graph = graph_.use();
    if (uses_->has_lost_a_context())
        throw LogicError("ExecutableGraph", CUDA_ERROR_CONTEXT_IS_DESTROYED,
                         "a context in which its nodes work has ended");
    return graph;
}

void ExecutableGraph::launch(const Stream* stream) {
    note_long_work();
    const auto queue = use_of(stream);
    if (any_capture_is_open()) [[unlikely]]
        captures::require_none_of(queue, "ExecutableGraph.launch", "add the graph to the captured one as a child");
    uses_->note_launch(stream);
    const auto launch_it = [&] { driver().cuGraphLaunch(use(), queue); };
    uses_->has_waits() ? queue_wait(stream, queue, launch_it) : launch_it();
    uses_->note_launched(queue);
}

void ExecutableGraph::upload(const Stream* stream) {
    driver().cuGraphUpload(use(), use_of(stream));
}

void ExecutableGraph::update(std::shared_ptr<Graph> graph) {
    graph->finish_loops();
    CUgraphExecUpdateResultInfo info{};
    const auto& call = driver().cuGraphExecUpdate;
    const RelaxedCapture relaxed;
    const CUresult result = call.try_call(use(), graph->use(), &info);
    if (result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)
        throw GraphUpdateError(
            call.name(), result,
            (info.errorNode ? name_in(*graph, info.errorNode) : std::string("a node")) + " " + difference(info.result));
    if (result != CUDA_SUCCESS) call.fail(result, "");
    uses_->replace(graph->all_resources());
    // Without another owner of the source, nothing can name its nodes.
    if (source_.use_count() > 1) states_->update(*source_, *graph);
}

// ---- nodes

void ExecutableGraph::set_enabled(const GraphNode& node, bool enabled) {
    const auto& call = driver().cuGraphNodeSetEnabled;
    if (const CUresult result = call.try_call(use(), source_->own(node), enabled))
        call.fail(result, "only kernels, copies and fills can be left out");
}

bool ExecutableGraph::is_enabled(const GraphNode& node) const {
    unsigned enabled = 0;
    driver().cuGraphNodeGetEnabled(use(), source_->own(node), &enabled);
    return enabled != 0;
}

unsigned ExecutableGraph::flags() const {
    cuuint64_t flags = 0;
    driver().cuGraphExecGetFlags(use(), &flags);
    return static_cast<unsigned>(flags);
}

unsigned ExecutableGraph::id() const {
    unsigned number = 0;
    driver().cuGraphExecGetId(use(), &number);
    return number;
}

void ExecutableGraph::update_event(const GraphNode& node, const Event& event) {
    const CUgraphNode handle = source_->own(node);
    const auto graph = use();
    auto objects = uses_->prepare({handle, whole_part});
    event.keep_in(objects);
    const GraphNodeKind kind = node.kind();
    if (kind == GraphNodeKind::EVENT_RECORD)
        driver().cuGraphExecEventRecordNodeSetEvent(graph, handle, event.use());
    else if (kind == GraphNodeKind::WAIT_EVENT)
        driver().cuGraphExecEventWaitNodeSetEvent(graph, handle, event.use());
    else
        throw LogicError("ExecutableGraph", 0, "only a node that records an event or waits for one has an event");
    uses_->replace({handle, whole_part}, {}, std::move(objects));
}

void ExecutableGraph::update_memory_operations(const GraphNode& node, const MemoryOperations& operations) {
    const CUgraphNode handle = source_->own(node);
    const auto graph = use();
    if (node.kind() != GraphNodeKind::BATCH_MEM_OP)
        throw LogicError("ExecutableGraph", 0, "only a node of memory operations can be given others");
    const auto params = operations.for_node(source_->context()->handle());
    auto resources = uses_->prepare({handle, whole_part});
    if (const auto owners = operations.owners()) resources->keep(owners);
    const auto& call = driver().cuGraphExecBatchMemOpNodeSetParams;
    if (const CUresult result = call.try_call(graph, handle, &params))
        call.fail(result, "an update keeps the number of operations, and the kind of each");
    uses_->replace({handle, whole_part}, operations.addresses(), std::move(resources));
}

void ExecutableGraph::update_host_function(const GraphNode& node, std::function<void()> function) {
    const CUgraphNode handle = source_->own(node);
    const auto graph = use();
    if (node.kind() != GraphNodeKind::HOST)
        throw LogicError("ExecutableGraph", 0,
                         "only a node that calls a function of the host can be given another one");
    const auto call = std::make_shared<RepeatedCall>(std::move(function));
    auto objects = uses_->prepare({handle, whole_part});
    objects->keep(call);
    CUDA_HOST_NODE_PARAMS params{RepeatedCall::run, call.get()};
    driver().cuGraphExecHostNodeSetParams(graph, handle, &params);
    uses_->replace({handle, whole_part}, {}, std::move(objects));
}

void ExecutableGraph::update_child_graph(const GraphNode& node, std::shared_ptr<Graph> child) {
    const CUgraphNode handle = source_->own(node);
    const auto graph = use();
    if (node.kind() != GraphNodeKind::GRAPH)
        throw LogicError("ExecutableGraph", 0, "only a node with a child graph can be given another one");
    child->finish_loops();
    auto objects = uses_->prepare({handle, whole_part});
    for (const auto& resources : child->all_resources()) {
        if (resources->works_in_others())
            throw LogicError("ExecutableGraph", CUDA_ERROR_NOT_SUPPORTED,
                             "the child graph works in several contexts: add it to the graph, and instantiate that");
        objects->keep(resources);
    }
    const auto& call = driver().cuGraphExecChildGraphNodeSetParams;
    if (const CUresult result = call.try_call(graph, handle, child->use()))
        call.fail(result, "the child graph must have the same nodes and edges as the one that it replaces");
    uses_->replace({handle, whole_part}, {}, std::move(objects));
}

LaunchConfig ExecutableGraph::config_of(const KernelNode& node) const {
    const auto lock = lock_over_calls(states_->mutex);
    const CUDA_KERNEL_NODE_PARAMS& params = node.params_;
    LaunchConfig config;
    config.grid[0] = params.gridDimX;
    config.grid[1] = params.gridDimY;
    config.grid[2] = params.gridDimZ;
    config.block[0] = params.blockDimX;
    config.block[1] = params.blockDimY;
    config.block[2] = params.blockDimZ;
    config.shared_bytes = params.sharedMemBytes;
    return config;
}

ExecutableGraph::KernelNode& ExecutableGraph::kernel_node(const GraphNode& node) {
    const CUgraphNode handle = source_->own(node);
    const auto lock = lock_over_calls(states_->mutex);
    return states_->kernel(handle);
}

bool ExecutableGraph::update_kernel(KernelNode& node, const LaunchConfig* config, const PackedArguments* arguments) {
    if (config && !config->attributes.empty())
        throw LogicError("ExecutableGraph", 0,
                         "an update can change a kernel's arguments, grid, block and shared memory; attributes of its "
                         "launch are given when the node is added");
    static_cast<void>(source_->handle());  // LogicError after the graph was closed, which destroys the node
    const auto graph = use();
    auto lock = lock_over_calls(states_->mutex);
    states_->require_known();
    if (arguments && arguments->layout != &node.layout()) return false;
    auto objects = arguments ? objects_of_update(node.node_, whole_part) : nullptr;
    if (arguments) node.arguments_.reserve(arguments->nbytes);
    const auto* const block =
        arguments ? static_cast<const unsigned char*>(arguments->data) : states_->arguments(node).data();
    std::size_t nbytes = arguments ? arguments->nbytes : node.arguments_.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<unsigned char*>(block), CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &nbytes, CU_LAUNCH_PARAM_END};
    CUDA_KERNEL_NODE_PARAMS params = node.params_;
    if (config) set_geometry(params, *config);
    if (nbytes != 0) params.extra = extra;
    const auto& call = driver().cuGraphExecKernelNodeSetParams;
    if (const CUresult result = call.try_call(graph, node.node_, &params))
        call.fail(result, "kernel '" + node.layout().kernel + "'");
    params.extra = nullptr;
    node.params_ = params;
    if (!arguments) return true;
    node.arguments_.assign(block, block + nbytes);
    lock.unlock();
    note_update(node.node_, whole_part, std::move(objects));
    return true;
}

void ExecutableGraph::update_memset(const GraphNode& node, DevicePtr dest, unsigned value, std::size_t count,
                                    unsigned width) {
    update_memset(node, {.dest = dest, .value = value, .count = count, .width = width});
}

void ExecutableGraph::update_memset(const GraphNode& node, const FillChanges& changes) {
    const CUgraphNode handle = source_->own(node);
    auto lock = lock_over_calls(states_->mutex);
    CUDA_MEMSET_NODE_PARAMS& state = states_->fill(handle);
    const bool is_box = state.height > 1;
    if (is_box && (changes.count || changes.width))
        throw LogicError("ExecutableGraph", 0, "a fill of several rows keeps its size: give its dest or its value");
    const unsigned present = state.value & (state.elementSize < 4 ? (1u << (8 * state.elementSize)) - 1 : ~0u);
    auto params = fill_parameters(changes.dest.value_or(state.dst), changes.value.value_or(present),
                                  changes.count.value_or(state.width), changes.width.value_or(state.elementSize));
    if (is_box) {
        params.pitch = state.pitch;
        params.height = state.height;
    }
    auto objects = changes.dest ? objects_of_update(handle, whole_part) : nullptr;
    driver().cuGraphExecMemsetNodeSetParams(use(), handle, &params, source_->context()->handle());
    state = params;
    lock.unlock();
    if (changes.dest) note_update(handle, whole_part, std::move(objects));
}

void ExecutableGraph::update_memcpy(const GraphNode& node, const Memcpy3D& copy, std::size_t size) {
    const CUgraphNode handle = source_->own(node);
    const auto lock = lock_over_calls(states_->mutex);
    CUDA_MEMCPY3D params = states_->copy(handle);
    params.WidthInBytes = size;
    const auto arrays_in_use = copy.set_ends(params);
    set_memcpy(handle, copy, params);
}

void ExecutableGraph::update_memcpy(const GraphNode& node, const StructuredCopy& copy) {
    const CUgraphNode handle = source_->own(node);
    const auto lock = lock_over_calls(states_->mutex);
    CUDA_MEMCPY3D params{};
    const auto arrays_in_use = copy.describe(params);
    set_memcpy(handle, copy, params);
}

void ExecutableGraph::set_memcpy(CUgraphNode node, const StructuredCopy& copy, const CUDA_MEMCPY3D& params) {
    CUDA_MEMCPY3D& state = states_->copy(node);
    const CopyEnd* const ends[] = {&copy.destination(), &copy.source()};  // by part
    std::shared_ptr<GraphResources> objects[2];
    for (std::size_t part = 0; part < 2; ++part)
        if (ends[part]->is_set()) objects[part] = objects_of_update(node, part, ends[part]);
    const auto& call = driver().cuGraphExecMemcpyNodeSetParams;
    if (const CUresult result = call.try_call(use(), node, &params, source_->context()->handle()))
        call.fail(result,
                  "an update changes the memory and the size of a copy of one row; its ends stay device memory, "
                  "arrays, or host memory, pageable or page-locked, as they are in the graph; for another copy, update "
                  "the node of the graph, and instantiate that again");
    state = params;
    for (std::size_t part = 0; part < 2; ++part)
        if (ends[part]->is_set()) note_update(node, part, std::move(objects[part]));
}

std::vector<std::string> ExecutableGraph::parameter_texts(const GraphNode& node) const {
    const CUgraphNode handle = source_->own(node);
    const GraphNodeKind kind = node.kind();
    const auto lock = lock_over_calls(states_->mutex);
    if (kind == GraphNodeKind::MEMSET) return texts_of(states_->fill(handle));
    if (kind == GraphNodeKind::MEMCPY) return texts_of(states_->copy(handle));
    return {};
}

std::shared_ptr<GraphResources> ExecutableGraph::objects_of_update(CUgraphNode node, std::size_t part,
                                                                   const CopyEnd* end) {
    NodeArguments* const read = node_arguments();
    const bool keeps_copy_end = end && (end->owner() || end->kind() == CopyEnd::Kind::Host);
    if (!keeps_copy_end && (!read || read->parts[part].owners.empty())) return nullptr;
    auto objects = uses_->prepare({node, part});
    if (keeps_copy_end) keep_copy_end(*end, objects);
    if (read)
        for (const auto& owner : read->parts[part].owners) objects->keep(owner);
    return objects;
}

void ExecutableGraph::note_update(CUgraphNode node, std::size_t part, std::shared_ptr<GraphResources> objects) {
    static const std::vector<std::uint64_t> none;
    const NodeArguments* const read = node_arguments();
    uses_->replace({node, part}, read ? read->parts[part].memory : none, std::move(objects));
}

void begin_node_arguments(std::shared_ptr<Graph> graph) {
    NodeArguments::begin(graph->resources());
}

void begin_updated_arguments() {
    NodeArguments::begin(nullptr);
}

void begin_replaced_arguments() {
    NodeArguments::begin(std::make_shared<GraphResources>());
}

void end_node_arguments() {
    NodeArguments::end();
}

void read_end_of_copy(bool is_source) {
    if (NodeArguments* const node = node_arguments()) node->part = is_source;
}

}  // namespace pycuda
