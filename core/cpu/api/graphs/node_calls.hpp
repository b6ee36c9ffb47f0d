#pragma once

#include "api/graph_entry.hpp"
#include "state/graphs/executable.hpp"
#include "state/graphs/make_content.hpp"

// Each type of node has a call that adds one, and calls that get and set its parameters, in the graph or in an
// executable graph. All of them are equivalent to cuGraphAddNode and cuGraphNodeSetParams.
namespace cpu::api {

namespace graphs = state::graphs;

inline void tell_results(const CUgraphNodeParams& from, CUgraphNodeParams& to) {
    if (from.type == CU_GRAPH_NODE_TYPE_CONDITIONAL) to.conditional.phGraph_out = from.conditional.phGraph_out;
    if (from.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) to.alloc.dptr = from.alloc.dptr;
}

/// `results` receives the node's parameters, if it has any.
inline CUresult add_node(const char* name, CUgraphNode* out, CUgraph hGraph, const CUgraphNode* dependencies,
                         const CUgraphEdgeData* data, std::size_t count, const CUgraphNodeParams& parameters,
                         CUgraphNodeParams* results = nullptr) {
    return graph_entry(name, [&] {
        require(out != nullptr);
        const auto graph = graphs::graph_of(hGraph);
        const auto edges = edges_to(dependencies, data, count);
        const graphs::Node& made = graph->add(graphs::make_content(parameters, *graph), edges);
        *out = made.handle();
        if (results) tell_results(made.content().parameters(), *results);
    });
}

/// The content of the node, which must have this type.
inline std::shared_ptr<const graphs::Content> content_of(CUgraphNode hNode, CUgraphNodeType type) {
    const auto node = graphs::node_of(hNode);
    require(node->type() == type);
    return node->shared_content();
}

/// Calls put() with the node's parameters.
template <class Put>
CUresult get_parameters(const char* name, CUgraphNode hNode, CUgraphNodeType type, const void* out, Put put) {
    return graph_entry(name, [&] {
        require(out != nullptr);
        put(content_of(hNode, type)->parameters());
    });
}

inline CUresult set_parameters(const char* name, CUgraphNode hNode, const CUgraphNodeParams& parameters) {
    return graph_entry(name, [&] {
        const auto node = graphs::node_of(hNode);
        node->graph().set_content(*node, graphs::changed_content(node->content(), parameters, node->graph()));
    });
}

inline CUresult set_in_executable(const char* name, CUgraphExec hGraphExec, CUgraphNode hNode,
                                  const CUgraphNodeParams& parameters) {
    return graph_entry(name, [&] {
        const auto executable = graphs::executable_of(hGraphExec);
        const auto node = graphs::node_of(hNode);
        if (parameters.type == CU_GRAPH_NODE_TYPE_GRAPH)
            executable->set_child(*node, *graphs::graph_of(parameters.graph.graph));
        else
            executable->set_content(*node,
                                    graphs::changed_content(*executable->content(*node), parameters, node->graph()));
    });
}

}  // namespace cpu::api
