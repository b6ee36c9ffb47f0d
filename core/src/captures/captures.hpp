#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "captures/graph_resources.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/captures/captured_work.hpp"
#include "pycuda/constants/constants.hpp"

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
    std::shared_ptr<GraphResources> resources;  ///< those of `graph`
    /// Tells `graph` that the capture is over. `valid`: the driver has ended it without an error.
    void (*tell_graph)(const OpenCapture& capture, bool valid) noexcept = nullptr;
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
/// The same graph itself.
std::shared_ptr<Graph> graph_of(CUstream stream);
/// True if a capture adds nodes to the graph with these resources.
bool is_open(const std::weak_ptr<GraphResources>& graph) noexcept;
/// The driver's number of the capture that `stream` takes part in; 0 if it is not captured.
unsigned long long id_of(CUstream stream);
/// True if the capture with this number has not ended.
bool is_open(unsigned long long id);
/// Changes when a stream joins or leaves a capture.
std::uint64_t changes() noexcept;
/// Record that the driver has ended a capture returned by take().
void ended(const OpenCapture& capture, bool valid) noexcept;
/// Ends a capture that began on `stream`, which is about to be destroyed, and discards its graph.
void abandon(CUstream stream, bool reachable = true) noexcept;
/// The same for all captures in a context that is ending; `reachable`: it is current, and the driver can be called.
void abandon_all_of(const std::shared_ptr<const std::atomic<CUcontext>>& context, bool reachable) noexcept;
/// Throws LogicError if `stream` is being captured: `call` would invalidate the capture.
void require_none_of(CUstream stream, const char* call, const char* instead);

}  // namespace captures

}  // namespace pycuda
