// Counters of a pool, and how its errors report them.
#include <mutex>

#include "pools/pool_shelf.hpp"
#include "pycuda/driver/failures.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/pools/memory_pool.hpp"

namespace pycuda {

PoolCounts MemoryPool::counts() const noexcept {
    PoolCounts all;
    const AllLocks locks = lock_all();  // blocks move from shelf to shelf
    visit_shelves([&](PoolShelf& shelf) {
        all.held_blocks += shelf.counts.held_blocks;
        all.active_blocks += shelf.counts.active_blocks;
        all.managed_bytes += shelf.counts.managed_bytes;
        all.active_bytes += shelf.counts.active_bytes;
    });
    return all;
}

void MemoryPool::fail(std::size_t bytes, CUresult result) const {
    const PoolCounts now = counts();
    raise(routine(), result,
          "a pool asked for " + std::to_string(alloc_size(bin_number(bytes))) +
              " bytes (request: " + std::to_string(bytes) + "); " + std::to_string(now.active_bytes) +
              " bytes are in use, " + std::to_string(now.held_blocks) + " blocks are held");
}

}  // namespace pycuda
