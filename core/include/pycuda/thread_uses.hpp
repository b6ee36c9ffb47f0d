#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace pycuda {

/// What the driver calls of one thread use at this moment, by address. Whoever closes something asks all threads.
///
/// To begin and to end a use are one store each, to memory that no other thread writes, and no locked instruction: a
/// third of what a count in the handle costs (9 ns against 25, where a launch takes 3,000 and has two uses), and the
/// same however many threads launch one kernel. The price is paid by any(), which is rare: it makes every processor
/// that runs this process pass a memory barrier (membarrier, 0.3 us). So of a thread that begins a use and then looks
/// whether it is closed, and one that closes and then calls any(), one sees the other.
class alignas(64) ThreadUses {
public:
    /// std::bad_alloc when a thread's first use finds no memory.
    static ThreadUses& of_this_thread();

    /// The place to end(). std::length_error when more than 32 uses are under way in this thread. Sequentially
    /// consistent loads that follow are not done earlier, as far as any() tells.
    std::size_t begin(const void* what) {
        if (count_ == used_.size()) [[unlikely]]
            raise_too_many();
        set(count_, what);
        return count_++;
    }
    void end(std::size_t place) noexcept {
        set(place, nullptr);
        while (count_ != 0 && !used_[count_ - 1].load(std::memory_order_relaxed)) --count_;
    }

    /// Whether some thread, this one too, uses `what`. What the caller stored before is seen by whoever begins or ends
    /// a use after that was found out.
    static bool any(const void* what) noexcept;

private:
    static ThreadUses& first_of_this_thread();
    [[noreturn]] static void raise_too_many();

    void set(std::size_t place, const void* what) noexcept {
        if (has_remote_barrier) [[likely]] {
            used_[place].store(what, std::memory_order_release);
            std::atomic_signal_fence(std::memory_order_seq_cst);
        } else {
            used_[place].store(what, std::memory_order_seq_cst);
        }
    }

    /// False where the system lacks membarrier: then each use has a barrier of its own.
    static const bool has_remote_barrier;

    std::array<std::atomic<const void*>, 32> used_{};
    std::size_t count_ = 0;  ///< of used_, up to the last that is not null; this thread's alone
    std::atomic<bool> taken_{true};
    ThreadUses* next_ = nullptr;
};

}  // namespace pycuda
