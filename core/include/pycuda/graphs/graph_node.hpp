#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pycuda/constants/constants.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/memory_operations.hpp"

namespace pycuda {

class Function;
class Graph;
class SemaphoreValues;
class StructuredCopy;
struct LaunchConfig;

/// One node of a graph, which it keeps alive.
class GraphNode {
public:
    GraphNode(std::shared_ptr<Graph> graph, CUgraphNode node);

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

    /// Makes a fill another one, for executable graphs that are made or updated from the graph later
    /// (cuGraphMemsetNodeSetParams). LogicError for another kind of node.
    void update_memset(DevicePtr dest, unsigned value, std::size_t count, unsigned width);
    /// Lets a node that calls a function of the host call another one, in executable graphs that are made or updated
    /// from the graph later (cuGraphHostNodeSetParams). LogicError for another kind of node.
    void update_host_function(std::function<void()> function);
#ifndef SWIG
    /// Makes a kernel node another launch, also of another kernel, for executable graphs that are made or updated from
    /// the graph later (cuGraphKernelNodeSetParams). LogicError for another kind of node.
    void update_kernel(const Function& function, const LaunchConfig& config, const void* arguments, std::size_t nbytes);
#endif

    /// Lets an event node record another event, or wait for it, in executable graphs that are made or updated from the
    /// graph later (cuGraphEventRecordNodeSetEvent, cuGraphEventWaitNodeSetEvent). LogicError for another kind of node.
    void update_event(const Event& event);
    /// The operations of a node that has memory operations (cuGraphBatchMemOpNodeGetParams). LogicError for another
    /// kind.
    MemoryOperations get_memory_operations() const;
    /// Replaces them, for executable graphs that are made or updated from the graph later
    /// (cuGraphBatchMemOpNodeSetParams).
    void update_memory_operations(const MemoryOperations& operations);

    /// Replaces the semaphores and values of a node that signals semaphores or waits for them, for executable graphs
    /// that are made or updated from the graph later (cuGraphExternalSemaphoresSignalNodeSetParams,
    /// cuGraphExternalSemaphoresWaitNodeSetParams). LogicError for another kind of node.
    void update_semaphores(const SemaphoreValues& semaphores);

    /// The nodes that it waits for (cuGraphNodeGetDependencies).
    std::vector<GraphNode> dependencies() const;
    /// The nodes that wait for it (cuGraphNodeGetDependentNodes).
    std::vector<GraphNode> dependents() const;
    /// Let it wait for `node`, too, which must belong to the same graph and not wait for it (cuGraphAddDependencies). A
    /// condition reads its int32 after `node`.
    void add_dependency(const GraphNode& node);
    /// Let it no longer wait for `node` (cuGraphRemoveDependencies). LogicError if it does not.
    void remove_dependency(const GraphNode& node);
    /// Remove it from its graph, with its edges (cuGraphDestroyNode); executable graphs do not change. Every object for
    /// this node then raises LogicError. LogicError for a node with graphs inside, and for allocations and their ends.
    void remove();
    /// A number that no other node of its graph has (cuGraphNodeGetLocalId). Needs a driver of CUDA 13.1.
    unsigned local_id() const;
    /// The number of the node in NVIDIA's tools (cuGraphNodeGetToolsId). Needs a driver of CUDA 13.1.
    std::uint64_t tools_id() const;

    /// Let a kernel's launch have the attributes of another kernel node (cuGraphKernelNodeCopyAttributes). LogicError
    /// for another kind of node.
    void copy_attributes(const GraphNode& source);
#ifndef SWIG
    /// An attribute of a kernel's launch (cuGraphKernelNodeGetAttribute). LogicError for another kind of node.
    CUlaunchAttributeValue attribute(LaunchAttribute attribute) const;
    void set_attribute(LaunchAttribute attribute, const CUlaunchAttributeValue& value);
    /// The same as handle(), also while its graph is captured.
    CUgraphNode handle_in_capture() const;
#endif

    /// The driver's node. LogicError after the graph's close, and after its removal.
    CUgraphNode handle() const;
    bool operator==(const GraphNode& other) const noexcept { return node_ == other.node_ && graph_ == other.graph_; }

private:
    void require_kernel() const;
    std::shared_ptr<Graph> graph_;
    CUgraphNode node_;
    std::uint64_t removals_;  ///< how many nodes of the graph had been removed: the driver uses handles again
};

}  // namespace pycuda
