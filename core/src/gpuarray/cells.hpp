#pragma once

#include <cstddef>

namespace pycuda::gpuarray {

/// Memory for the small objects of which arrays are made. Languages with a collector make new ones long before the old
/// ones are deleted, by another thread: the general allocator then asks the system for every few of them, which costs
/// more than the operation. Cells come from stretches of memory that are asked for as a whole, in order, and are used
/// again; the process keeps as many as it once needed. Thread-safe.
inline constexpr std::size_t cell_bytes = 80;  // larger objects come from the general allocator
void* take_cell(std::size_t bytes);
void give_cell(void* cell, std::size_t bytes) noexcept;

/// For std::allocate_shared.
template <class T>
struct CellAllocator {
    using value_type = T;
    CellAllocator() = default;
    template <class U>
    CellAllocator(const CellAllocator<U>&) noexcept {}
    T* allocate(std::size_t count) { return static_cast<T*>(take_cell(count * sizeof(T))); }
    void deallocate(T* cell, std::size_t count) noexcept { give_cell(cell, count * sizeof(T)); }
    bool operator==(const CellAllocator&) const noexcept { return true; }
};

}  // namespace pycuda::gpuarray
