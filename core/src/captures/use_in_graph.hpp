#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "captures/graph_resources.hpp"
#include "pycuda/driver/open_captures.hpp"

namespace pycuda {

/// True if note_use has noted `key` for `stream` on this thread, and that is still valid. Where launches are captured
/// in a loop, all but the first can skip the look-up.
bool has_noted_use(CUstream stream, std::uint64_t key) noexcept;
/// Record that the graph of `stream` uses the object that `key` names in used_by_graphs.
void note_use(CUstream stream, std::uint64_t key, const std::shared_ptr<GraphResources>& resources);

/// The arguments of a node that this thread is reading (begin_node_arguments).
struct NodeArguments {
    /// What an update gives to one part of a node: a kernel, a fill or the destination of a copy; the source of a copy.
    struct Part {
        std::vector<std::uint64_t> memory;
        std::vector<std::shared_ptr<void>> owners;
        bool is_empty() const noexcept { return memory.empty() && owners.empty(); }
    };
    std::shared_ptr<GraphResources> resources;  ///< of its graph; null for an executable graph, which gets the parts
    std::array<Part, 2> parts;                  ///< after the update
    std::size_t part = 0;

    void clear() noexcept;

    /// The arguments that this thread passes from now on are those of a node of the graph with these resources; null:
    /// of an executable graph. Can be nested.
    static void begin(std::shared_ptr<GraphResources> resources);
    static void end();
};
/// Null if none are being read.
NodeArguments* node_arguments() noexcept;

/// The graph that uses the memory passed to work on `stream`: that of the node whose arguments are being read, or of
/// the stream's capture.
class UseInGraph {
public:
    explicit UseInGraph(CUstream stream);
    /// False if no graph uses it.
    explicit operator bool() const noexcept { return graph_ || node_; }
    /// Null if there is none, or it is an executable graph.
    GraphResources* graph() const noexcept { return graph_.get(); }
    void note(std::uint64_t address) const;

private:
    CUstream stream_;
    NodeArguments* node_;
    std::shared_ptr<GraphResources> graph_;
};

}  // namespace pycuda
