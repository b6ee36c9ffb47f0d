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
/// of contents must never take it.
std::mutex& structure_mutex() noexcept;

struct Edge {
    Node* node = nullptr;
    CUgraphEdgeData data{};
};

/// Throws CUDA_ERROR_INVALID_VALUE for invalid edge data.
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
    /// The node that this is a clone of.
    CUgraphNode origin() const noexcept { return origin_; }
    std::size_t position = 0;  ///< scratch space of the running algorithm
    std::size_t step = 0;      ///< index in the plan of an executable graph

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
    /// True if a node of another graph owns it.
    bool embedded = false;
    /// True if a conditional node decides whether it runs.
    bool conditional = false;
    /// True while a capture adds to it: it cannot be destroyed or instantiated.
    bool capturing = false;
    /// The conditions created for nodes of this graph or of graphs in it.
    std::vector<std::shared_ptr<Condition>> conditions;
    UserObjects users;
    /// The executable graph, while it lives, of a graph that can have only one.
    std::weak_ptr<const void> only_executable;

    /// Throws CUDA_ERROR_INVALID_VALUE if a dependency belongs to another graph or is given twice, and
    /// CUDA_ERROR_OUT_OF_MEMORY if graphs are nested too deeply.
    Node& add(std::shared_ptr<const Content> content, std::span<const Edge> dependencies, CUgraphNode origin = nullptr);
    void remove(Node& node);
    void set_content(Node& node, std::shared_ptr<const Content> content);
    /// Throws CUDA_ERROR_INVALID_VALUE if the edge exists already, leads back to the same node, or leaves the graph.
    void connect(Node& from, Node& to, const CUgraphEdgeData& data);
    /// Without data, removes an edge with any data. Throws CUDA_ERROR_INVALID_VALUE if there is no such edge.
    void disconnect(Node& from, Node& to, const CUgraphEdgeData* data);

    std::shared_ptr<Graph> clone() const;
    /// The copy that an executable graph uses.
    std::shared_ptr<Graph> instantiate() const;
    /// The nodes in topological order. Throws CUDA_ERROR_INVALID_VALUE if there is a cycle.
    std::vector<Node*> in_order() const;
    /// True if `graph` is this one, or a node embeds it, at any depth.
    bool contains(const Graph& graph) const;
    /// True if this graph, or one that a node embeds, has a node of the type.
    bool has(CUgraphNodeType type) const;
    /// The user objects that this graph and the graphs in it keep alive.
    std::vector<std::shared_ptr<UserObject>> all_users() const;
    /// Releases all user objects, also those of the graphs in it.
    void forget_users();
    /// True if it cannot be duplicated: memory and conditions have fixed addresses.
    bool is_unique() const { return is_append_only() || has(CU_GRAPH_NODE_TYPE_CONDITIONAL); }
    /// Throws CUDA_ERROR_INVALID_VALUE if a conditional node's graph has a node of a type that is not permitted there.
    void check_bodies() const;
    /// True if nodes and edges may only be added, because the graph allocates or frees memory.
    bool is_append_only() const { return has(CU_GRAPH_NODE_TYPE_MEM_ALLOC) || has(CU_GRAPH_NODE_TYPE_MEM_FREE); }

    /// Registers its handle, and those of everything in it, for the program.
    void publish();
    /// Unregisters them.
    void retract();

private:
    /// How deep graphs are nested below this one.
    std::size_t depth() const;
    void set_level(std::size_t level);

    template <class Copy>
    std::shared_ptr<Graph> copy(Copy copy_content) const;

    CUgraph handle_;
    bool published_ = false;
    std::size_t level_ = 0;  ///< how many graphs contain this one
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
