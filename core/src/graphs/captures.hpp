#pragma once

#include <cuda.h>

#include <memory>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "driver_table.hpp"
#include "graphs/graph_resources.hpp"
#include "pycuda/constants.hpp"
#include "pycuda/open_captures.hpp"

namespace pycuda {

class Graph;

/// A capture that is under way, in which other streams may take part by events.
struct OpenCapture {
    CUstream origin = nullptr;
    CaptureMode mode = CaptureMode::THREAD_LOCAL;
    std::thread::id thread = std::this_thread::get_id();
    std::shared_ptr<const std::atomic<CUcontext>> context;  ///< told apart by its address
    unsigned long long id = 0;                              ///< the driver's
    bool to_graph = false;  ///< the driver adds nodes to the graph itself; else it gives a graph in the end
    std::shared_ptr<Graph> graph;
    std::string broken_by;          ///< the first driver call that failed because of it
    std::vector<CUstream> streams;  ///< known to take part
};

/// All captures that this library began. Thread-safe.
namespace captures {

/// Of one that StreamOrder has counted.
void add(OpenCapture capture);
/// Takes out the one that began on `origin`; false when there is none.
/// Counts as open until the caller, which ends it in the driver, calls ended().
bool take(CUstream origin, OpenCapture& capture) noexcept;
/// The resources of the graph that captures `stream`; null if it is not captured.
std::shared_ptr<GraphResources> resources_of(CUstream stream);
/// Whether note_use has noted `key` for `stream` on this thread, and that is as good as new. Where launches are
/// captured in a loop, all but the first are spared the look.
bool has_noted(CUstream stream, std::uint64_t key) noexcept;
/// Record that the graph of `stream` uses the object that `key` names in used_by_graphs.
void note_use(CUstream stream, std::uint64_t key, const std::shared_ptr<GraphResources>& resources);
/// Record that the driver has ended the capture of take().
void ended(const OpenCapture& capture, bool valid) noexcept;
/// Ends a capture that began on `stream`, which is about to be destroyed, without a graph.
void abandon(CUstream stream, bool reachable = true) noexcept;
/// The same for all captures in an ending context; `reachable`: it is current, and the driver can be called.
void abandon_all_of(const std::shared_ptr<const std::atomic<CUcontext>>& context, bool reachable) noexcept;
/// Record a driver call that failed because of a capture, so that the message of an invalid capture names it.
void note_failure(const char* call) noexcept;
/// LogicError when `stream` is captured: `call` would invalidate the capture.
void require_none_of(CUstream stream, const char* call, const char* instead);
/// Those that take part in captures, as far as is known. Good while the caller holds begins_and_ends() shared.
std::vector<CUstream> streams();
/// Held alone while a capture begins or ends in the driver and in the table of open ones, which otherwise disagree.
std::shared_mutex& begins_and_ends() noexcept;

}  // namespace captures

/// The arguments of a node that this thread reads (begin_node_arguments).
struct NodeArguments {
    std::shared_ptr<GraphResources> resources;  ///< of its graph; null: of an executable graph, for which the memory
    std::vector<std::uint64_t> memory;          ///< at these addresses is noted after the update
};
/// Null: none are read.
NodeArguments* node_arguments() noexcept;

/// The graph that uses the memory which work on `stream` is given: that of the node whose arguments are read, or of the
/// stream's capture.
class UseInGraph {
public:
    explicit UseInGraph(CUstream stream);
    /// False: no graph uses it.
    explicit operator bool() const noexcept { return graph_ || node_; }
    /// Null: none, or an executable graph.
    GraphResources* graph() const noexcept { return graph_.get(); }
    void note(std::uint64_t address) const;

private:
    CUstream stream_;
    NodeArguments* node_;
    std::shared_ptr<GraphResources> graph_;
};

}  // namespace pycuda
