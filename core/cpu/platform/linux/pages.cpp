#include "platform/pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>

namespace cpu::platform {

namespace {

constexpr int plain = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

void* map(void* address, std::size_t bytes, int access, int flags) noexcept {
    void* const made = mmap(address, bytes, access, flags, -1, 0);
    return made == MAP_FAILED ? nullptr : made;
}

}  // namespace

std::size_t page_size() noexcept {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

void* map_pages(std::size_t bytes) noexcept {
    return map(nullptr, bytes, PROT_READ | PROT_WRITE, plain);
}

void* reserve_addresses(std::size_t bytes) noexcept {
    return map(nullptr, bytes, PROT_NONE, plain);
}

void* reserve_addresses_at(void* address, std::size_t bytes) noexcept {
    return map(address, bytes, PROT_NONE, plain | MAP_FIXED_NOREPLACE);
}

void* reserve_aligned_addresses(std::size_t bytes, std::size_t alignment) noexcept {
    void* const whole = reserve_addresses(bytes + alignment);
    if (!whole) return nullptr;
    const auto start = reinterpret_cast<std::uintptr_t>(whole);
    const std::uintptr_t base = (start + alignment - 1) / alignment * alignment;
    if (base != start) munmap(whole, base - start);
    if (const std::size_t behind = start + alignment - base) munmap(reinterpret_cast<void*>(base + bytes), behind);
    return reinterpret_cast<void*>(base);
}

bool map_pages_at(void* address, std::size_t bytes) noexcept {
    return mprotect(address, bytes, PROT_READ | PROT_WRITE) == 0;
}

bool take_pages_away(void* address, std::size_t bytes) noexcept {
    return map(address, bytes, PROT_NONE, plain | MAP_FIXED) != nullptr;
}

void unmap_pages(void* address, std::size_t bytes) noexcept {
    munmap(address, bytes);
}

void discard_pages(void* address, std::size_t bytes) noexcept {
    madvise(address, bytes, MADV_DONTNEED);
}

void clear_pages(void* address, std::size_t bytes) noexcept {
    madvise(address, bytes, MADV_DONTNEED);
}

bool is_mapped(const void* address, std::size_t bytes) noexcept {
    std::array<unsigned char, 4096> residency;  // of one part
    const auto start = reinterpret_cast<std::uintptr_t>(address);
    for (std::uintptr_t at = start / page_size() * page_size(); at < start + bytes;) {
        const std::size_t part = std::min(start + bytes - at, residency.size() * page_size());
        if (mincore(reinterpret_cast<void*>(at), part, residency.data()) != 0) return false;
        at += part;
    }
    return true;
}

std::optional<bool> is_resident(const void* address) noexcept {
    unsigned char residency = 0;
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) / page_size() * page_size();
    if (mincore(reinterpret_cast<void*>(page), page_size(), &residency) != 0) return std::nullopt;
    return (residency & 1) != 0;
}

long max_mappings() noexcept {
    long mappings = 65530;  // Linux's default
    std::ifstream("/proc/sys/vm/max_map_count") >> mappings;
    return mappings;
}

}  // namespace cpu::platform
