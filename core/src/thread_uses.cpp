#include "pycuda/thread_uses.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <stdexcept>

namespace pycuda {
namespace {

/// All there ever were: what a thread leaves at its end is the next one's.
std::atomic<ThreadUses*> all{nullptr};
constinit thread_local ThreadUses* mine = nullptr;

long barrier(int command) noexcept {
    return ::syscall(SYS_membarrier, command, 0, 0);
}

}  // namespace

const bool ThreadUses::has_remote_barrier = barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;

ThreadUses& ThreadUses::of_this_thread() {
    return mine ? *mine : first_of_this_thread();
}

ThreadUses& ThreadUses::first_of_this_thread() {
    struct Leaving {
        ~Leaving() {
            if (mine) mine->taken_.store(false, std::memory_order_release);
            mine = nullptr;
        }
    };
    for (ThreadUses* left = all.load(); left && !mine; left = left->next_)
        if (bool taken = false; left->taken_.compare_exchange_strong(taken, true)) mine = left;
    if (!mine) {
        mine = new ThreadUses;
        mine->next_ = all.load();
        while (!all.compare_exchange_weak(mine->next_, mine)) {
        }
    }
    thread_local const Leaving leaving;
    static_cast<void>(leaving);
    return *mine;
}

bool ThreadUses::any(const void* what) noexcept {
    const ThreadUses* const known = all.load();
    // A thread that begins its first use from here on has passed a barrier to get on the list.
    if (has_remote_barrier && known && (known != mine || known->next_)) barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    for (const ThreadUses* thread = known; thread; thread = thread->next_)
        for (const auto& used : thread->used_)
            if (used.load(std::memory_order_seq_cst) == what) return true;
    return false;
}

void ThreadUses::raise_too_many() {
    throw std::length_error("more than 32 driver objects are in use by nested calls of one thread");
}

}  // namespace pycuda
