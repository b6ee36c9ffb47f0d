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
constexpr std::uint64_t largest = 1ull << 30;

struct Heap {
    std::mutex mutex;
    std::map<std::uint64_t, std::pair<Memory*, void*>> blocks;
};

Heap& heap() {
    static Heap* const leaked = new Heap;
    return *leaked;
}

}  // namespace

std::uint64_t device_heap_allocate(Memory& memory, std::uint64_t size) {
    if (size == 0 || size > largest) return 0;
    void* raw = std::aligned_alloc(16, (size + 2 * gap + 15) / 16 * 16);
    if (!raw) return 0;
    const std::uint64_t address = reinterpret_cast<std::uint64_t>(raw) + gap;
    std::lock_guard lock(heap().mutex);
    heap().blocks[address] = {&memory, raw};
    written_bytes::track(address, size);
    memory.add({address, size, false});
    return address;
}

bool device_heap_free(Memory& memory, std::uint64_t address) {
    if (address == 0) return true;
    std::lock_guard lock(heap().mutex);
    const auto found = heap().blocks.find(address);
    if (found == heap().blocks.end() || found->second.first != &memory) return false;
    memory.remove(address);
    written_bytes::forget(address);
    std::free(found->second.second);
    heap().blocks.erase(found);
    return true;
}

}  // namespace cpu::exec
