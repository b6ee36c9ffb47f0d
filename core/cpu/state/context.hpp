#pragma once

#include "exec/running/memory.hpp"
#include "state/error.hpp"
#include "state/registry.hpp"
#include "state/streams/stream.hpp"

#include <cuda.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

namespace cpu::state {

class Device;

/// A context: everything created in it lives until it is destroyed. After a fault of a kernel, it stays faulted.
class Context : public std::enable_shared_from_this<Context> {
public:
    /// Creates and registers a context, with `handle` (primary contexts keep theirs) or a new one.
    static std::shared_ptr<Context> create(Device& device, unsigned flags, unsigned api_version,
                                           CUcontext handle = nullptr);

    Context(Device& device, unsigned flags, unsigned api_version);

    Device& device() const noexcept { return device_; }
    CUcontext handle() const noexcept { return handle_; }
    unsigned api_version() const noexcept { return api_version_; }
    std::uint64_t id() const noexcept { return id_; }
    exec::Memory& memory() noexcept { return memory_; }
    std::atomic<unsigned> flags;
    std::atomic<CUfunc_cache> cache_config{CU_FUNC_CACHE_PREFER_NONE};
    std::atomic<unsigned> users{1};  ///< count of cuCtxAttach and cuCtxDetach

    /// Waits for submitted work, then destroys everything that belongs to the context.
    void destroy();
    bool is_destroyed() const noexcept { return destroyed_.load(std::memory_order_acquire); }

    std::shared_ptr<Stream> legacy_stream();
    bool has_legacy_stream() const;
    std::shared_ptr<Stream> per_thread_stream();
    /// `green`: the green context whose threads it uses; null: all threads.
    CUstream create_stream(unsigned flags, int priority, std::shared_ptr<GreenContext> green = nullptr);
    void drop_stream(const std::shared_ptr<Stream>& stream);
    void synchronize();
    /// The points at which every stream has finished its current work.
    std::vector<Fence> pending() const;
    /// Makes all work queued from now on wait for `fences`, on streams created later too.
    void hold_back(const std::vector<Fence>& fences);
    /// Waits for `fence`. Throws what check_interruption throws.
    void wait_for(const Fence& fence);
    /// The same, but only until the program was asked once whether to interrupt the wait: false if it is not over then.
    bool wait_a_while_for(const Fence& fence);
    /// Called by waits: if the program interrupts the wait, ends the running kernels and throws CUDA_ERROR_NOT_READY.
    void check_interruption();
    void finish_or_end_work();
    /// `fence` is behind a wait for a word or a semaphore.
    void note_wait(Fence fence);
    /// Waits until the device is idle, which is when NVIDIA's driver frees memory, arrays and modules. A wait for a
    /// word or a semaphore that is queued meanwhile counts, too.
    void wait_until_idle();

    /// Serialises submissions to all streams of the context.
    std::mutex& submission_mutex() const noexcept { return submission_; }
    /// Calls `f` with the submission lock held.
    template <class F>
    void for_each_stream(F&& visit) const {
        for (const auto& stream : streams_) visit(*stream);
    }

    std::size_t limit(CUlimit limit) const;
    void set_limit(CUlimit limit, std::size_t value);
    /// A kernel that depends on `limit` was launched: the limit can no longer be changed.
    void settle_limit(CUlimit limit) noexcept { settled_[limit].store(true, std::memory_order_relaxed); }

    /// Keeps the first fault. `report` is readable text.
    void set_fault(CUresult code, const std::string& report);
    CUresult fault() const noexcept { return fault_.load(std::memory_order_acquire); }
    bool has_fault() const noexcept { return fault_.load(std::memory_order_acquire) != CUDA_SUCCESS; }
    /// Throws the fault, and makes cuGetErrorString give its report to this thread for that code.
    void check_fault() const;

    bool is_peer(const Context* other) const;
    /// Only AddressSpace::set_peer calls this.
    void set_peer(const Context* other, bool enabled);

private:
    std::vector<std::shared_ptr<Stream>> take_streams();
    /// Makes a new stream wait for the fences that hold_back was given.
    void hold_back_new(Stream& stream);

    Device& device_;
    CUcontext handle_ = nullptr;
    unsigned api_version_;
    std::uint64_t id_;
    exec::Memory memory_;
    std::atomic<bool> destroyed_{false};

    mutable std::mutex submission_;
    std::vector<std::shared_ptr<Stream>> streams_;
    std::shared_ptr<Stream> legacy_;
    std::vector<Fence> held_back_by_;  ///< what new streams must wait for
    std::vector<Fence> waits_;         ///< see note_wait

    std::array<std::atomic<std::size_t>, CU_LIMIT_MAX> limits_{};  ///< each launch reads some
    std::array<std::atomic<bool>, CU_LIMIT_MAX> settled_{};

    mutable std::mutex settings_;
    std::unordered_set<const Context*> peers_;

    std::atomic<CUresult> fault_{CUDA_SUCCESS};
    const char* fault_report_ = nullptr;  ///< set before fault_; never freed
};

inline Registry<Context, CUcontext>& contexts() {
    return registry<Context, CUcontext>();
}
inline Registry<Stream, CUstream>& streams() {
    return registry<Stream, CUstream>();
}

/// The text that cuGetErrorString adds for `code` on this thread: the report of the last fault that a call returned
/// here, nullptr if that fault had another code.
const char* last_fault_report(CUresult code) noexcept;

}  // namespace cpu::state
