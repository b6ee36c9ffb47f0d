#pragma once

#include <cuda.h>

#include <memory>
#include <string>
#include <vector>

#include "pycuda/constants.hpp"
#include "pycuda/device_memory.hpp"

namespace pycuda {

class Graph;
class StructuredCopy;

/// One piece of work in a graph, which it keeps alive.
class GraphNode {
public:
    GraphNode(std::shared_ptr<Graph> graph, CUgraphNode node) : graph_(std::move(graph)), node_(node) {}

    GraphNodeKind kind() const;  ///< cuGraphNodeGetType
    /// The graph that it is in.
    const std::shared_ptr<Graph>& graph() const noexcept { return graph_; }
    /// What it does: names, each followed by its value. Numbers are decimal, with commas where there are several.
    std::vector<std::string> parameter_texts() const;
    /// The graphs inside: of a child graph node one, of a conditional node its bodies.
    std::vector<std::shared_ptr<Graph>> bodies() const;
    /// The memory that an allocation node gives. LogicError for another kind of node.
    DevicePtr allocated() const;

    /// Makes a copy another one, of any shape, for executable graphs that are made or updated from the graph later
    /// (cuGraphMemcpyNodeSetParams). LogicError for another kind of node.
    void update_memcpy(const StructuredCopy& copy);

    /// The driver's. LogicError after the graph's close.
    CUgraphNode handle() const;
    bool operator==(const GraphNode& other) const noexcept { return node_ == other.node_ && graph_ == other.graph_; }

private:
    std::shared_ptr<Graph> graph_;
    CUgraphNode node_;
};

}  // namespace pycuda
