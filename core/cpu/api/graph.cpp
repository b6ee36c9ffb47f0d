#include "api/abi.hpp"
#include "api/declarations/newer.hpp"
#include "api/graph_entry.hpp"
#include "platform/process.hpp"

#include "state/graphs/dot.hpp"
#include "state/graphs/graph.hpp"

#include <algorithm>
#include <fstream>
#include <string>

using namespace cpu::api;
using namespace cpu::state;
using namespace cpu::state::graphs;

// Whole graphs, with their nodes and edges.

CUresult cuGraphCreate(CUgraph* phGraph, unsigned int flags) {
    return graph_entry("cuGraphCreate", [&] {
        require(phGraph != nullptr && flags == 0);
        const auto made = std::make_shared<Graph>();
        made->publish();
        *phGraph = made->handle();
    });
}

CUresult cuGraphDestroy(CUgraph hGraph) {
    return graph_entry("cuGraphDestroy", [&] {
        const auto graph = graph_of(hGraph);
        require(!graph->capturing, CUDA_ERROR_ILLEGAL_STATE);
        require(!graph->embedded);
        graph->retract();
    });
}

CUresult cuGraphClone(CUgraph* phGraphClone, CUgraph originalGraph) {
    return graph_entry("cuGraphClone", [&] {
        require(phGraphClone != nullptr);
        const auto made = graph_of(originalGraph)->clone();
        made->publish();
        *phGraphClone = made->handle();
    });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph) {
    return graph_entry("cuGraphNodeFindInClone", [&] {
        require(phNode != nullptr && hOriginalNode != nullptr);
        const auto clone = graph_of(hClonedGraph);
        const auto& nodes = clone->nodes();
        const auto found = std::ranges::find(nodes, hOriginalNode, [](const auto& node) { return node->origin(); });
        require(found != nodes.end());
        *phNode = (*found)->handle();
    });
}

CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char* path, unsigned int flags) {
    std::string text;
    const CUresult result = graph_entry("cuGraphDebugDotPrint", [&] {
        require(path != nullptr);
        text = dot_of(*graph_of(hGraph), flags != 0);
    });
    if (result != CUDA_SUCCESS) return result;
    std::ofstream file(cpu::platform::path_of(path));  // not under the lock, since it may take long
    file << text;
    file.close();
    return file.good() ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

namespace {

/// Writes up to `*room` of `count` results and fills the rest with zeros; `*room` receives the number of results.
template <class Write>
void put_list(bool wanted, std::size_t count, std::size_t* room, Write write) {
    require(room != nullptr);
    if (wanted) {
        for (std::size_t i = 0; i < *room; ++i) write(i, i < count);
        count = std::min(count, *room);
    }
    *room = count;
}

void put_nodes(const std::vector<Node*>& all, CUgraphNode* nodes, size_t* count) {
    put_list(nodes != nullptr, all.size(), count,
             [&](std::size_t i, bool there) { nodes[i] = there ? all[i]->handle() : nullptr; });
}

void check_lossless(const std::vector<Edge>& edges, const CUgraphEdgeData* data) {
    if (data) return;
    require(std::ranges::all_of(edges, [](const Edge& edge) { return is_default(edge.data); }), CUDA_ERROR_LOSSY_QUERY);
}

void put_edges(const std::vector<Edge>& edges, CUgraphNode* nodes, CUgraphEdgeData* data, size_t* count) {
    require(nodes != nullptr || data == nullptr);
    if (nodes) check_lossless(edges, data);
    put_list(nodes != nullptr, edges.size(), count, [&](std::size_t i, bool there) {
        nodes[i] = there ? edges[i].node->handle() : nullptr;
        if (data) data[i] = there ? edges[i].data : CUgraphEdgeData{};
    });
}

}  // namespace

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode* nodes, size_t* numNodes) {
    return graph_entry("cuGraphGetNodes", [&] {
        std::vector<Node*> all;
        for (const auto& node : graph_of(hGraph)->nodes()) all.push_back(node.get());
        put_nodes(all, nodes, numNodes);
    });
}

CUresult cuGraphGetId(CUgraph hGraph, unsigned int* graphId) {
    return graph_entry("cuGraphGetId", [&] {
        graph_of(hGraph);
        put(graphId, reinterpret_cast<std::size_t>(hGraph));
    });
}

CUresult cuGraphNodeGetLocalId(CUgraphNode hNode, unsigned int* nodeId) {
    return graph_entry("cuGraphNodeGetLocalId", [&] {
        node_of(hNode);
        put(nodeId, reinterpret_cast<std::size_t>(hNode));
    });
}

CUresult cuGraphNodeGetToolsId(CUgraphNode hNode, unsigned long long* toolsNodeId) {
    return graph_entry("cuGraphNodeGetToolsId", [&] {
        node_of(hNode);
        put(toolsNodeId, reinterpret_cast<std::size_t>(hNode));
    });
}

CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode* rootNodes, size_t* numRootNodes) {
    return graph_entry("cuGraphGetRootNodes", [&] {
        std::vector<Node*> roots;
        for (const auto& node : graph_of(hGraph)->nodes())
            if (node->dependencies().empty()) roots.push_back(node.get());
        put_nodes(roots, rootNodes, numRootNodes);
    });
}

CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edgeData,
                            size_t* numEdges) {
    return graph_entry("cuGraphGetEdges", [&] {
        const auto graph = graph_of(hGraph);
        require((from != nullptr) == (to != nullptr) && (from != nullptr || edgeData == nullptr));
        std::vector<std::pair<CUgraphNode, Edge>> all;  // an edge, and the node where it starts
        for (const auto& node : graph->nodes()) {
            if (from) check_lossless(node->dependents(), edgeData);
            for (const Edge& edge : node->dependents()) all.emplace_back(node->handle(), edge);
        }
        put_list(from != nullptr, all.size(), numEdges, [&](std::size_t i, bool there) {
            from[i] = there ? all[i].first : nullptr;
            to[i] = there ? all[i].second.node->handle() : nullptr;
            if (edgeData) edgeData[i] = there ? all[i].second.data : CUgraphEdgeData{};
        });
    });
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode* dependencies, CUgraphEdgeData* edgeData,
                                       size_t* numDependencies) {
    return graph_entry("cuGraphNodeGetDependencies",
                       [&] { put_edges(node_of(hNode)->dependencies(), dependencies, edgeData, numDependencies); });
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode* dependentNodes, CUgraphEdgeData* edgeData,
                                         size_t* numDependentNodes) {
    return graph_entry("cuGraphNodeGetDependentNodes",
                       [&] { put_edges(node_of(hNode)->dependents(), dependentNodes, edgeData, numDependentNodes); });
}

namespace {

/// Calls change(graph, from node, to node, data) for each edge that the program gives; data may be null.
template <class Change>
CUresult change_edges(const char* name, CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                      const CUgraphEdgeData* data, size_t count, Change change) {
    return graph_entry(name, [&] {
        const auto graph = graph_of(hGraph);
        require(count == 0 || (from != nullptr && to != nullptr));
        for (std::size_t i = 0; i < count; ++i)
            change(*graph, *node_of(from[i]), *node_of(to[i]), data ? &data[i] : nullptr);
    });
}

}  // namespace

CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* edgeData, size_t numDependencies) {
    return change_edges("cuGraphAddDependencies", hGraph, from, to, edgeData, numDependencies,
                        [](Graph& graph, Node& a, Node& b, const CUgraphEdgeData* data) {
                            graph.connect(a, b, data ? *data : CUgraphEdgeData{});
                        });
}

CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData* edgeData, size_t numDependencies) {
    return change_edges("cuGraphRemoveDependencies", hGraph, from, to, edgeData, numDependencies,
                        [](Graph& graph, Node& a, Node& b, const CUgraphEdgeData* data) {
                            require(!graph.is_append_only(), CUDA_ERROR_NOT_SUPPORTED);
                            graph.disconnect(a, b, data);
                        });
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType* type) {
    return graph_entry("cuGraphNodeGetType", [&] { put(type, node_of(hNode)->type()); });
}

CUresult cuGraphDestroyNode(CUgraphNode hNode) {
    return graph_entry("cuGraphDestroyNode", [&] {
        const auto node = node_of(hNode);
        require(!node->graph().capturing, CUDA_ERROR_ILLEGAL_STATE);
        require(!node->graph().is_append_only(), CUDA_ERROR_NOT_SUPPORTED);
        node->graph().remove(*node);
    });
}
