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

#include "pycuda/constants/constants.hpp"
#include "pycuda/graphs/graph_node.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/streams/event.hpp"

namespace pycuda {

class ExecutableGraph;
class GraphResources;
class SemaphoreValues;
class StructuredCopy;

struct GraphTraits {
    using type = CUgraph;
    static constexpr const char* what = "graph";
    /// After the memory that its nodes allocate.
    static void destroy(CUgraph graph, Context* owner) noexcept;
};

/// Work that is described once, by a capture or node by node, and launched any number of times. Memory, kernels, events
/// and functions that its nodes use are kept until the graph, its clones and executable graphs, and their launches have
/// ended, even if the program frees or closes them. Thread-safe, except that only one thread at a time may add nodes.
class Graph : public std::enable_shared_from_this<Graph> {
public:
    using Nodes = std::vector<GraphNode>;

    /// An empty graph, for the current context (cuGraphCreate).
    Graph();
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    Nodes nodes() const;  ///< in the order in which they were added (cuGraphGetNodes)
    /// The edges, as pairs of nodes: each node is followed by one that waits for it (cuGraphGetEdges).
    Nodes edge_ends() const;
    /// The nodes that wait for no other (cuGraphGetRootNodes).
    Nodes roots() const;
    /// A number that no other graph of the process has (cuGraphGetId). Needs a driver of CUDA 13.1.
    unsigned id() const;
    /// Writes the driver's own description to a file, for Graphviz (cuGraphDebugDotPrint). `flags`:
    /// graph_debug_dot_flags. RuntimeError if the file cannot be written.
    void write_debug_dot(const std::string& path, unsigned flags = 0);
    /// A copy, with its own nodes (cuGraphClone).
    std::shared_ptr<Graph> clone();
    /// This clone's copy of `original`, a node of the graph that was cloned.
    GraphNode find_in_clone(const GraphNode& original);
    /// A text for Graphviz.
    std::string dot();

    // Nodes that these add run after the nodes `after`, which must belong to this graph (LogicError).

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
    /// Writes of words, and waits for them (cuGraphAddBatchMemOpNode). Needs a driver of CUDA 11.7.
    GraphNode add_memory_operations(const MemoryOperations& operations, const Nodes& after);
    /// Signals semaphores of other interfaces (cuGraphAddExternalSemaphoresSignalNode). They are kept.
    GraphNode add_semaphore_signals(const SemaphoreValues& semaphores, const Nodes& after);
    /// Waits for all of them (cuGraphAddExternalSemaphoresWaitNode).
    GraphNode add_semaphore_waits(const SemaphoreValues& semaphores, const Nodes& after);
    /// Adds a copy of `child` in its present state (cuGraphAddChildGraphNode).
    GraphNode add_child_graph(std::shared_ptr<Graph> child, const Nodes& after);

    // Conditions: an int32 in device memory that the graph reads when it reaches the node. Needs a driver of CUDA 12.3;
    // with an else or a switch, of 12.8. Bodies hold kernels, copies, fills, child graphs and conditions.

    /// Runs its body if `condition` is not 0.
    GraphNode add_if(DevicePtr condition, const Nodes& after);
    /// Runs its first body if `condition` is not 0, else the second.
    GraphNode add_if_else(DevicePtr condition, const Nodes& after);
    /// Runs body number `condition`, if there is one. `branches`: how many, 1 to 65,536; else std::invalid_argument.
    GraphNode add_switch(DevicePtr condition, unsigned branches, const Nodes& after);
    /// Runs its body while `condition` is not 0, which is read before each iteration.
    GraphNode add_while(DevicePtr condition, const Nodes& after);

#ifndef SWIG
    GraphNode add_kernel(const Function& function, const LaunchConfig& config, const void* arguments,
                         std::size_t nbytes, const Nodes& after);
    /// Each launch calls it on a driver thread, where it must not call the driver.
    GraphNode add_host_function(std::function<void()> function, const Nodes& after);

    /// The driver's graph during a call. It keeps what the nodes use, too, even if the graph is closed meanwhile.
    class Use {
    public:
        operator CUgraph() const noexcept { return graph_; }

    private:
        friend class Graph;
        Use(Handle<GraphTraits>::Use root, CUgraph graph, std::shared_ptr<GraphResources> resources)
            : root_(std::move(root)), graph_(graph), resources_(std::move(resources)) {}
        Handle<GraphTraits>::Use root_;
        CUgraph graph_;
        std::shared_ptr<GraphResources> resources_;
    };
    /// LogicError after close, and while it is captured.
    Use use() const;
    /// Whether it has a node of this kind, not counting graphs inside.
    bool has(GraphNodeKind kind) const;
#ifndef SWIG
    /// Whether it may wait for words or semaphores, also in child graphs.
    bool may_wait() const;
#endif
    /// True for the body of a condition and the graph inside a child graph node.
    bool is_inside_another() const noexcept { return inner_; }
    /// The resources of its own nodes.
    const std::shared_ptr<GraphResources>& resources() const noexcept { return resources_; }
    /// The same, and the resources of graphs that it has copies of, or is a copy of.
    std::vector<std::shared_ptr<GraphResources>> all_resources() const;
    /// Record that it gets a copy of a graph whose nodes use `resources`.
    void share(const std::vector<std::shared_ptr<GraphResources>>& resources);
    std::shared_ptr<Context> context() const;
    /// From now on `node` uses `resources`, instead of what it used before an update.
    void replace(CUgraphNode node, std::shared_ptr<GraphResources> resources);
    /// The driver's node; LogicError for a node of another graph.
    CUgraphNode own(const GraphNode& node) const;
    /// The node that must wait for what `node` waits for: of a condition the kernel that reads its int32.
    CUgraphNode first_of(CUgraphNode node) const;
    /// How many nodes have been removed from it and the graphs inside.
    std::uint64_t removals() const noexcept { return root().removals_.load(std::memory_order_acquire); }
    /// LogicError if `node`, which was read when `removals` nodes had been removed, is one of the removed ones by now.
    void require_there(CUgraphNode node, std::uint64_t removals) const;
    /// Record that the driver has removed `node`, and release what it used.
    void removed(CUgraphNode node);
    /// Let the current last nodes of loop bodies read the condition.
    void finish_loops();
    std::vector<std::shared_ptr<Graph>> bodies_of(const GraphNode& node);
    /// A description of a condition node; empty for other nodes.
    std::string condition_text(CUgraphNode node) const;

    // For Stream's capture.
    /// A graph that a capture in `context` will fill; it has no driver's graph until then.
    static std::shared_ptr<Graph> of_capture(const std::shared_ptr<Context>& context);
    void capture_begins();
    void capture_ended() noexcept { capturing_ = false; }
    /// The same, after a capture into this graph became invalid: the outermost graph is closed. NVIDIA's driver
    /// (580) frees what it captured but keeps its address, so destroying any of it would crash the process.
    void capture_into_failed() noexcept;
    /// True if the driver has no graph for it, or an unusable one.
    bool is_new() const;
    /// Take over `graph`, the result of a capture in `context`.
    void adopt(CUgraph graph, std::shared_ptr<Context> context);
    Use use_captured() const;
    /// Call this when nodes that allocate memory were added: the driver's graph then outlives that.
    void note_memory();
#endif

    CUgraph handle() const;  ///< LogicError as by use()
    /// Executable graphs of it stay usable.
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
    void require_not_captured() const;
    std::vector<CUgraphNode> handles(const Nodes& after) const;
    std::vector<CUgraphNode> raw_nodes() const;
    GraphNode made(CUgraphNode node) { return GraphNode(shared_from_this(), node); }
    GraphNode add_condition(unsigned type, DevicePtr condition, unsigned branches, const Nodes& after);
    CUgraphNode add_setter(unsigned long long handle, DevicePtr condition, const std::vector<CUgraphNode>& after);
    std::shared_ptr<Graph> inside(CUgraph graph);
    void finish_loop(Condition& condition);
    std::vector<CUgraphNode> leaves() const;
    /// True for the body of a condition.
    bool is_body() const;

    Handle<GraphTraits> graph_;
    const std::shared_ptr<Graph> outermost_;  ///< for a graph inside another: the outermost one, which contains it
    const CUgraph inner_ = nullptr;           ///< the graph inside
    const std::shared_ptr<GraphResources> resources_;
    std::atomic<bool> capturing_{false};
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<GraphResources>> shared_;              ///< of the outermost graph: resources of copies
    std::map<CUgraphNode, std::shared_ptr<GraphResources>> of_nodes_;  ///< the outermost graph's: of copies inside too
    std::atomic<std::uint64_t> removals_{0};                           ///< of the outermost graph
    std::map<CUgraphNode, std::uint64_t>
        removed_nodes_;  ///< its removed nodes, and their places in the order of removals
    std::map<CUgraphNode, std::unique_ptr<Condition>> conditions_;  ///< of the outermost graph: those of all inside too
};

}  // namespace pycuda
