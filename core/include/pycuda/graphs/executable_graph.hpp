#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pycuda/arrays/memcpy_nd.hpp"
#include "pycuda/graphs/graph.hpp"
#include "pycuda/kernels/function.hpp"

namespace pycuda {

class ExecutableUses;
class Stream;

struct ExecutableGraphTraits {
    using type = CUgraphExec;
    static constexpr const char* what = "executable graph";
    static void destroy(CUgraphExec graph, Context* owner) noexcept;
};

/// A graph that is ready to be launched. Its launches run one after another. Exclusive owner; move-only.
class ExecutableGraph {
public:
    /// cuGraphInstantiateWithFlags. `upload`: the stream that copies it to the device now, so that the first launch
    /// need not; null: none. `device_launch`: kernels can also launch it by its handle, once it is on
    /// the device. Such a graph has only kernels, copies, fills and child graphs, all on one device.
    explicit ExecutableGraph(std::shared_ptr<Graph> graph, const Stream* upload = nullptr, bool device_launch = false);

    void launch(const Stream* stream = nullptr);  ///< queues the whole graph (cuGraphLaunch)
    void upload(const Stream* stream = nullptr);  ///< copies it to the device (cuGraphUpload)
    /// Takes the parameters of all nodes from `graph`, which must have the same nodes and edges; launches that are
    /// under way do not change (cuGraphExecUpdate). GraphUpdateError names the node and the difference.
    void update(std::shared_ptr<Graph> graph);

    /// How it was instantiated: graph_instantiate_flags (cuGraphExecGetFlags). Needs a driver of CUDA 12.0.
    unsigned flags() const;
    /// A number that no other executable graph of the process has (cuGraphExecGetId). Needs a driver of CUDA 13.1.
    unsigned id() const;

    // `node` belongs to the graph that it was instantiated from (LogicError). An update starts from the node's present
    // parameters: those of its last update, or of the last update of the whole graph, or of the instantiation.

    /// A node that is not enabled does nothing: kernels, copies and fills (cuGraphNodeSetEnabled).
    void set_enabled(const GraphNode& node, bool enabled);
    bool is_enabled(const GraphNode& node) const;  ///< cuGraphNodeGetEnabled
    /// Let an event node record another event, or wait for it (cuGraphExecEventRecordNodeSetEvent,
    /// cuGraphExecEventWaitNodeSetEvent).
    void update_event(const GraphNode& node, const Event& event);
    /// Replace the operations of a node of memory operations (cuGraphExecBatchMemOpNodeSetParams).
    void update_memory_operations(const GraphNode& node, const MemoryOperations& operations);
    /// Replace the semaphores and values of a node that signals semaphores or waits for them; their number stays
    /// (cuGraphExecExternalSemaphoresSignalNodeSetParams, cuGraphExecExternalSemaphoresWaitNodeSetParams).
    void update_semaphores(const GraphNode& node, const SemaphoreValues& semaphores);
    /// Call another function of the host (cuGraphExecHostNodeSetParams). LogicError for another kind of node.
    void update_host_function(const GraphNode& node, std::function<void()> function);
    /// Take the parameters of all nodes of a child graph from `child`, which must have the same nodes and edges
    /// (cuGraphExecChildGraphNodeSetParams). LogicError for another kind of node.
    void update_child_graph(const GraphNode& node, std::shared_ptr<Graph> child);
    /// Set the memory, value or size of a fill (cuGraphExecMemsetNodeSetParams).
    void update_memset(const GraphNode& node, DevicePtr dest, unsigned value, std::size_t count, unsigned width);
    /// The present parameters of a fill or copy, as GraphNode::parameter_texts; empty for another node.
    std::vector<std::string> parameter_texts(const GraphNode& node) const;
    /// Set the memory or arrays of a copy of one row: the ends of `copy`, of the same kinds as before; ends
    /// that are not set, offsets and pitches stay (cuGraphExecMemcpyNodeSetParams). `size`: bytes.
    /// Owners of the ends are kept until another update or the end of the executable graph, and until the launches are
    /// complete.
    void update_memcpy(const GraphNode& node, const Memcpy3D& copy, std::size_t size);
    /// The same with offsets and pitches.
    void update_memcpy(const GraphNode& node, const StructuredCopy& copy);

#ifndef SWIG
    /// The changes to a fill; what is missing stays.
    struct FillChanges {
        std::optional<DevicePtr> dest;
        std::optional<unsigned> value;
        std::optional<std::size_t> count;
        std::optional<unsigned> width;
    };
    void update_memset(const GraphNode& node, const FillChanges& changes);

    /// A kernel node for updates, with the results of driver calls that are made once. It lives as long as the
    /// executable graph.
    class KernelNode {
    public:
        /// Of its present kernel: an update of the whole graph can replace it. It lives as long as the executable
        /// graph.
        const ParameterLayout& layout() const noexcept { return *layout_.load(std::memory_order_acquire); }

    private:
        friend class ExecutableGraph;
        CUgraphNode node_ = nullptr;
        CUDA_KERNEL_NODE_PARAMS params_{};
        std::vector<unsigned char> arguments_;
        std::atomic<const ParameterLayout*> layout_{nullptr};
    };
    /// Arguments in the block of a kernel's parameters.
    struct PackedArguments {
        const ParameterLayout* layout;
        const void* data;
        std::size_t nbytes;
    };
    /// LogicError for a node that is not a kernel.
    KernelNode& kernel_node(const GraphNode& node);
    /// The present geometry.
    LaunchConfig config_of(const KernelNode& node) const;
    /// Set the arguments, and the geometry if `config` has one; null: it stays. One driver call
    /// (cuGraphExecKernelNodeSetParams). False, without a change, if the node has a kernel with another layout by now:
    /// pack the arguments again.
    bool update_kernel(KernelNode& node, const LaunchConfig* config, const PackedArguments* arguments);
#endif

    CUgraphExec handle() const { return graph_.get(); }
    /// LogicError if a context of its nodes has ended.
    Handle<ExecutableGraphTraits>::Use use() const;
    /// Launches that are under way continue.
    void close() noexcept { graph_.reset(); }

private:
    class NodeStates;
    void note_update(CUgraphNode node, std::size_t part, std::shared_ptr<GraphResources> objects);
    std::shared_ptr<GraphResources> objects_of_update(CUgraphNode node, std::size_t part, const CopyEnd* end = nullptr);
    /// With the lock of the states held.
    void set_memcpy(CUgraphNode node, const StructuredCopy& copy, const CUDA_MEMCPY3D& params);

    std::shared_ptr<Graph> source_;
    std::shared_ptr<NodeStates> states_;
    std::shared_ptr<ExecutableUses> uses_;
    Handle<ExecutableGraphTraits> graph_;
};

/// While it is open, `graph` keeps the memory whose addresses this thread reads. Opened while a node's
/// arguments are converted; may be nested.
void begin_node_arguments(std::shared_ptr<Graph> graph);
void end_node_arguments();
/// The same for updates of an executable graph's nodes.
void begin_updated_arguments();
/// The same for an update of a graph's node: until another update, the node keeps that memory.
void begin_replaced_arguments();
/// What follows is the source of a copy, or its destination, as at the beginning. An update that gives only one end of
/// a copy leaves the other's memory alone.
void read_end_of_copy(bool is_source);

}  // namespace pycuda
