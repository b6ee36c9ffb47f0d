#include "pycuda/threads/hazard_pointers.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "pycuda/threads/per_thread.hpp"

namespace pycuda {
namespace {

std::atomic<HazardPointers*> all{nullptr};
constinit thread_local HazardPointers* mine = nullptr;

long barrier(int command) noexcept {
    return ::syscall(SYS_membarrier, command, 0, 0);
}

}  // namespace

/// PYCUDA_MEMBARRIER=0 behaves as a system without it, for tests.
const bool HazardPointers::has_remote_barrier = [] {
    const char* const wanted = std::getenv("PYCUDA_MEMBARRIER");
    return !(wanted && std::string_view(wanted) == "0") && barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}();

HazardPointers& HazardPointers::of_this_thread() {
    return mine ? *mine : first_of_this_thread();
}

HazardPointers& HazardPointers::first_of_this_thread() {
    return pycuda::first_of_this_thread(all, mine, &HazardPointers::taken_, &HazardPointers::next_);
}

bool HazardPointers::any(const void* what) noexcept {
    const HazardPointers* const known = all.load();
    // A thread that begins its first use from here on has passed a barrier when it joined the list.
    if (has_remote_barrier && known && (known != mine || known->next_)) barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    for (const HazardPointers* thread = known; thread; thread = thread->next_)
        for (const auto& used : thread->used_)
            if (used.load(std::memory_order_seq_cst) == what) return true;
    return false;
}

void HazardPointers::raise_too_many() {
    throw std::length_error("more than 32 driver objects are in use by nested calls of one thread");
}

}  // namespace pycuda
