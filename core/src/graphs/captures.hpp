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

/// An open capture, which other streams may join through events.
struct OpenCapture {
    CUstream origin = nullptr;
    CaptureMode mode = CaptureMode::THREAD_LOCAL;
    std::thread::id thread = std::this_thread::get_id();
    std::shared_ptr<const std::atomic<CUcontext>> context;  ///< identified by its address
    unsigned long long id = 0;                              ///< assigned by the driver
    bool to_graph = false;  ///< the driver adds nodes to the graph itself; otherwise it returns a graph at the end
    std::shared_ptr<Graph> graph;
    std::string broken_by;          ///< the first driver call that failed because of the capture
    std::vector<CUstream> streams;  ///< streams that are known to take part
};

/// All captures that this library began. Thread-safe.
namespace captures {

/// Adds a capture that StreamOrder has counted.
void add(OpenCapture capture);
/// Removes the capture that began on `origin`; false if there is none. It counts as open until the caller, which ends
/// it in the driver, calls ended().
bool take(CUstream origin, OpenCapture& capture) noexcept;
/// The resources of the graph that captures `stream`; null if it is not captured.
std::shared_ptr<GraphResources> resources_of(CUstream stream);
/// True if note_use has noted `key` for `stream` on this thread, and that is still valid. Where launches are captured
/// in a loop, all but the first can skip the look-up.
bool has_noted(CUstream stream, std::uint64_t key) noexcept;
/// Record that the graph of `stream` uses the object that `key` names in used_by_graphs.
void note_use(CUstream stream, std::uint64_t key, const std::shared_ptr<GraphResources>& resources);
/// Record that the driver has ended a capture returned by take().
void ended(const OpenCapture& capture, bool valid) noexcept;
/// Ends a capture that began on `stream`, which is about to be destroyed, and discards its graph.
void abandon(CUstream stream, bool reachable = true) noexcept;
/// The same for all captures in a context that is ending; `reachable`: it is current, and the driver can be called.
void abandon_all_of(const std::shared_ptr<const std::atomic<CUcontext>>& context, bool reachable) noexcept;
/// Record a driver call that failed because of a capture, so that the message of an invalid capture names it.
void note_failure(const char* call) noexcept;
/// Throws LogicError if `stream` is being captured: `call` would invalidate the capture.
void require_none_of(CUstream stream, const char* call, const char* instead);
/// Throws LogicError if `stream` is being captured and `call` copies pageable host memory: nothing would keep that
/// memory for the graph.
void require_page_locked(CUstream stream, const char* call, const void* memory, std::size_t nbytes);
/// The streams that are known to take part in captures. Valid while the caller holds begins_and_ends() shared.
std::vector<CUstream> streams();
/// Held exclusively while a capture begins or ends, both in the driver and in the table of open captures, so that the
/// two agree.
std::shared_mutex& begins_and_ends() noexcept;

}  // namespace captures

/// The arguments of a node that this thread is reading (begin_node_arguments).
struct NodeArguments {
    std::shared_ptr<GraphResources> resources;  ///< of its graph; null for an executable graph, for which the memory
    std::vector<std::uint64_t> memory;          ///< at these addresses is noted after the update
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
