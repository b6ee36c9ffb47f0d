#include "cells.hpp"

#include <sys/mman.h>

#include <atomic>
#include <mutex>
#include <new>

#include "pycuda/spin_lock.hpp"

namespace pycuda::gpuarray {
namespace {

constexpr std::size_t stretch_bytes = 256 << 10;
#ifdef __SANITIZE_ADDRESS__
constexpr bool use_cells = false;  // it finds the use of what has been deleted
#else
constexpr bool use_cells = true;
#endif

struct Cell {
    Cell* next;
};

// Without destructors: arrays are used until the process ends.
constinit SpinLock lock;
constinit Cell* held = nullptr;                   ///< under the lock, as what follows
constinit char *fresh = nullptr, *end = nullptr;  ///< what was never used of the last stretch
constinit std::atomic<Cell*> given{nullptr};      ///< by any thread, without the lock

void ask_for_stretch() {
    void* const stretch =
        mmap(nullptr, stretch_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (stretch == MAP_FAILED) throw std::bad_alloc();
    fresh = static_cast<char*>(stretch);
    end = fresh + stretch_bytes / cell_bytes * cell_bytes;
}

}  // namespace

void* take_cell(std::size_t bytes) {
    if (!use_cells || bytes > cell_bytes) return ::operator new(bytes);
    const std::lock_guard guard(lock);
    if (!held) held = given.exchange(nullptr, std::memory_order_acquire);
    if (Cell* const cell = held) {
        held = cell->next;
        return cell;
    }
    if (fresh == end) ask_for_stretch();
    void* const cell = fresh;
    fresh += cell_bytes;
    return cell;
}

void give_cell(void* memory, std::size_t bytes) noexcept {
    if (!use_cells || bytes > cell_bytes) return ::operator delete(memory);
    Cell* const cell = ::new (memory) Cell{given.load(std::memory_order_relaxed)};
    while (!given.compare_exchange_weak(cell->next, cell, std::memory_order_release, std::memory_order_relaxed)) {
    }
}

}  // namespace pycuda::gpuarray
