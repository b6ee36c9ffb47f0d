#include "state/memory/retired_pages.hpp"

#include "platform/pages.hpp"

#include <atomic>
#include <list>
#include <mutex>
#include <new>
#include <utility>

namespace cpu::state::retired_pages {

namespace {

/// Launches may never end, and the number of mappings is limited: beyond this number the oldest pages are released.
constexpr std::size_t max_kept = 1024;

struct Pages {
    void* address;
    std::size_t bytes;
    Release release;
};

struct Retired {
    std::atomic<unsigned> launches{0};
    std::mutex mutex;
    std::list<Pages> kept;
};

Retired& retired() {
    static auto* const leaked = new Retired;  // streams run while the process exits
    return *leaked;
}

void release_now(const Pages& pages) noexcept {
    pages.release(pages.address, pages.bytes);
}

/// False if there is no memory for the record.
bool keep(Retired& all, const Pages& pages) noexcept try {
    std::lock_guard lock(all.mutex);
    all.kept.push_back(pages);
    platform::discard_pages(pages.address, pages.bytes);
    if (all.kept.size() > max_kept) {
        release_now(all.kept.front());
        all.kept.pop_front();
    }
    return true;
} catch (const std::bad_alloc&) {
    return false;
}

}  // namespace

void retire(void* address, std::size_t bytes, Release release) noexcept {
    // Kernels were notified of the free before. One that has not seen the notice has already begun, so it is counted
    // here.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const Pages pages{address, bytes, release};
    if (retired().launches.load() == 0 || !keep(retired(), pages)) release_now(pages);
}

RunningLaunch::RunningLaunch() noexcept {
    retired().launches.fetch_add(1);
    // With the fence in retire(): a launch that retire() did not count sees that the memory is gone. Without this
    // fence, the launch could read the list of allocations (an acquiring load) before its count becomes visible.
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

RunningLaunch::~RunningLaunch() {
    Retired& all = retired();
    if (all.launches.fetch_sub(1) != 1) return;
    std::list<Pages> kept;
    {
        std::lock_guard lock(all.mutex);
        if (all.kept.empty() || all.launches.load() != 0) return;
        kept.swap(all.kept);
    }
    for (const Pages& pages : kept) release_now(pages);
}

}  // namespace cpu::state::retired_pages
