#include "platform/pages.hpp"

#include "platform/windows/placeholders.hpp"

#include <windows.h>
// After it.
#include <psapi.h>

#include <algorithm>
#include <cstdint>

namespace cpu::platform {

namespace {

/// Calls `visit` with each range of pages that are alike, cut to the given range.
template <class Visit>
bool visit_regions(const void* address, std::size_t bytes, const Visit& visit) noexcept {
    const auto* at = static_cast<const unsigned char*>(address);
    const auto* const end = at + bytes;
    while (at < end) {
        MEMORY_BASIC_INFORMATION info;
        if (!VirtualQuery(at, &info, sizeof info)) return false;
        const auto* const next = std::min(static_cast<const unsigned char*>(info.BaseAddress) + info.RegionSize, end);
        if (!visit(const_cast<unsigned char*>(at), static_cast<std::size_t>(next - at), info)) return false;
        at = next;
    }
    return true;
}

}  // namespace

std::size_t page_size() noexcept {
    static const std::size_t size = [] {
        SYSTEM_INFO info;
        GetSystemInfo(&info);
        return info.dwPageSize;
    }();
    return size;
}

void* map_pages(std::size_t bytes) noexcept {
    return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void* reserve_addresses(std::size_t bytes) noexcept {
    return reserve_addresses_at(nullptr, bytes);
}

void* reserve_addresses_at(void* address, std::size_t bytes) noexcept {
    return placeholders::exist() ? placeholders::reserve(address, bytes, 0)
                                 : VirtualAlloc(address, bytes, MEM_RESERVE, PAGE_NOACCESS);
}

void* reserve_aligned_addresses(std::size_t bytes, std::size_t alignment) noexcept {
    if (placeholders::exist()) return placeholders::reserve(nullptr, bytes, alignment);
    constexpr int attempts = 16;  // another thread may take the addresses between two calls
    for (int n = 0; n < attempts; ++n) {
        void* const whole = reserve_addresses(bytes + alignment);
        if (!whole) return nullptr;
        VirtualFree(whole, 0, MEM_RELEASE);
        const std::uintptr_t base = (reinterpret_cast<std::uintptr_t>(whole) + alignment - 1) / alignment * alignment;
        if (void* const aligned = reserve_addresses_at(reinterpret_cast<void*>(base), bytes)) return aligned;
    }
    return nullptr;
}

bool map_pages_at(void* address, std::size_t bytes) noexcept {
    if (placeholders::exist()) return placeholders::clear(address, bytes) && placeholders::put_pages(address, bytes);
    return VirtualAlloc(address, bytes, MEM_COMMIT, PAGE_READWRITE) != nullptr;
}

bool take_pages_away(void* address, std::size_t bytes) noexcept {
    return placeholders::exist() ? placeholders::clear(address, bytes) : VirtualFree(address, bytes, MEM_DECOMMIT);
}

/// What has been released may be another thread's the next moment: so find the end of each allocation, or view, before
/// it is released.
void unmap_pages(void* address, std::size_t bytes) noexcept {
    auto* at = static_cast<unsigned char*>(address);
    unsigned char* const end = at + bytes;
    MEMORY_BASIC_INFORMATION first, next;
    while (at < end && VirtualQuery(at, &first, sizeof first)) {
        auto* after = at + first.RegionSize;
        const bool begins_here = first.State != MEM_FREE && first.AllocationBase == at;
        while (begins_here && after < end && VirtualQuery(after, &next, sizeof next) && next.State != MEM_FREE &&
               next.AllocationBase == at)
            after += next.RegionSize;
        if (begins_here && !(first.Type == MEM_MAPPED ? UnmapViewOfFile(at) : VirtualFree(at, 0, MEM_RELEASE))) return;
        at = after;
    }
}

void discard_pages(void* address, std::size_t bytes) noexcept {
    visit_regions(address, bytes, [](void* at, std::size_t size, const MEMORY_BASIC_INFORMATION& info) {
        if (info.State == MEM_COMMIT) VirtualAlloc(at, size, MEM_RESET, PAGE_READWRITE);
        return true;
    });
}

void clear_pages(void* address, std::size_t bytes) noexcept {
    if (VirtualFree(address, bytes, MEM_DECOMMIT)) VirtualAlloc(address, bytes, MEM_COMMIT, PAGE_READWRITE);
}

bool is_mapped(const void* address, std::size_t bytes) noexcept {
    return visit_regions(address, bytes, [](void*, std::size_t, const MEMORY_BASIC_INFORMATION& info) {
        return info.State == MEM_COMMIT && (info.Protect & (PAGE_NOACCESS | PAGE_GUARD)) == 0;
    });
}

std::optional<bool> is_resident(const void* address) noexcept {
    PSAPI_WORKING_SET_EX_INFORMATION page{};
    page.VirtualAddress = const_cast<void*>(address);
    if (!is_mapped(address, 1) || !K32QueryWorkingSetEx(GetCurrentProcess(), &page, sizeof page)) return std::nullopt;
    return page.VirtualAttributes.Valid != 0;
}

/// There is no limit.
long max_mappings() noexcept {
    return 1L << 30;
}

}  // namespace cpu::platform
