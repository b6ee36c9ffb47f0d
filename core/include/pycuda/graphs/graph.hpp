#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pycuda/constants.hpp"
#include "pycuda/device_memory.hpp"
#include "pycuda/event.hpp"
#include "pycuda/function.hpp"
#include "pycuda/graphs/graph_node.hpp"

namespace pycuda {

class ExecutableGraph;
class GraphResources;
class StructuredCopy;

struct GraphTraits {
    using type = CUgraph;
    static constexpr const char* what = "graph";
    static void destroy(CUgraph graph) noexcept;
};

/// Work that is described once, by a capture or node by node, and launched as often as wanted. Memory, kernels, events
/// and functions that its nodes use are kept until the graph, its clones and executable graphs, and their launches are
/// gone, whatever the program does with them. Thread-safe, but for two threads that add nodes at the same time.
class Graph : public std::enable_shared_from_this<Graph> {
public:
    using Nodes = std::vector<GraphNode>;

    /// An empty graph, for the current context (cuGraphCreate).
    Graph();
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    Nodes nodes() const;  ///< in the order in which they were added (cuGraphGetNodes)
    /// The dependencies: a node, and one that waits for it, in turn (cuGraphGetEdges).
    Nodes edge_ends() const;
    /// A copy, with nodes of its own (cuGraphClone).
    std::shared_ptr<Graph> clone();
    /// The node of this clone that `original`, a node of the graph that it was made from, became.
    GraphNode find_in_clone(const GraphNode& original);
    /// A text for Graphviz.
    std::string dot();

    // What these add runs after the nodes `after`, which must be this graph's (LogicError).

    GraphNode add_empty(const Nodes& after);  ///< cuGraphAddEmptyNode
    /// Sets `count` elements of `width` bytes (1, 2 or 4) at `dest` (cuGraphAddMemsetNode).
    GraphNode add_memset(DevicePtr dest, unsigned value, std::size_t count, unsigned width, const Nodes& after);
    /// A copy of a row, a rectangle or a box within one context, as `copy` is now (cuGraphAddMemcpyNode). Its ends are
    /// kept.
    GraphNode add_memcpy(const StructuredCopy& copy, const Nodes& after);
    GraphNode add_mem_alloc(std::size_t size, const Nodes& after);       ///< cuGraphAddMemAllocNode
    GraphNode add_mem_free(DevicePtr address, const Nodes& after);       ///< cuGraphAddMemFreeNode
    GraphNode add_event_record(const Event& event, const Nodes& after);  ///< cuGraphAddEventRecordNode
    GraphNode add_event_wait(const Event& event, const Nodes& after);    ///< cuGraphAddEventWaitNode
    /// A copy of `child`, as it is now (cuGraphAddChildGraphNode).
    GraphNode add_child_graph(std::shared_ptr<Graph> child, const Nodes& after);

    // Conditions: an int32 of device memory that the graph reads when it gets there. Needs a driver of CUDA 12.3; with
    // an else or a switch, of 12.8. Bodies hold kernels, copies, fills, child graphs and conditions.

    /// Runs its body if `condition` is not 0.
    GraphNode add_if(DevicePtr condition, const Nodes& after);
    /// Runs its first body if `condition` is not 0, else the second.
    GraphNode add_if_else(DevicePtr condition, const Nodes& after);
    /// Runs body number `condition`, if there is one.
    GraphNode add_switch(DevicePtr condition, unsigned branches, const Nodes& after);
    /// Runs its body as long as `condition` is not 0: reads it before each turn.
    GraphNode add_while(DevicePtr condition, const Nodes& after);

#ifndef SWIG
    GraphNode add_kernel(const Function& function, const LaunchConfig& config, const void* arguments,
                         std::size_t nbytes, const Nodes& after);
    /// Called by each launch, on a thread of the driver's: it must not call the driver.
    GraphNode add_host_function(std::function<void()> function, const Nodes& after);

    /// The driver's graph for a call, which is over before this object ends.
    class Use {
    public:
        operator CUgraph() const noexcept { return graph_; }

    private:
        friend class Graph;
        Use(Handle<GraphTraits>::Use root, CUgraph graph) : root_(std::move(root)), graph_(graph) {}
        Handle<GraphTraits>::Use root_;
        CUgraph graph_;
    };
    /// LogicError after close, and while it is captured.
    Use use() const;
    /// What its own nodes use.
    const std::shared_ptr<GraphResources>& resources() const noexcept { return resources_; }
    /// The same, and what the graphs use that it has copies of, or is a copy of.
    std::vector<std::shared_ptr<GraphResources>> all_resources() const;
    /// It gets a copy of a graph whose nodes use `resources`.
    void share(const std::vector<std::shared_ptr<GraphResources>>& resources);
    std::shared_ptr<Context> context() const;
    /// An update of `node` makes it use `resources` instead of those of its last one.
    void replace(CUgraphNode node, std::shared_ptr<GraphResources> resources);
    /// LogicError for a node of another graph; else the driver's node.
    CUgraphNode own(const GraphNode& node) const;
    /// Bodies of loops read their condition at their end, wherever that is by now.
    void finish_loops();
    std::vector<std::shared_ptr<Graph>> bodies_of(const GraphNode& node);
    /// What a condition node is, for people; empty for other nodes.
    std::string condition_text(CUgraphNode node) const;

    // For Stream's capture.
    /// A graph that a capture in `context` will give: it has none of the driver before.
    static std::shared_ptr<Graph> of_capture(const std::shared_ptr<Context>& context);
    void capture_begins();
    void capture_ended() noexcept { capturing_ = false; }
    /// The same, of a capture into this graph that became invalid: the outermost graph is closed. NVIDIA's driver
    /// (580) frees what it captured and keeps its address, so that destroying any of it would end the process.
    void capture_into_failed() noexcept;
    /// True when the driver has none for it, or one that is as good as none.
    bool is_new() const;
    /// Makes `graph`, which a capture in `context` gave, the graph.
    void adopt(CUgraph graph, std::shared_ptr<Context> context);
    Use use_captured() const;
#endif

    CUgraph handle() const { return use(); }
    /// Executable graphs that were made from it go on.
    void close() noexcept;

private:
    struct Condition;
    struct OfCapture {};
    explicit Graph(OfCapture);
    Graph(std::shared_ptr<Graph> outermost, CUgraph graph);
    Graph(CUgraph graph, std::shared_ptr<Context> context);
    const Graph& root() const noexcept { return outermost_ ? *outermost_ : *this; }
    Graph& root() noexcept { return outermost_ ? *outermost_ : *this; }
    void take(CUgraph graph, std::shared_ptr<Context> context);
    std::vector<CUgraphNode> handles(const Nodes& after) const;
    std::vector<CUgraphNode> raw_nodes() const;
    GraphNode made(CUgraphNode node) { return GraphNode(shared_from_this(), node); }
    GraphNode add_condition(unsigned type, DevicePtr condition, unsigned branches, const Nodes& after);
    CUgraphNode add_setter(unsigned long long handle, DevicePtr condition, const std::vector<CUgraphNode>& after);
    std::shared_ptr<Graph> inside(CUgraph graph);
    void finish_loop(Condition& condition);
    std::vector<CUgraphNode> leaves() const;

    Handle<GraphTraits> graph_;
    const std::shared_ptr<Graph> outermost_;  ///< of a graph inside of others: it lives in that
    const CUgraph inner_ = nullptr;           ///< the graph inside
    const std::shared_ptr<GraphResources> resources_;
    std::atomic<bool> capturing_{false};
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<GraphResources>> shared_;             ///< the outermost graph's: of copies
    std::map<CUgraphNode, std::shared_ptr<GraphResources>> updated_;  ///< the outermost graph's: of nodes inside too
    std::map<CUgraphNode, std::unique_ptr<Condition>> conditions_;    ///< the outermost graph's, of all inside too
};

}  // namespace pycuda
