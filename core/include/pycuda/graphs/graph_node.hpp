#pragma once

#include <cuda.h>

#include <memory>
#include <string>
#include <vector>

#include "pycuda/constants/constants.hpp"
#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

class Graph;
class StructuredCopy;

/// One node of a graph, which it keeps alive.
class GraphNode {
public:
    GraphNode(std::shared_ptr<Graph> graph, CUgraphNode node) : graph_(std::move(graph)), node_(node) {}

    GraphNodeKind kind() const;  ///< cuGraphNodeGetType
    /// Its graph.
    const std::shared_ptr<Graph>& graph() const noexcept { return graph_; }
    /// Its parameters: names, each followed by its value. Numbers are decimal, several are separated by commas.
    std::vector<std::string> parameter_texts() const;
    /// The graphs inside: the child graph, or the bodies of a condition.
    std::vector<std::shared_ptr<Graph>> bodies() const;
    /// The address of an allocation node's memory. LogicError for another kind of node.
    DevicePtr allocated() const;

    /// Makes a copy another one, of any shape, for executable graphs that are made or updated from the graph later
    /// (cuGraphMemcpyNodeSetParams). LogicError for another kind of node.
    void update_memcpy(const StructuredCopy& copy);

    /// The driver's node. LogicError after the graph's close.
    CUgraphNode handle() const;
    bool operator==(const GraphNode& other) const noexcept { return node_ == other.node_ && graph_ == other.graph_; }

private:
    std::shared_ptr<Graph> graph_;
    CUgraphNode node_;
};

}  // namespace pycuda
