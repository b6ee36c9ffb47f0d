#include "graphs/node_states.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "driver/driver_table.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {
namespace {

CUgraphNodeType type_of(CUgraphNode node) {
    CUgraphNodeType type{};
    driver().cuGraphNodeGetType(node, &type);
    return type;
}

/// Nodes in the order in which they were added, with their kinds and edges.
struct Shape {
    std::vector<CUgraphNode> nodes;
    std::vector<CUgraphNodeType> types;
    std::vector<std::pair<std::size_t, std::size_t>> edges;

    /// The first `count` nodes: the program may have added others since.
    Shape(const Graph& graph, std::size_t count) {
        std::unordered_map<CUgraphNode, std::size_t> number;
        const auto all = graph.nodes();
        for (std::size_t n = 0; n < std::min(count, all.size()); ++n) {
            nodes.push_back(all[n].handle());
            types.push_back(type_of(nodes.back()));
            number[nodes.back()] = n;
        }
        const auto ends = graph.edge_ends();
        for (std::size_t n = 0; n + 1 < ends.size(); n += 2) {
            const auto from = number.find(ends[n].handle()), to = number.find(ends[n + 1].handle());
            if (from != number.end() && to != number.end()) edges.emplace_back(from->second, to->second);
        }
        std::sort(edges.begin(), edges.end());
    }
    bool operator==(const Shape& other) const { return types == other.types && edges == other.edges; }
};

bool are_equal(const ParameterLayout& one, const ParameterLayout& other) {
    return one.kernel == other.kernel && one.known == other.known && one.total == other.total &&
           std::equal(one.parameters.begin(), one.parameters.end(), other.parameters.begin(), other.parameters.end(),
                      [](const KernelParameter& a, const KernelParameter& b) {
                          return a.offset == b.offset && a.size == b.size;
                      });
}

/// The arguments that the driver returns with a node, as one block; empty if their sizes are unknown.
std::vector<unsigned char> block_of(const CUDA_KERNEL_NODE_PARAMS& params, const ParameterLayout& layout) {
    if (params.kernelParams) {
        std::vector<unsigned char> block(layout.known ? layout.total : 0);
        for (std::size_t n = 0; !block.empty() && n < layout.parameters.size(); ++n)
            std::memcpy(block.data() + layout.parameters[n].offset, params.kernelParams[n], layout.parameters[n].size);
        return block;
    }
    const void* start = nullptr;
    std::size_t size = 0;
    for (void** option = params.extra; option && *option != CU_LAUNCH_PARAM_END; option += 2) {
        if (*option == CU_LAUNCH_PARAM_BUFFER_POINTER) start = option[1];
        if (*option == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *static_cast<const std::size_t*>(option[1]);
    }
    const auto* const bytes = static_cast<const unsigned char*>(start);
    return bytes ? std::vector<unsigned char>(bytes, bytes + size) : std::vector<unsigned char>();
}

}  // namespace

ExecutableGraph::NodeStates::NodeStates(const Graph& source) {
    for (const GraphNode& node : source.nodes()) {
        if (node.kind() != GraphNodeKind::MEMCPY) continue;
        const auto& call = driver().cuGraphMemcpyNodeGetParams;
        CUDA_MEMCPY3D params{};
        const CUresult result = call.try_call(node.handle(), &params);
        if (result == CUDA_SUCCESS)
            copies_[node.handle()] = params;
        else if (result != CUDA_ERROR_INVALID_VALUE && result != CUDA_ERROR_NOT_SUPPORTED)
            call.fail(result, "");
        // Otherwise the driver does not describe it: an update that starts from its state raises this.
    }
}

void ExecutableGraph::NodeStates::update(const Graph& source, const Graph& other) noexcept {
    const auto lock = lock_over_calls(mutex);
    is_unknown_ = true;
    try {
        const Shape now(other, static_cast<std::size_t>(-1));
        const Shape before(source, now.nodes.size());
        if (!(before == now)) return;
        for (std::size_t n = 0; n < now.nodes.size(); ++n) take(before.nodes[n], now.nodes[n]);
        is_unknown_ = false;
    } catch (const std::exception&) {
        // Out of memory, a driver call failed, or one of the graphs was closed meanwhile: require_known raises it.
    }
}

void ExecutableGraph::NodeStates::take(CUgraphNode node, CUgraphNode from) {
    switch (type_of(from)) {
        case CU_GRAPH_NODE_TYPE_KERNEL:
            return take_kernel(node, from);
        case CU_GRAPH_NODE_TYPE_MEMSET: {
            CUDA_MEMSET_NODE_PARAMS params{};
            driver().cuGraphMemsetNodeGetParams(from, &params);
            fills_[node] = params;
            return;
        }
        case CU_GRAPH_NODE_TYPE_MEMCPY: {
            CUDA_MEMCPY3D params{};
            driver().cuGraphMemcpyNodeGetParams(from, &params);
            copies_[node] = params;
            return;
        }
        default:
            return;
    }
}

void ExecutableGraph::NodeStates::take_kernel(CUgraphNode node, CUgraphNode from) {
    CUDA_KERNEL_NODE_PARAMS params{};
    driver().cuGraphKernelNodeGetParams(from, &params);
    const ParameterLayout* const known = layout(params.func);
    auto arguments = block_of(params, *known);
    params.kernelParams = nullptr;
    params.extra = nullptr;
    KernelNode& kernel = kernels_[node];
    kernel.node_ = node;
    kernel.params_ = params;
    kernel.arguments_ = std::move(arguments);
    kernel.layout_ = known;
}

const ParameterLayout* ExecutableGraph::NodeStates::layout(CUfunction function) {
    ParameterLayout made = parameter_layout(function);
    for (const ParameterLayout& known : layouts_)
        if (are_equal(known, made)) return &known;
    return &layouts_.emplace_back(std::move(made));
}

void ExecutableGraph::NodeStates::require_known() const {
    if (is_unknown_)
        throw LogicError("ExecutableGraph", 0,
                         "the executable graph was updated from a graph whose nodes were added in another order, or "
                         "could not be read, so that its nodes cannot be found there: update the whole graph instead");
}

template <class State>
State& ExecutableGraph::NodeStates::state(std::map<CUgraphNode, State>& known, CUgraphNode node, CUgraphNodeType type,
                                          const char* only) {
    require_known();
    if (const auto found = known.find(node); found != known.end()) return found->second;
    if (type_of(node) != type) throw LogicError("ExecutableGraph", 0, only);
    take(node, node);
    return known.at(node);
}

ExecutableGraph::KernelNode& ExecutableGraph::NodeStates::kernel(CUgraphNode node) {
    return state(kernels_, node, CU_GRAPH_NODE_TYPE_KERNEL, "only a kernel node has arguments");
}

CUDA_MEMSET_NODE_PARAMS& ExecutableGraph::NodeStates::fill(CUgraphNode node) {
    return state(fills_, node, CU_GRAPH_NODE_TYPE_MEMSET, "only a fill has a value");
}

CUDA_MEMCPY3D& ExecutableGraph::NodeStates::copy(CUgraphNode node) {
    return state(copies_, node, CU_GRAPH_NODE_TYPE_MEMCPY, "only a copy has a source");
}

const std::vector<unsigned char>& ExecutableGraph::NodeStates::arguments(KernelNode& node) {
    if (node.arguments_.empty() && !(node.layout().known && node.layout().parameters.empty()))
        throw LogicError("ExecutableGraph", 0,
                         "this driver does not report the arguments of kernel '" + node.layout().kernel +
                             "': give them with the update");
    return node.arguments_;
}

}  // namespace pycuda
