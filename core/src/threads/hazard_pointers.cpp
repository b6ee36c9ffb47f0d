#include "pycuda/threads/hazard_pointers.hpp"

#include <stdexcept>

#include "platform/environment.hpp"
#include "platform/process_barrier.hpp"
#include "pycuda/threads/per_thread.hpp"

namespace pycuda {
namespace {

std::atomic<HazardPointers*> all{nullptr};
constinit thread_local HazardPointers* mine = nullptr;

}  // namespace

/// PYCUDA_MEMBARRIER=0 behaves as a system without it, for tests.
const bool HazardPointers::has_remote_barrier = environment("PYCUDA_MEMBARRIER") != "0" && prepare_process_barrier();

HazardPointers& HazardPointers::of_this_thread() {
    return mine ? *mine : first_of_this_thread();
}

HazardPointers& HazardPointers::first_of_this_thread() {
    return pycuda::first_of_this_thread(all, mine, &HazardPointers::taken_, &HazardPointers::next_);
}

bool HazardPointers::any(const void* what) noexcept {
    const HazardPointers* const known = all.load();
    // A thread that begins its first use from here on has passed a barrier when it joined the list.
    if (has_remote_barrier && known && (known != mine || known->next_)) process_barrier();
    for (const HazardPointers* thread = known; thread; thread = thread->next_)
        for (const auto& used : thread->used_)
            if (used.load(std::memory_order_seq_cst) == what) return true;
    return false;
}

void HazardPointers::raise_too_many() {
    throw std::length_error("more than 32 driver objects are in use by nested calls of one thread");
}

}  // namespace pycuda
