#include "state/memory/packed_pages.hpp"

#include "state/memory/page_block.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <vector>

namespace cpu::state::packed_pages {

namespace {

constexpr std::size_t mapping_bytes = std::size_t{64} << 20;

struct Pages {
    std::mutex mutex;
    std::uintptr_t next = 0, end = 0;  ///< what is left of the last mapping
    std::map<std::size_t, std::vector<std::uintptr_t>> free;
};

/// Leaked, like the mappings: streams run while the process exits.
Pages& pages() {
    static auto* const instance = new Pages;
    return *instance;
}

}  // namespace

std::uintptr_t take(std::size_t bytes) noexcept {
    Pages& all = pages();
    std::lock_guard lock(all.mutex);
    if (const auto same = all.free.find(bytes); same != all.free.end() && !same->second.empty()) {
        const std::uintptr_t address = same->second.back();
        same->second.pop_back();
        return address;
    }
    const std::size_t needed = bytes + page_size();
    if (all.end - all.next < needed) {
        const std::size_t size = std::max(mapping_bytes, needed + page_size());
        void* const made = platform::map_pages(size);
        if (!made) return 0;
        all.next = reinterpret_cast<std::uintptr_t>(made) + page_size();
        all.end = reinterpret_cast<std::uintptr_t>(made) + size;
    }
    const std::uintptr_t address = all.next;
    all.next += needed;
    return address;
}

void give(void* address, std::size_t bytes) noexcept try {
    platform::clear_pages(address, bytes);
    Pages& all = pages();
    std::lock_guard lock(all.mutex);
    all.free[bytes].push_back(reinterpret_cast<std::uintptr_t>(address));
} catch (const std::bad_alloc&) {
    // The pages are empty, and stay unused.
}

}  // namespace cpu::state::packed_pages
