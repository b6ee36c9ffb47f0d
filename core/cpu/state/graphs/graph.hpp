#pragma once

#include "state/graphs/content.hpp"
#include "state/graphs/user_object.hpp"
#include "state/registry.hpp"

#include <cuda.h>

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace cpu::state::graphs {

class Condition;
class Node;

/// Held while graphs and captures are read or changed: one lock for all, since an edge may lead anywhere. Destructors
/// of contents never take it.
std::mutex& structure_mutex() noexcept;

struct Edge {
    Node* node = nullptr;
    CUgraphEdgeData data{};
};

/// Throws CUDA_ERROR_INVALID_VALUE for data that no edge can have.
void check_edge(const CUgraphEdgeData& data, CUgraphNodeType from, CUgraphNodeType to);
bool is_default(const CUgraphEdgeData& data) noexcept;

class Node {
public:
    Node(Graph& graph, std::shared_ptr<const Content> content, CUgraphNode origin);

    CUgraphNode handle() const noexcept { return handle_; }
    Graph& graph() const noexcept { return *graph_; }
    const Content& content() const noexcept { return *content_; }
    const std::shared_ptr<const Content>& shared_content() const noexcept { return content_; }
    CUgraphNodeType type() const noexcept { return content_->type(); }
    /// In the order in which they were added.
    const std::vector<Edge>& dependencies() const noexcept { return dependencies_; }
    const std::vector<Edge>& dependents() const noexcept { return dependents_; }
    /// The node of which this is a clone.
    CUgraphNode origin() const noexcept { return origin_; }
    std::size_t position = 0;  ///< a number for the algorithm that is at work
    std::size_t step = 0;      ///< in the plan of an executable graph

private:
    friend class Graph;
    CUgraphNode handle_;
    Graph* graph_;
    std::shared_ptr<const Content> content_;
    CUgraphNode origin_;
    std::vector<Edge> dependencies_;
    std::vector<Edge> dependents_;
};

/// Nodes and the order between them. structure_mutex() is held during all calls.
class Graph : public std::enable_shared_from_this<Graph> {
public:
    Graph();

    CUgraph handle() const noexcept { return handle_; }
    /// In the order in which they were added.
    const std::vector<std::shared_ptr<Node>>& nodes() const noexcept { return nodes_; }
    /// Owned by a node of another graph.
    bool embedded = false;
    /// A conditional node chooses whether it runs.
    bool conditional = false;
    /// A capture adds to it, so that it cannot end or be instantiated.
    bool capturing = false;
    /// Those made for nodes of this graph or of graphs in it.
    std::vector<std::shared_ptr<Condition>> conditions;
    UserObjects users;
    /// Alive: an executable graph of a graph that can have one only.
    std::weak_ptr<const void> only_executable;

    /// Throws CUDA_ERROR_INVALID_VALUE when a dependency is of another graph or named twice, and
    /// CUDA_ERROR_OUT_OF_MEMORY when graphs in graphs become too deep.
    Node& add(std::shared_ptr<const Content> content, std::span<const Edge> dependencies, CUgraphNode origin = nullptr);
    void remove(Node& node);
    void set_content(Node& node, std::shared_ptr<const Content> content);
    /// Throws CUDA_ERROR_INVALID_VALUE when one is there already, leads to the same node or out of the graph.
    void connect(Node& from, Node& to, const CUgraphEdgeData& data);
    /// Without data, an edge with any data. Throws CUDA_ERROR_INVALID_VALUE when there is no such edge.
    void disconnect(Node& from, Node& to, const CUgraphEdgeData* data);

    std::shared_ptr<Graph> clone() const;
    /// The copy that an executable graph works with.
    std::shared_ptr<Graph> instantiate() const;
    /// In an order that no edge is against. Throws CUDA_ERROR_INVALID_VALUE when there is a cycle.
    std::vector<Node*> in_order() const;
    /// Whether it is this, or a node embeds it, at any depth.
    bool contains(const Graph& graph) const;
    /// Whether this, or a graph that a node embeds, has a node of the type.
    bool has(CUgraphNodeType type) const;
    /// The program's objects that this and the graphs in it keep.
    std::vector<std::shared_ptr<UserObject>> all_users() const;
    /// Keeps none any more, nor do the graphs in it.
    void forget_users();
    /// What cannot be twice: memory and conditions have one address.
    bool is_unique() const { return is_append_only() || has(CU_GRAPH_NODE_TYPE_CONDITIONAL); }
    /// Throws CUDA_ERROR_INVALID_VALUE when a conditional node's graph has a node that it cannot have.
    void check_bodies() const;
    /// Whether nodes and edges may only be added: the graph allocates or frees.
    bool is_append_only() const { return has(CU_GRAPH_NODE_TYPE_MEM_ALLOC) || has(CU_GRAPH_NODE_TYPE_MEM_FREE); }

    /// Gives its handle and those of all that is in it to the program.
    void publish();
    /// Takes them back.
    void retract();

private:
    /// Graphs in graphs, below this one.
    std::size_t depth() const;
    void set_level(std::size_t level);

    template <class Copy>
    std::shared_ptr<Graph> copy(Copy copy_content) const;

    CUgraph handle_;
    bool published_ = false;
    std::size_t level_ = 0;  ///< how many graphs this one is in
    std::vector<std::shared_ptr<Node>> nodes_;
};

inline Registry<Graph, CUgraph>& all_graphs() {
    return registry<Graph, CUgraph>();
}
inline Registry<Node, CUgraphNode>& all_nodes() {
    return registry<Node, CUgraphNode>();
}
/// Throw CUDA_ERROR_INVALID_VALUE.
inline std::shared_ptr<Graph> graph_of(CUgraph handle) {
    return all_graphs().get(handle, CUDA_ERROR_INVALID_VALUE);
}
inline std::shared_ptr<Node> node_of(CUgraphNode handle) {
    return all_nodes().get(handle, CUDA_ERROR_INVALID_VALUE);
}

}  // namespace cpu::state::graphs
