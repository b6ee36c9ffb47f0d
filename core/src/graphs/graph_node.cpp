#include "pycuda/graphs/graph_node.hpp"

#include <string>

#include "captures/graph_resources.hpp"
#include "captures/used_by_graphs.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/graphs/graph.hpp"

namespace pycuda {
namespace {

/// The nodes that `ask` lists for `node`.
template <class Ask>
std::vector<GraphNode> neighbours(const Ask& ask, const std::shared_ptr<Graph>& graph, CUgraphNode node) {
    std::size_t count = 0;
    ask(node, nullptr, &count);
    std::vector<CUgraphNode> found(count);
    if (count != 0) ask(node, found.data(), &count);
    std::vector<GraphNode> nodes;
    for (const CUgraphNode other : found) nodes.emplace_back(graph, other);
    return nodes;
}

/// The graph keeps the words' memory.
void keep(const MemoryOperations& operations, const std::shared_ptr<GraphResources>& resources) {
    for (const DevicePtr word : operations.addresses()) used_by_graphs::add(word, resources);
    if (const auto owners = operations.owners()) resources->keep(owners);
}

}  // namespace

GraphNode::GraphNode(std::shared_ptr<Graph> graph, CUgraphNode node)
    : graph_(std::move(graph)), node_(node), removals_(graph_->removals()) {}

CUgraphNode GraphNode::handle() const {
    static_cast<void>(graph_->handle());
    return handle_in_capture();
}

CUgraphNode GraphNode::handle_in_capture() const {
    graph_->require_there(node_, removals_);
    return node_;
}

// ---- edges

std::vector<GraphNode> GraphNode::dependencies() const {
    const auto graph = graph_->use();
    return neighbours(driver().cuGraphNodeGetDependencies, graph_, handle());
}

std::vector<GraphNode> GraphNode::dependents() const {
    const auto graph = graph_->use();
    return neighbours(driver().cuGraphNodeGetDependentNodes, graph_, handle());
}

void GraphNode::add_dependency(const GraphNode& node) {
    const auto graph = graph_->use();
    const CUgraphNode from = graph_->own(node), to = graph_->first_of(handle());
    const auto& call = driver().cuGraphAddDependencies;
    if (const CUresult result = call.try_call(graph, &from, &to, 1))
        call.fail(result, "the node waits for that one already, or that one for this one");
}

void GraphNode::remove_dependency(const GraphNode& node) {
    const auto graph = graph_->use();
    const CUgraphNode from = graph_->own(node), to = graph_->first_of(handle());
    const auto& call = driver().cuGraphRemoveDependencies;
    if (const CUresult result = call.try_call(graph, &from, &to, 1))
        call.fail(result, "the node does not wait for that one");
}

void GraphNode::remove() {
    const auto graph = graph_->use();
    const CUgraphNode node = handle();
    if (const auto its_kind = kind(); its_kind == GraphNodeKind::GRAPH || its_kind == GraphNodeKind::CONDITIONAL)
        throw LogicError("GraphNode", 0, "a node with graphs inside cannot be removed: build the graph without it");
    const auto& call = driver().cuGraphDestroyNode;
    if (const CUresult result = call.try_call(node)) call.fail(result, "memory nodes cannot be removed");
    graph_->removed(node);
}

unsigned GraphNode::local_id() const {
    const auto graph = graph_->use();
    unsigned number = 0;
    driver().cuGraphNodeGetLocalId(handle(), &number);
    return number;
}

std::uint64_t GraphNode::tools_id() const {
    const auto graph = graph_->use();
    unsigned long long number = 0;
    driver().cuGraphNodeGetToolsId(handle(), &number);
    return number;
}

// ---- events and memory operations

void GraphNode::update_event(const Event& event) {
    const auto graph = graph_->use();
    const GraphNodeKind its_kind = kind();
    auto resources = std::make_shared<GraphResources>();
    if (its_kind == GraphNodeKind::EVENT_RECORD)
        driver().cuGraphEventRecordNodeSetEvent(handle(), event.use());
    else if (its_kind == GraphNodeKind::WAIT_EVENT)
        driver().cuGraphEventWaitNodeSetEvent(handle(), event.use());
    else
        throw LogicError("GraphNode", 0, "only a node that records an event or waits for one has an event");
    event.keep_in(resources);
    graph_->replace(node_, std::move(resources));
}

GraphNode Graph::add_memory_operations(const MemoryOperations& operations, const Nodes& after) {
    const auto first = handles(after);
    const auto context = this->context();
    const auto params = operations.for_node(context->handle());
    auto resources = std::make_shared<GraphResources>();
    CUgraphNode node = nullptr;
    const auto& call = driver().cuGraphAddBatchMemOpNode;
    if (const CUresult result = call.try_call(&node, use(), first.data(), first.size(), &params))
        call.fail(result, std::to_string(operations.count()) + " operations");
    keep(operations, resources);
    replace(node, std::move(resources));
    return made(node);
}

MemoryOperations GraphNode::get_memory_operations() const {
    const auto graph = graph_->use();
    if (kind() != GraphNodeKind::BATCH_MEM_OP)
        throw LogicError("GraphNode", 0, "only a node of memory operations has them");
    CUDA_BATCH_MEM_OP_NODE_PARAMS params{};
    driver().cuGraphBatchMemOpNodeGetParams(handle(), &params);
    return MemoryOperations({params.paramArray, params.paramArray + params.count});
}

void GraphNode::update_memory_operations(const MemoryOperations& operations) {
    const auto graph = graph_->use();
    if (kind() != GraphNodeKind::BATCH_MEM_OP)
        throw LogicError("GraphNode", 0, "only a node of memory operations can be given others");
    const auto params = operations.for_node(graph_->context()->handle());
    auto resources = std::make_shared<GraphResources>();
    const auto& call = driver().cuGraphBatchMemOpNodeSetParams;
    if (const CUresult result = call.try_call(handle(), &params))
        call.fail(result, std::to_string(operations.count()) + " operations");
    keep(operations, resources);
    graph_->replace(node_, std::move(resources));
}

// ---- attributes of a kernel's launch

void GraphNode::require_kernel() const {
    if (kind() != GraphNodeKind::KERNEL)
        throw LogicError("GraphNode", 0, "only a kernel node has attributes of a launch");
}

CUlaunchAttributeValue GraphNode::attribute(LaunchAttribute attribute) const {
    const auto graph = graph_->use();
    require_kernel();
    CUlaunchAttributeValue value{};
    const auto& ask = driver().cuGraphKernelNodeGetAttribute;
    if (const CUresult result = ask.try_call(handle(), static_cast<CUlaunchAttributeID>(attribute), &value))
        ask.fail(result, "attribute " + std::to_string(static_cast<int>(attribute)));
    return value;
}

void GraphNode::set_attribute(LaunchAttribute attribute, const CUlaunchAttributeValue& value) {
    const auto graph = graph_->use();
    require_kernel();
    const auto& set = driver().cuGraphKernelNodeSetAttribute;
    if (const CUresult result = set.try_call(handle(), static_cast<CUlaunchAttributeID>(attribute), &value))
        set.fail(result, "attribute " + std::to_string(static_cast<int>(attribute)));
}

void GraphNode::copy_attributes(const GraphNode& source) {
    const auto graph = graph_->use();
    const auto other = source.graph_->use();
    require_kernel();
    source.require_kernel();
    driver().cuGraphKernelNodeCopyAttributes(handle(), source.handle());
}

}  // namespace pycuda
