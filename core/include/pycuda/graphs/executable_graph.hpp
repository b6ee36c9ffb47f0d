#pragma once

#include <cuda.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "pycuda/arrays/memcpy_nd.hpp"
#include "pycuda/function.hpp"
#include "pycuda/graphs/graph.hpp"
#include "pycuda/stream.hpp"

namespace pycuda {

class ExecutableUses;

struct ExecutableGraphTraits {
    using type = CUgraphExec;
    static constexpr const char* what = "executable graph";
    static void destroy(CUgraphExec graph, Context* owner) noexcept;
};

/// A graph that is ready to be launched. Its launches run one after another. Exclusive owner; move-only.
class ExecutableGraph {
public:
    /// cuGraphInstantiateWithFlags. `upload`: the stream that brings it to the device now, so that the first launch
    /// need not; null: none. `device_launch`: kernels can launch it too, once it is on the device, by its handle. Such
    /// a graph has kernels, copies, fills and child graphs only, all on one device.
    explicit ExecutableGraph(std::shared_ptr<Graph> graph, const Stream* upload = nullptr, bool device_launch = false);

    void launch(const Stream* stream = nullptr);  ///< queues the whole graph (cuGraphLaunch)
    void upload(const Stream* stream = nullptr);  ///< brings it to the device (cuGraphUpload)
    /// Takes the parameters of all nodes from `graph`, which must have the same nodes and edges; launches that are
    /// under way are not changed (cuGraphExecUpdate). GraphUpdateError names the node that differs, and how.
    void update(std::shared_ptr<Graph> graph);

    // `node` is one of the graph that it was made from (LogicError).

    /// A node that is not enabled does nothing: kernels, copies and fills (cuGraphNodeSetEnabled).
    void set_enabled(const GraphNode& node, bool enabled);
    bool is_enabled(const GraphNode& node) const;  ///< cuGraphNodeGetEnabled
    /// Other memory, value or size for a fill (cuGraphExecMemsetNodeSetParams).
    void update_memset(const GraphNode& node, DevicePtr dest, unsigned value, std::size_t count, unsigned width);
    /// Other memory or arrays for a copy of one row: what the ends of `copy` are, of the kinds that they were; ends
    /// that are not set, offsets and pitches stay as in the graph (cuGraphExecMemcpyNodeSetParams). `size`: bytes.
    /// Owners of the ends are kept until another update or the end of the executable graph, and then until launches are
    /// over.
    void update_memcpy(const GraphNode& node, const Memcpy3D& copy, std::size_t size);
    /// The same with offsets and pitches.
    void update_memcpy(const GraphNode& node, const StructuredCopy& copy);

#ifndef SWIG
    /// A kernel node, as it is updated: what the driver was asked once. It lives as long as the executable graph.
    class KernelNode {
    public:
        const ParameterLayout& layout() const noexcept { return layout_; }

    private:
        friend class ExecutableGraph;
        CUgraphNode node_ = nullptr;
        CUDA_KERNEL_NODE_PARAMS params_{};
        ParameterLayout layout_;
    };
    /// LogicError for a node that is no kernel.
    KernelNode& kernel_node(const GraphNode& node);
    /// Geometry, as it was added or last updated.
    LaunchConfig config_of(const KernelNode& node) const;
    /// Other arguments, and another geometry where `config` has one. One driver call
    /// (cuGraphExecKernelNodeSetParams).
    void update_kernel(KernelNode& node, const LaunchConfig* config, const void* arguments, std::size_t nbytes);
#endif

    CUgraphExec handle() const { return graph_.get(); }
    /// LogicError when a context in which its nodes work has ended.
    Handle<ExecutableGraphTraits>::Use use() const;
    /// Launches that are under way go on.
    void close() noexcept { graph_.reset(); }

private:
    struct KernelNodes {
        std::mutex mutex;
        std::map<CUgraphNode, KernelNode> all;
    };
    void note_update(CUgraphNode node);
    void set_memcpy(CUgraphNode node, const StructuredCopy& copy, const CUDA_MEMCPY3D& params);

    std::shared_ptr<Graph> source_;
    std::unique_ptr<KernelNodes> kernels_ = std::make_unique<KernelNodes>();
    std::shared_ptr<ExecutableUses> uses_;
    Handle<ExecutableGraphTraits> graph_;
};

/// While it is open, the memory whose addresses this thread reads is kept for nodes of `graph`: around the conversion
/// of a node's arguments. Calls may be nested.
void begin_node_arguments(std::shared_ptr<Graph> graph);
void end_node_arguments();
/// The same for nodes of an executable graph, which are given other arguments.
void begin_updated_arguments();

}  // namespace pycuda
