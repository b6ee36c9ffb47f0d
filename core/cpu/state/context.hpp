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

/// A context: what was made in it lives until it is destroyed. A fault of a kernel stays with it for good.
class Context : public std::enable_shared_from_this<Context> {
public:
    /// Makes and registers a context; `handle` (primary contexts keep theirs) or a fresh one.
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
    std::atomic<unsigned> users{1};  ///< of the old cuCtxAttach and cuCtxDetach

    /// Waits for the work that was submitted and ends everything that belongs to the context.
    void destroy();
    bool is_destroyed() const noexcept { return destroyed_.load(std::memory_order_acquire); }

    std::shared_ptr<Stream> legacy_stream();
    bool has_legacy_stream() const;
    std::shared_ptr<Stream> per_thread_stream();
    /// `green`: whose threads it uses; null: all.
    CUstream create_stream(unsigned flags, int priority, std::shared_ptr<GreenContext> green = nullptr);
    void drop_stream(const std::shared_ptr<Stream>& stream);
    void synchronize();
    /// The points at which every stream has finished its present work.
    std::vector<Fence> pending() const;
    /// All work queued from now on, on streams created later too, waits for `fences`.
    void hold_back(const std::vector<Fence>& fences);
    /// Waits. Throws what check_interruption throws.
    void wait_for(const Fence& fence);
    /// For a wait: if the program interrupts it, end the running kernels and throw CUDA_ERROR_NOT_READY.
    void check_interruption();
    void finish_or_end_work();

    /// Submissions to all streams of the context are in one order, which this lock makes.
    std::mutex& submission_mutex() const noexcept { return submission_; }
    /// With the submission lock held.
    template <class F>
    void for_each_stream(F&& visit) const {
        for (const auto& stream : streams_) visit(*stream);
    }

    std::size_t limit(CUlimit limit) const;
    void set_limit(CUlimit limit, std::size_t value);
    /// A kernel that depends on `limit` was launched: the limit cannot be set any more.
    void settle_limit(CUlimit limit) noexcept { settled_[limit].store(true, std::memory_order_relaxed); }

    /// The first fault stays. `report` is for people.
    void set_fault(CUresult code, const std::string& report);
    CUresult fault() const noexcept { return fault_.load(std::memory_order_acquire); }
    bool has_fault() const noexcept { return fault_.load(std::memory_order_acquire) != CUDA_SUCCESS; }
    /// Throws the fault, and makes its report what cuGetErrorString tells this thread about that code.
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
    std::vector<Fence> held_back_by_;  ///< what new streams wait for

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

/// What cuGetErrorString adds for `code` on this thread: the report of the last fault that a call of this thread
/// returned, nullptr when that fault had another code.
const char* last_fault_report(CUresult code) noexcept;

}  // namespace cpu::state
