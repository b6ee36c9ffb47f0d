#include "graphs/conditions.hpp"

#include <algorithm>
#include <string>

#include "driver/driver_table.hpp"
#include "pycuda/gpuarray/kernels.hpp"

namespace pycuda {
namespace {

/// Each branch is a graph in host memory: for 2^31 of them, a driver uses all of it, and the process is killed.
constexpr unsigned max_branches = 1u << 16;

/// A kernel that passes the program's int32 to the driver, because conditions can only be set by kernels.
constexpr const char* setter_text = R"(
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned int value);
extern "C" __global__ void set_condition(unsigned long long handle, const unsigned int* condition)
{
    cudaGraphSetConditional(handle, *condition);
}
)";

CUfunction setter_of(Context& context) {
    using namespace gpuarray;
    const auto kernels = Kernels::of(context);
    const auto source = [] {
        KernelSource made;
        made.name = "set_condition";
        made.text = setter_text;
        return made;
    };
    return kernels->get(KernelFields(Family::Condition), source).function;
}

const char* name_of(unsigned type, std::size_t branches) {
    if (type == CU_GRAPH_COND_TYPE_WHILE) return "while";
    if (type == CU_GRAPH_COND_TYPE_SWITCH) return "switch";
    return branches == 1 ? "if" : "if-else";
}

}  // namespace

CUgraphNode Graph::add_setter(unsigned long long handle, DevicePtr condition, const std::vector<CUgraphNode>& after) {
    struct Arguments {
        unsigned long long handle;
        DevicePtr condition;
    } arguments{handle, condition};
    std::size_t nbytes = sizeof arguments;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &nbytes,
                     CU_LAUNCH_PARAM_END};
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = setter_of(*context());
    params.gridDimX = params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.extra = extra;
    CUgraphNode node = nullptr;
    driver().cuGraphAddKernelNode(&node, use(), after.data(), after.size(), &params);
    return node;
}

GraphNode Graph::add_condition(unsigned type, DevicePtr condition, unsigned branches, const Nodes& after) {
    if (branches == 0 || branches > max_branches)
        throw std::invalid_argument("a switch has 1 to 65,536 branches; " + std::to_string(branches) + " were given");
    const auto graph = use();
    const auto context = this->context();
    const ContextScope scope(*context);
    auto made = std::make_unique<Condition>();
    made->type = type;
    made->address = condition;
    CUgraphConditionalHandle handle = 0;
    // Handles belong to the outermost graph.
    driver().cuGraphConditionalHandleCreate(&handle, root().use(), context->handle(), 0, 0);
    made->handle = handle;
    const CUgraphNode setter = add_setter(handle, condition, handles(after));
    made->setter = setter;
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.conditional.handle = handle;
    params.conditional.type = static_cast<CUgraphConditionalNodeType>(type);
    params.conditional.size = branches;
    params.conditional.ctx = context->handle();
    CUgraphNode node = nullptr;
    if (const CUresult result = driver().cuGraphAddNode.try_call(&node, graph, &setter, nullptr, 1, &params))
        driver().cuGraphAddNode.fail(result, branches > 1 ? "an else or a switch needs a driver of CUDA 12.8" : "");
    made->bodies.assign(params.conditional.phGraph_out, params.conditional.phGraph_out + branches);
    const std::lock_guard lock(root().mutex_);
    root().conditions_[node] = std::move(made);
    return this->made(node);
}

GraphNode Graph::add_if(DevicePtr condition, const Nodes& after) {
    return add_condition(CU_GRAPH_COND_TYPE_IF, condition, 1, after);
}

GraphNode Graph::add_if_else(DevicePtr condition, const Nodes& after) {
    return add_condition(CU_GRAPH_COND_TYPE_IF, condition, 2, after);
}

GraphNode Graph::add_switch(DevicePtr condition, unsigned branches, const Nodes& after) {
    return add_condition(CU_GRAPH_COND_TYPE_SWITCH, condition, branches, after);
}

GraphNode Graph::add_while(DevicePtr condition, const Nodes& after) {
    return add_condition(CU_GRAPH_COND_TYPE_WHILE, condition, 1, after);
}

std::vector<CUgraphNode> Graph::leaves() const {
    std::vector<CUgraphNode> nodes = raw_nodes();
    const auto graph = use();
    std::size_t count = 0;
    driver().cuGraphGetEdges(graph, nullptr, nullptr, &count);
    std::vector<CUgraphNode> from(count), to(count);
    if (count != 0) driver().cuGraphGetEdges(graph, from.data(), to.data(), &count);
    std::erase_if(nodes, [&from](CUgraphNode node) { return std::find(from.begin(), from.end(), node) != from.end(); });
    return nodes;
}

void Graph::finish_loop(Condition& condition) {
    const auto body = inside(condition.bodies.front());
    const std::vector<CUgraphNode> last = body->leaves();
    if (condition.last_setter && last.size() == 1 && last.front() == condition.last_setter) return;
    condition.last_setter = body->add_setter(condition.handle, condition.address, last);
}

std::shared_ptr<Graph> Graph::inside(CUgraph graph) {
    return std::shared_ptr<Graph>(new Graph(root().shared_from_this(), graph));
}

void Graph::finish_loops() {
    std::vector<Condition*> loops;
    {
        const std::lock_guard lock(root().mutex_);
        for (const auto& [node, condition] : root().conditions_)
            if (condition->type == CU_GRAPH_COND_TYPE_WHILE) loops.push_back(condition.get());
    }
    for (Condition* loop : loops) finish_loop(*loop);
}

std::vector<std::shared_ptr<Graph>> Graph::bodies_of(const GraphNode& node) {
    const CUgraphNode handle = own(node);
    std::vector<CUgraph> graphs;
    if (node.kind() == GraphNodeKind::GRAPH) driver().cuGraphChildGraphNodeGetGraph(handle, &graphs.emplace_back());
    {
        const std::lock_guard lock(root().mutex_);
        if (const auto found = root().conditions_.find(handle); found != root().conditions_.end())
            graphs = found->second->bodies;
    }
    std::vector<std::shared_ptr<Graph>> bodies;
    for (const CUgraph graph : graphs) bodies.push_back(inside(graph));
    return bodies;
}

bool Graph::is_body() const {
    const std::lock_guard lock(root().mutex_);
    const auto has_it = [this](const auto& condition) {
        const auto& bodies = condition.second->bodies;
        return std::find(bodies.begin(), bodies.end(), inner_) != bodies.end();
    };
    return inner_ && std::any_of(root().conditions_.begin(), root().conditions_.end(), has_it);
}

std::string Graph::condition_text(CUgraphNode node) const {
    const std::lock_guard lock(root().mutex_);
    const auto& known = root().conditions_;
    const auto found = known.find(node);
    return found == known.end() ? "" : name_of(found->second->type, found->second->bodies.size());
}

}  // namespace pycuda
