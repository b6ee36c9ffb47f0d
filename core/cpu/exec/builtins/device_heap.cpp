#include "exec/builtins/device_heap.hpp"

#include <bit>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "exec/checks/written_bytes.hpp"

namespace cpu::exec {

namespace {

/// Unregistered bytes around each block make overruns detectable.
constexpr std::uint64_t gap = 64;
constexpr std::uint64_t max_heap_bytes = std::uint64_t{1} << 46;

struct HeapBlock {
    Memory* memory;
    void* raw;
    std::uint64_t size;
};

struct Heap {
    std::mutex mutex;
    std::map<std::uint64_t, HeapBlock> blocks;
    std::map<Memory*, std::uint64_t> used;
    /// Freed blocks by owner and room, oldest first. They are not returned to the host's heap: another thread whose
    /// access has just passed its check must not write into memory that the host reuses.
    std::map<std::pair<Memory*, std::uint64_t>, std::deque<void*>> freed;
};

/// Bytes taken from the host for a block.
std::uint64_t room_for(std::uint64_t size) {
    return std::bit_ceil(size + 2 * gap);
}

Heap& heap() {
    static Heap* const leaked = new Heap;
    return *leaked;
}

void free_room(void* raw) noexcept {
    ::operator delete(raw, std::align_val_t{gap});
}

void* take_room(Memory& memory, std::uint64_t room) {
    auto& freed = heap().freed[{&memory, room}];
    if (freed.empty()) return ::operator new(room, std::align_val_t{gap}, std::nothrow);
    void* const oldest = freed.front();
    freed.pop_front();
    return oldest;
}

}  // namespace

std::uint64_t device_heap_allocate(Memory& memory, std::uint64_t size, std::uint64_t limit) {
    if (size == 0 || size > limit || size > max_heap_bytes) return 0;
    std::lock_guard lock(heap().mutex);
    std::uint64_t& used = heap().used[&memory];
    if (used > limit - size) return 0;
    void* const raw = take_room(memory, room_for(size));
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
    heap().freed[{&memory, room_for(found->second.size)}].push_back(found->second.raw);
    heap().blocks.erase(found);
    return true;
}

void device_heap_release(Memory& memory) {
    std::lock_guard lock(heap().mutex);
    if (heap().used.erase(&memory) == 0) return;  // nothing was ever allocated from it
    std::erase_if(heap().blocks, [&](const auto& entry) {
        const auto& [address, block] = entry;
        if (block.memory != &memory) return false;
        written_bytes::forget(address);
        free_room(block.raw);
        return true;
    });
    std::erase_if(heap().freed, [&](const auto& entry) {
        if (entry.first.first != &memory) return false;
        for (void* const raw : entry.second) free_room(raw);
        return true;
    });
}

}  // namespace cpu::exec
