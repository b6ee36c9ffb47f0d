#pragma once

#include <cuda.h>

#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "pycuda/graphs/executable_graph.hpp"

namespace pycuda {

/// The present parameters of an executable graph's nodes, which updates of nodes start from. The driver does not return
/// them. Nodes are named by those of the graph that it was instantiated from. Thread-safe.
class ExecutableGraph::NodeStates {
public:
    /// Notes the copies of the graph, which the program can change there afterwards. Other nodes are read when needed.
    explicit NodeStates(const Graph& source);

    /// The executable graph was updated from `other`, whose nodes may end.
    void update(const Graph& source, const Graph& other) noexcept;

    // With the lock held. LogicError for a node of another kind, or if the states are unknown.
    void require_known() const;
    KernelNode& kernel(CUgraphNode node);
    CUDA_MEMSET_NODE_PARAMS& fill(CUgraphNode node);
    CUDA_MEMCPY3D& copy(CUgraphNode node);
    /// The arguments of a kernel, as one block. LogicError if they are unknown.
    const std::vector<unsigned char>& arguments(KernelNode& node);

    std::mutex mutex;

private:
    template <class State>
    State& state(std::map<CUgraphNode, State>& known, CUgraphNode node, CUgraphNodeType type, const char* only);
    const ParameterLayout* layout(CUfunction function);
    void take(CUgraphNode node, CUgraphNode from);
    void take_kernel(CUgraphNode node, CUgraphNode from);

    std::map<CUgraphNode, KernelNode> kernels_;
    std::map<CUgraphNode, CUDA_MEMSET_NODE_PARAMS> fills_;
    std::map<CUgraphNode, CUDA_MEMCPY3D> copies_;
    std::deque<ParameterLayout> layouts_;  ///< of present and earlier kernels: callers pack arguments without the lock
    bool is_unknown_ = false;              ///< an update came from a graph whose nodes cannot be told apart
};

}  // namespace pycuda
