// How a pool returns memory to the driver.
#include <mutex>

#include "pools/memory_pools.hpp"
#include "pools/pool_shelf.hpp"
#include "pycuda/pools/memory_pool.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {

std::atomic<long>& live_pooled_memory() {
    static std::atomic<long>& counter = live_handle_counter("pooled memory");
    return counter;
}

/// False if there is nothing to return.
bool MemoryPool::release_largest(Context& context) noexcept {
    const CleanupScope scope(context);
    if (!scope || (is_of_graph_ && holding_)) return false;
    for (;;) {
        PoolShelf* fullest = nullptr;
        unsigned bin = 0;
        visit_shelves([&](PoolShelf& shelf) {
            const std::lock_guard lock(shelf.lock);
            if (shelf.counts.held_blocks == 0) return;
            unsigned largest = PoolShelf::bin_count - 1;
            while (shelf.bins[largest].held.empty()) --largest;
            if (fullest && largest <= bin) return;
            fullest = &shelf;
            bin = largest;
        });
        if (!fullest) return false;
        std::uint64_t address = 0;
        {
            const std::lock_guard lock(fullest->lock);
            const std::size_t held = fullest->bins[bin].held.size();
            if (held == 0) continue;  // another thread has taken it
            address = fullest->remove(bin, held - 1).address;
            fullest->remove_blocks(bin, 1);
        }
        --live_pooled_memory();
        release(address);
        return true;
    }
}

void MemoryPool::free_held() noexcept {
    clean_up_unlocked([self = shared_from_this(), context = this->context()] {
        while (context && self->release_largest(*context)) {
        }
    });
}

void MemoryPool::stop_holding() noexcept {
    // A block that another thread returns now is either on a shelf before free_held looks there, or its thread sees the
    // flag and releases it. This needs one order of all threads (sequential consistency), here and at the context's
    // end.
    holding_.store(false);
    free_held();
}

void MemoryPool::context_ends(bool reachable) noexcept {
    alive_.store(false);
    visit_shelves([&](PoolShelf& shelf) {
        std::vector<PoolShelf::Held> ending;
        for (unsigned bin = 0; bin < PoolShelf::bin_count; ++bin) {
            {
                const std::lock_guard lock(shelf.lock);
                ending.swap(shelf.bins[bin].held);
                shelf.remove_blocks(bin, ending.size());
                shelf.counts.held_blocks -= ending.size();
            }
            for (const PoolShelf::Held& held : ending)
                if (reachable) release(held.address);
            live_pooled_memory() -= static_cast<long>(ending.size());
            ending.clear();
        }
    });
}

}  // namespace pycuda
