#pragma once

#include "state/graphs/plan.hpp"
#include "state/streams/timeline.hpp"

#include <cuda.h>

#include <memory>
#include <mutex>
#include <unordered_map>

namespace cpu::state::graphs {

struct Pairing;

/// A graph that can be launched. Its launches run one after the other; changes affect later launches only.
class Executable {
public:
    /// With structure_mutex() held. Throws CUDA_ERROR_INVALID_VALUE for a graph with a cycle.
    Executable(Graph& graph, cuuint64_t flags);

    cuuint64_t flags() const noexcept { return flags_; }
    void launch(Stream& stream);
    void upload(Stream& stream);
    /// Call this before it is destroyed: like NVIDIA's driver, waits for the last launch of a graph with conditions.
    void wait_if_conditional();

    /// Sets the content of the node that was made from `node`. Throws CUDA_ERROR_INVALID_VALUE if there is none, or if
    /// it cannot be changed in this way.
    void set_content(const Node& node, std::shared_ptr<const Content> content);
    std::shared_ptr<const Content> content(const Node& node);
    void set_child(const Node& node, const Graph& graph);
    void set_enabled(const Node& node, bool enabled);
    bool is_enabled(const Node& node);
    /// Gives every node the content of its partner in `graph`, or none of them: then the result says what differs.
    CUgraphExecUpdateResultInfo update(const Graph& graph);

private:
    const Node& own(const Node& node) const;
    void index(const Graph& graph);
    CUgraphExecUpdateResultInfo update_part(const Graph& mine, const Graph& other);
    CUgraphExecUpdateResultInfo check(const Pairing& pairing) const;
    void apply(const Pairing& pairing);
    /// The plan, to be changed: a copy if a launch is using it. Call with mutex_ held.
    Plan& changeable();

    const cuuint64_t flags_;
    /// Lives as long as this, for Graph::only_executable.
    const std::shared_ptr<const int> alive_ = std::make_shared<int>();
    std::shared_ptr<Graph> graph_;                        ///< a copy, which keeps the nodes' identities and their order
    std::unordered_map<CUgraphNode, const Node*> nodes_;  ///< by the node of the program's graph
    std::mutex mutex_;
    std::shared_ptr<Plan> plan_;
    bool runs_anywhere_ = true;
    bool waits_ = false;
    bool has_conditions_ = false;
    Fence last_launch_;
};

inline Registry<Executable, CUgraphExec>& executables() {
    return registry<Executable, CUgraphExec>();
}
/// Throws CUDA_ERROR_INVALID_VALUE.
inline std::shared_ptr<Executable> executable_of(CUgraphExec handle) {
    return executables().get(handle, CUDA_ERROR_INVALID_VALUE);
}

}  // namespace cpu::state::graphs
