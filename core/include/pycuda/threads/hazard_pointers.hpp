#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace pycuda {

/// Hazard pointers: the addresses that one thread's driver calls are using. Closing an object checks those of all
/// threads.
///
/// Beginning and ending a use are one store each, to memory that only this thread writes, without a locked instruction.
/// That costs a third of a reference count in the handle (9 ns instead of 25; a launch takes 3,000 and has two uses)
/// and scales with threads that launch one kernel. any() pays for it: it makes every processor that runs this process
/// execute a memory barrier (membarrier, 0.3 us). Therefore, if one thread begins a use and then checks for closing,
/// while another closes and then calls any(), at least one of them sees the other.
class alignas(64) HazardPointers {
public:
    /// std::bad_alloc if a thread's first use finds no memory.
    static HazardPointers& of_this_thread();

    /// Return the slot for end(). std::length_error if more than 32 uses are under way in this thread. With
    /// respect to any(), later sequentially consistent loads are not reordered before it.
    std::size_t begin(const void* what) {
        if (count_ == used_.size()) [[unlikely]]
            raise_too_many();
        set(count_, what);
        return count_++;
    }
    void end(std::size_t slot) noexcept {
        set(slot, nullptr);
        while (count_ != 0 && !used_[count_ - 1].load(std::memory_order_relaxed)) --count_;
    }

    /// Whether any thread, including this one, uses `what`. Uses that begin or end after this check see the
    /// caller's earlier stores.
    static bool any(const void* what) noexcept;

private:
    static HazardPointers& first_of_this_thread();
    [[noreturn]] static void raise_too_many();

    void set(std::size_t slot, const void* what) noexcept {
        if (has_remote_barrier) [[likely]] {
            used_[slot].store(what, std::memory_order_release);
            std::atomic_signal_fence(std::memory_order_seq_cst);
        } else {
            used_[slot].store(what, std::memory_order_seq_cst);
        }
    }

    /// False if the system lacks membarrier: each use then has its own barrier.
    static const bool has_remote_barrier;

    std::array<std::atomic<const void*>, 32> used_{};
    std::size_t count_ = 0;  ///< slots of used_, up to the last that is not null; only this thread uses it
    std::atomic<bool> taken_{true};
    HazardPointers* next_ = nullptr;
};

}  // namespace pycuda
