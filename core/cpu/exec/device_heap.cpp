#include "exec/device_heap.hpp"

#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "exec/written_bytes.hpp"

namespace cpu::exec {

namespace {

/// Unregistered bytes around each block, so that an overrun is seen.
constexpr std::uint64_t gap = 64;

struct Block {
    Memory* memory;
    void* raw;
    std::uint64_t size;
};

struct Heap {
    std::mutex mutex;
    std::map<std::uint64_t, Block> blocks;
    std::map<Memory*, std::uint64_t> used;
};

Heap& heap() {
    static Heap* const leaked = new Heap;
    return *leaked;
}

}  // namespace

std::uint64_t device_heap_allocate(Memory& memory, std::uint64_t size, std::uint64_t limit) {
    if (size == 0 || size > limit) return 0;
    std::lock_guard lock(heap().mutex);
    std::uint64_t& used = heap().used[&memory];
    if (used > limit - size) return 0;
    void* raw = std::aligned_alloc(16, (size + 2 * gap + 15) / 16 * 16);
    if (!raw) return 0;
    const std::uint64_t address = reinterpret_cast<std::uint64_t>(raw) + gap;
    heap().blocks[address] = {&memory, raw, size};
    used += size;
    written_bytes::track(address, size);
    memory.add({address, size, false});
    return address;
}

bool device_heap_free(Memory& memory, std::uint64_t address) {
    if (address == 0) return true;
    std::lock_guard lock(heap().mutex);
    const auto found = heap().blocks.find(address);
    if (found == heap().blocks.end() || found->second.memory != &memory) return false;
    memory.remove(address);
    written_bytes::forget(address);
    heap().used[&memory] -= found->second.size;
    std::free(found->second.raw);
    heap().blocks.erase(found);
    return true;
}

void device_heap_release(Memory& memory) {
    std::lock_guard lock(heap().mutex);
    if (heap().used.erase(&memory) == 0) return;  // it never had any
    std::erase_if(heap().blocks, [&](const auto& entry) {
        const auto& [address, block] = entry;
        if (block.memory != &memory) return false;
        written_bytes::forget(address);
        std::free(block.raw);
        return true;
    });
}

}  // namespace cpu::exec
