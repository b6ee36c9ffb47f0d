#pragma once

#include "state/streams/stream.hpp"

#include <cuda.h>

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace cpu::state::graphs {

class Graph;
struct Progress;

/// What a node does. Immutable: new parameters are a new content. Clones and executable graphs share it.
class Content : public std::enable_shared_from_this<Content> {
public:
    Content() = default;
    virtual ~Content() = default;
    Content(const Content&) = delete;
    Content& operator=(const Content&) = delete;

    virtual CUgraphNodeType type() const noexcept = 0;
    /// In the form of cuGraphAddNode. What they point to lives as long as this.
    virtual CUgraphNodeParams parameters() const = 0;
    /// The graphs that the node embeds, in order.
    virtual std::span<const std::shared_ptr<Graph>> graphs() const noexcept { return {}; }
    /// The content of a clone of the node. Throws CUDA_ERROR_NOT_SUPPORTED if it cannot be cloned.
    virtual std::shared_ptr<const Content> clone() const { return shared_from_this(); }
    /// The content for an executable graph, which shares what only one such graph may have.
    virtual std::shared_ptr<const Content> instantiate() const { return clone(); }
    /// Whether a node of an executable graph may get the content `later`, which has the same type.
    virtual CUgraphExecUpdateResult check_update(const Content& later) const;
    /// A label for drawings: what it does, and with `verbose` its parameters.
    virtual std::string label(bool verbose) const = 0;

    /// Called in each launch, before its first node runs.
    virtual void start() const noexcept {}
    /// For a conditional node: which of its graphs runs now, and whether the condition is read again afterwards.
    virtual std::optional<std::size_t> chosen() const noexcept { return std::nullopt; }
    virtual bool repeats() const noexcept { return false; }
    /// The context in which it runs; nullptr if none.
    virtual const Context* context() const noexcept { return nullptr; }
    /// The kind of this work: whether a fault drops it, and where it may run.
    virtual TaskKind kind() const noexcept { return TaskKind::Work; }
    /// Whether it waits for a word or a semaphore.
    virtual bool waits() const noexcept { return false; }
    /// Called before each launch: throws if it cannot be launched. `frees_first`: the launch frees what earlier ones
    /// left.
    virtual void check_launch(bool frees_first) const { static_cast<void>(frees_first); }
    /// Called for each launch, before it is queued.
    virtual void prepare(Progress&) const {}
    /// Called in each launch to do the work. Two executable graphs may run the same content concurrently. A kernel that
    /// is left at Progress::leave_at stays in `progress`; another call then continues it.
    virtual void run(Progress&) const noexcept {}
};

inline CUgraphExecUpdateResult Content::check_update(const Content&) const {
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

/// Parameters of one type, all zero.
inline CUgraphNodeParams parameters_of(CUgraphNodeType type) noexcept {
    CUgraphNodeParams made{};
    made.type = type;
    return made;
}

}  // namespace cpu::state::graphs
