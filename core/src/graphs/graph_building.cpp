// Functions that add nodes to a graph.
#include "captures/graph_resources.hpp"
#include "captures/repeated_call.hpp"
#include "captures/use_in_graph.hpp"
#include "captures/used_by_graphs.hpp"
#include "driver/driver_table.hpp"
#include "graphs/node_parameters.hpp"
#include "kernels/launch_text.hpp"
#include "launching/kernel_node.hpp"
#include "memory/graph_memory.hpp"
#include "memory/out_of_memory.hpp"
#include "pycuda/arrays/memcpy_nd.hpp"
#include "pycuda/graphs/graph.hpp"
#include "pycuda/kernels/launch_attributes.hpp"
#include "pycuda/modules/module.hpp"
#include "text/text.hpp"

namespace pycuda {
namespace {

void set_attributes(CUgraphNode node, std::span<const CUlaunchAttribute> attributes,
                    const std::shared_ptr<GraphResources>& resources) {
    for (const CUlaunchAttribute& attribute : attributes) {
        const auto& call = driver().cuGraphKernelNodeSetAttribute;
        if (const CUresult result = call.try_call(node, attribute.id, &attribute.value))
            call.fail(result, launch_attribute_text(attribute.id));
        CUevent event = nullptr;
        if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT) event = attribute.value.programmaticEvent.event;
        if (attribute.id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
            event = attribute.value.launchCompletionEvent.event;
        if (event) used_by_graphs::add(reinterpret_cast<std::uintptr_t>(event), resources);
    }
}

/// Calls put(parameters of the launch); its error, of the driver's `call`, says what was requested.
template <class Call, class Put>
void with_launch(const Call& call, const Function& function, const LaunchConfig& config, const void* arguments,
                 std::size_t nbytes, Put put) {
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(arguments), CU_LAUNCH_PARAM_BUFFER_SIZE, &nbytes,
                     CU_LAUNCH_PARAM_END};
    CUDA_KERNEL_NODE_PARAMS params = kernel_parameters(function.handle(), config);
    if (nbytes != 0) params.extra = extra;
    if (const CUresult result = put(params))
        call.fail(result, launch_text(function.name(), function.handle(), config, nbytes, result));
}

/// The attributes of the launch, and what its node, in a graph of the context `own`, needs.
void keep_launch(CUgraphNode node, const Function& function, const LaunchConfig& config,
                 const std::shared_ptr<Context>& own, const std::shared_ptr<GraphResources>& resources) {
    set_attributes(node, config.attributes, resources);
    function.module()->keep_in(resources);
    if (const auto there = function.module()->context(); there != own) resources->works_in(*there);
}

/// Adds a node, or changes one; an error says what was requested.
template <class Function, class Text, class... Arguments>
void call(const Function& function, Text text, Arguments... arguments) {
    if (const CUresult result = function.try_call(arguments...)) [[unlikely]]
        function.fail(result, text());
}

constexpr const char* bodies_cannot_allocate =
    "the body of a condition cannot allocate or free memory: do that in the graph, before and after the condition";

std::string copy_text(const CUDA_MEMCPY3D& copy) {
    return std::to_string(copy.WidthInBytes) + " bytes x " + std::to_string(copy.Height) + " x " +
           std::to_string(copy.Depth);
}

/// The resources that a copy node uses. Device memory without an owner is an address that the program keeps alive.
std::shared_ptr<GraphResources> resources_of(const StructuredCopy& copy) {
    auto resources = std::make_shared<GraphResources>();
    for (const CopyEnd* const end : copy.ends()) keep_copy_end(*end, resources);
    return resources;
}

/// What an update of a graph's node gives to it: the memory of the arguments that this thread has read for it.
std::shared_ptr<GraphResources> resources_of_update() {
    const NodeArguments* const read = node_arguments();
    return read && read->resources ? read->resources : std::make_shared<GraphResources>();
}

void require_kind(const GraphNode& node, GraphNodeKind wanted, const char* text) {
    if (node.kind() != wanted) throw LogicError("GraphNode", 0, text);
}

}  // namespace

GraphNode Graph::add_empty(const Nodes& after) {
    const auto first = handles(after);
    CUgraphNode node = nullptr;
    driver().cuGraphAddEmptyNode(&node, use(), first.data(), first.size());
    return made(node);
}

GraphNode Graph::add_kernel(const Function& function, const LaunchConfig& config, const void* arguments,
                            std::size_t nbytes, const Nodes& after) {
    const auto first = handles(after);
    const auto graph = use();
    CUgraphNode node = nullptr;
    const auto& call = driver().cuGraphAddKernelNode;
    with_launch(call, function, config, arguments, nbytes, [&](const CUDA_KERNEL_NODE_PARAMS& params) {
        return call.try_call(&node, graph, first.data(), first.size(), &params);
    });
    keep_launch(node, function, config, context(), resources_);
    return made(node);
}

void GraphNode::update_kernel(const Function& function, const LaunchConfig& config, const void* arguments,
                              std::size_t nbytes) {
    const auto graph = graph_->use();
    require_kind(*this, GraphNodeKind::KERNEL, "only a kernel node can be given another launch");
    auto resources = resources_of_update();
    const auto& call = driver().cuGraphKernelNodeSetParams;
    with_launch(call, function, config, arguments, nbytes,
                [&](const CUDA_KERNEL_NODE_PARAMS& params) { return call.try_call(handle(), &params); });
    keep_launch(handle(), function, config, graph_->context(), resources);
    graph_->replace(node_, std::move(resources));
}

GraphNode Graph::add_memset(DevicePtr dest, unsigned value, std::size_t count, unsigned width, const Nodes& after) {
    const auto first = handles(after);
    const auto context = this->context();
    const CUDA_MEMSET_NODE_PARAMS params = fill_parameters(dest, value, count, width);
    CUgraphNode node = nullptr;
    const auto text = [&] { return std::to_string(count) + " elements at " + address_text(dest); };
    call(driver().cuGraphAddMemsetNode, text, &node, CUgraph(use()), first.data(), first.size(), &params,
         context->handle());
    return made(node);
}

void GraphNode::update_memset(DevicePtr dest, unsigned value, std::size_t count, unsigned width) {
    const auto graph = graph_->use();
    require_kind(*this, GraphNodeKind::MEMSET, "only a fill can be changed to another fill");
    const CUDA_MEMSET_NODE_PARAMS params = fill_parameters(dest, value, count, width);
    const auto text = [&] { return std::to_string(count) + " elements at " + address_text(dest); };
    call(driver().cuGraphMemsetNodeSetParams, text, handle(), &params);
    graph_->replace(node_, resources_of_update());
}

GraphNode Graph::add_memcpy(const StructuredCopy& copy, const Nodes& after) {
    const auto first = handles(after);
    const auto context = this->context();
    CUDA_MEMCPY3D params{};
    const auto arrays_in_use = copy.describe(params);
    auto resources = resources_of(copy);
    CUgraphNode node = nullptr;
    call(
        driver().cuGraphAddMemcpyNode, [&] { return copy_text(params); }, &node, CUgraph(use()), first.data(),
        first.size(), &params, context->handle());
    replace(node, std::move(resources));
    return made(node);
}

void GraphNode::update_memcpy(const StructuredCopy& copy) {
    const auto graph = graph_->use();
    require_kind(*this, GraphNodeKind::MEMCPY, "only a copy node can be changed to another copy");
    CUDA_MEMCPY3D params{};
    const auto arrays_in_use = copy.describe(params);
    auto resources = resources_of(copy);
    call(driver().cuGraphMemcpyNodeSetParams, [&] { return copy_text(params); }, node_, &params);
    graph_->replace(node_, std::move(resources));
}

GraphNode Graph::add_mem_alloc(std::size_t size, const Nodes& after) {
    const auto first = handles(after);
    const auto context = this->context();
    const ContextScope scope(*context);
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.poolProps.location.id = Context::get_device().handle();
    params.bytesize = size;
    CUgraphNode node = nullptr;
    const auto text = [&] { return is_body() ? std::string(bodies_cannot_allocate) : asked_for(size); };
    call(driver().cuGraphAddMemAllocNode, text, &node, CUgraph(use()), first.data(), first.size(), &params);
    resources_->part<GraphMemory>(*context)->add(params.dptr);
    note_memory();
    return made(node);
}

GraphNode Graph::add_mem_free(DevicePtr address, const Nodes& after) {
    const auto first = handles(after);
    CUgraphNode node = nullptr;
    const auto text = [&] {
        if (is_body()) return std::string(bodies_cannot_allocate);
        return address_text(address) + ": expected memory that a node before it allocates and no other node frees";
    };
    call(driver().cuGraphAddMemFreeNode, text, &node, CUgraph(use()), first.data(), first.size(), address);
    return made(node);
}

GraphNode Graph::add_event_record(const Event& event, const Nodes& after) {
    const auto first = handles(after);
    CUgraphNode node = nullptr;
    driver().cuGraphAddEventRecordNode(&node, use(), first.data(), first.size(), event.use());
    event.keep_in(resources_);
    return made(node);
}

GraphNode Graph::add_event_wait(const Event& event, const Nodes& after) {
    const auto first = handles(after);
    CUgraphNode node = nullptr;
    driver().cuGraphAddEventWaitNode(&node, use(), first.data(), first.size(), event.use());
    event.keep_in(resources_);
    return made(node);
}

GraphNode Graph::add_child_graph(std::shared_ptr<Graph> child, const Nodes& after) {
    const auto first = handles(after);
    if (&child->root() == &root()) throw LogicError("Graph", 0, "a graph cannot contain itself");
    child->finish_loops();
    CUgraphNode node = nullptr;
    const auto text = [&] {
        return std::string(child->has(GraphNodeKind::CONDITIONAL) ? "the child graph has conditions"
                           : child->has(GraphNodeKind::MEM_ALLOC) ? "the child graph has memory nodes"
                                                                  : "");
    };
    const auto inside = child->use();
    call(driver().cuGraphAddChildGraphNode, text, &node, CUgraph(use()), first.data(), first.size(), CUgraph(inside));
    share(child->all_resources());
    return made(node);
}

GraphNode Graph::add_host_function(std::function<void()> function, const Nodes& after) {
    const auto first = handles(after);
    const auto call = std::make_shared<RepeatedCall>(std::move(function));
    CUDA_HOST_NODE_PARAMS params{};
    params.fn = RepeatedCall::run;
    params.userData = call.get();
    CUgraphNode node = nullptr;
    driver().cuGraphAddHostNode(&node, use(), first.data(), first.size(), &params);
    resources_->keep(call);
    return made(node);
}

void GraphNode::update_host_function(std::function<void()> function) {
    const auto graph = graph_->use();
    require_kind(*this, GraphNodeKind::HOST, "only a node that calls a function of the host can be given another one");
    const auto call = std::make_shared<RepeatedCall>(std::move(function));
    auto resources = std::make_shared<GraphResources>();
    resources->keep(call);
    CUDA_HOST_NODE_PARAMS params{RepeatedCall::run, call.get()};
    driver().cuGraphHostNodeSetParams(handle(), &params);
    graph_->replace(node_, std::move(resources));
}

}  // namespace pycuda
