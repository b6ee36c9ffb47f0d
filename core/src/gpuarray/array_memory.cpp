// Memory for the small objects that every array consists of.

#include <array>
#include <atomic>
#include <mutex>
#include <new>
#include <utility>

#include "platform/pages.hpp"
#include "pycuda/gpuarray/array.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/threads/per_thread.hpp"
#include "pycuda/threads/spin_lock.hpp"

namespace pycuda::gpuarray {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool reuses_memory = false;  // a sanitizer detects use after free
#else
constexpr bool reuses_memory = true;
#endif

// Cells are memory for these objects. With a garbage collector, new objects are created long before another thread
// deletes old ones. The general allocator then asks the system for memory every few objects, which costs more than the
// operation. Cells are cut in order from large pieces of memory and reused; the process keeps as many as it ever needed
// at once. Thread-safe.

constexpr std::size_t cell_bytes = 96;  // larger objects come from the general allocator
constexpr std::size_t stretch_bytes = 256 << 10;

struct Cell {
    Cell* next;
};

// Without destructors: arrays are used until the process ends.
constinit SpinLock lock;
constinit Cell* held = nullptr;                   ///< guarded by the lock, like those below
constinit char *fresh = nullptr, *end = nullptr;  ///< the unused part of the last piece
constinit std::atomic<Cell*> given{nullptr};      ///< returned by any thread, without the lock

void ask_for_stretch() {
    void* const stretch = take_pages(stretch_bytes);
    if (!stretch) throw std::bad_alloc();
    fresh = static_cast<char*>(stretch);
    end = fresh + stretch_bytes / cell_bytes * cell_bytes;
}

void* take_cell(std::size_t bytes) {
    if (!reuses_memory || bytes > cell_bytes) return ::operator new(bytes);
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
    if (!reuses_memory || bytes > cell_bytes) return ::operator delete(memory);
    Cell* const cell = ::new (memory) Cell{given.load(std::memory_order_relaxed)};
    while (!given.compare_exchange_weak(cell->next, cell, std::memory_order_release, std::memory_order_relaxed)) {
    }
}

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

static_assert(sizeof(Array) <= cell_bytes && sizeof(PooledDeviceAllocation) + 2 * sizeof(void*) <= cell_bytes);

}  // namespace

void* Array::operator new(std::size_t bytes) {
    return take_cell(bytes);
}

void Array::operator delete(void* array, std::size_t bytes) noexcept {
    give_cell(array, bytes);
}

Array::Array(const std::shared_ptr<MemoryPool>& pool, PoolBlock block, DType dtype, SharedLayout layout)
    : dtype_(dtype), layout_(std::move(layout)) {
    std::shared_ptr<PooledDeviceAllocation> memory;
    try {
        memory = std::allocate_shared<PooledDeviceAllocation>(CellAllocator<PooledDeviceAllocation>(), pool, block);
    } catch (...) {
        pool->give(block);
        throw;
    }
    pooled_ = memory.get();
    memory_ = std::move(memory);
}

/// One thread's closed, unreferenced arrays, kept for reuse.
struct Array::Retired {
    std::array<Array*, 16> arrays;
    std::size_t count = 0;
    std::atomic<bool> taken{true};
    Retired* next = nullptr;

    static inline std::atomic<Retired*> all{nullptr};
    static inline constinit thread_local Retired* mine = nullptr;

    static Retired& of_this_thread() {
        return mine ? *mine : first_of_this_thread(all, mine, &Retired::taken, &Retired::next);
    }
};

std::unique_ptr<Array> Array::try_beside(const Current& now, DType dtype, const SharedLayout& packed,
                                         CUstream stream) const {
    PoolBlock block;
    const auto nbytes = static_cast<std::size_t>(packed->nbytes());
    if (allocator_ || nbytes == 0 || !now.pool->try_take(nbytes, stream, block)) return nullptr;
    if (Retired* const retired = Retired::mine; retired && retired->count != 0) [[likely]] {
        std::unique_ptr<Array> again(retired->arrays[--retired->count]);
        if (again->pooled_->is_of(*now.pool)) [[likely]] {
            if (again->layout_ != packed) again->layout_ = packed;
            again->dtype_ = dtype;
            again->pooled_->reopen(block);
            return again;
        }
    }
    return std::make_unique<Array>(Array(now.pool, block, dtype, packed));
}

std::unique_ptr<Array> Array::try_like(const Current& now, DType dtype, CUstream stream) const {
    if (!layout_->is_dense()) return nullptr;
    const std::int64_t itemsize = info(dtype).size;
    if (layout_->itemsize() == itemsize) [[likely]]
        return try_beside(now, dtype, layout_, stream);
    return try_beside(now, dtype, shared_layout(layout_->packed_like(itemsize)), stream);
}

void Array::retire(std::unique_ptr<Array> array) noexcept {
    const bool is_whole = array->pooled_ && array->address_ == 0 && !array->allocator_;
    if (!reuses_memory || !is_whole || array->memory_.use_count() != 1) return array->close();
    std::atomic_thread_fence(std::memory_order_acquire);  // other threads may have had views of it
    array->pooled_->close_alone();
    try {
        Retired& retired = Retired::of_this_thread();
        if (retired.count < retired.arrays.size()) retired.arrays[retired.count++] = array.release();
    } catch (const std::bad_alloc&) {
    }
}

}  // namespace pycuda::gpuarray
