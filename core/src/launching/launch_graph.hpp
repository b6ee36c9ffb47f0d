#pragma once

#include <cuda.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "pycuda/contexts/context.hpp"
#include "pycuda/launching/launch.hpp"

namespace pycuda {

/// One slot of the table: an executable graph of one kernel node, for one owner's launches in one stream. Only the
/// holder of its lock uses it. No thread waits for the lock, because its holder's launch may wait for a full stream.
class LaunchGraph {
public:
    /// False if another thread holds it.
    bool try_lock() noexcept;
    void unlock() noexcept;
    /// End the graph now; if another thread has the lock, that thread ends it as it unlocks. `reachable` as in end.
    void end_soon(bool reachable) noexcept;

    bool is_free() const noexcept { return exec_ == nullptr; }
    bool is_of(std::uint64_t owner, CUstream stream) const noexcept { return owner_ == owner && stream_ == stream; }

    /// Create it in `context`, which is current. False, with the slot left empty, if the driver rejects it.
    bool make(std::uint64_t owner, CUcontext context, CUfunction function, const LaunchConfig& config, void** extra);
    /// Update the node and launch the graph. Nothing was launched unless the result is CUDA_SUCCESS.
    CUresult launch(CUfunction function, const LaunchConfig& config, void** extra);
    /// Its launches continue. `reachable`: the context has not ended and is current.
    void end(bool reachable) noexcept;

    // Without the lock, these values are only hints.
    CUcontext context() const noexcept { return context_.load(std::memory_order_relaxed); }
    CUmodule module() const noexcept { return module_.load(std::memory_order_relaxed); }
    CUfunction function() const noexcept { return function_.load(std::memory_order_relaxed); }
    CUstream stream() const noexcept { return stream_.load(std::memory_order_relaxed); }

    bool was_used = false;                        ///< since the last search for a slot
    unsigned trials = 0;                          ///< launches that were timed
    std::array<std::uint32_t, 16> nanoseconds{};  ///< of each of them

private:
    /// The last two are requests to the holder of the lock for when it unlocks; the latest one counts.
    enum : unsigned { Locked = 1, End = 2, Forget = 4 };
    std::atomic<unsigned> state_{0};
    std::atomic<CUcontext> context_{nullptr};
    std::atomic<CUmodule> module_{nullptr};
    std::atomic<CUfunction> function_{nullptr};
    std::atomic<CUstream> stream_{nullptr};
    std::uint64_t owner_ = 0;
    CUgraph graph_ = nullptr;
    CUgraphNode node_ = nullptr;
    CUgraphExec exec_ = nullptr;
};

/// Ends the graphs of a context with the context.
class LaunchGraphsOfContext final : public ContextAttachment {
public:
    explicit LaunchGraphsOfContext(Context& context) : context_(context.handle()) {}
    void context_ends(bool reachable) noexcept override;
    /// Launches read them; graphs read them when they were created.
    void settings_changed() noexcept override;

private:
    const CUcontext context_;
};

/// A locked slot for a graph of the current context: a free one, or one whose graph was not used since the last call,
/// and which is ended. Null if there is none.
LaunchGraph* take_slot(CUcontext current) noexcept;

}  // namespace pycuda
