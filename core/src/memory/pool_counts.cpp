// Counters of a pool, and how its errors report them.
#include <mutex>

#include "pycuda/error.hpp"
#include "pycuda/memory_pool.hpp"

namespace pycuda {

std::size_t MemoryPool::held_blocks() const noexcept {
    const std::lock_guard lock(lock_);
    return held_;
}

std::size_t MemoryPool::active_blocks() const noexcept {
    const std::lock_guard lock(lock_);
    return active_;
}

std::size_t MemoryPool::managed_bytes() const noexcept {
    const std::lock_guard lock(lock_);
    return managed_bytes_;
}

std::size_t MemoryPool::active_bytes() const noexcept {
    const std::lock_guard lock(lock_);
    return active_bytes_;
}

void MemoryPool::fail(std::size_t bytes, CUresult result) const {
    raise(routine(), result,
          "a pool asked for " + std::to_string(alloc_size(bin_number(bytes))) +
              " bytes (request: " + std::to_string(bytes) + "); " + std::to_string(active_bytes()) +
              " bytes are in use, " + std::to_string(held_blocks()) + " blocks are held");
}

}  // namespace pycuda
