#pragma once

#include <cuda.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "pycuda/driver/open_captures.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/threads/spin_lock.hpp"

namespace pycuda {

class Stream;

#ifndef SWIG
class StreamOrder;
class MemoryPool;
struct PoolLease;
struct PoolLeases;
struct PoolShelf;

/// The queued work that last used a block, in one word. Most blocks have one stream all their life.
class LastUse {
public:
    LastUse() = default;
    static LastUse none() noexcept { return LastUse(none_bits); }
    /// Several streams, in unknown order.
    static LastUse many() noexcept { return LastUse(many_bits); }
    static LastUse of(CUstream stream) noexcept { return LastUse(reinterpret_cast<std::uintptr_t>(stream)); }
    /// Whatever was queued in the context up to the end of an epoch (StreamOrder).
    static LastUse of_epoch(std::uint64_t epoch) noexcept { return LastUse(epoch_bits | epoch); }

    bool is(CUstream stream) const noexcept { return bits_ == reinterpret_cast<std::uintptr_t>(stream); }
    bool is_none() const noexcept { return bits_ == none_bits; }
    bool is_many() const noexcept { return bits_ == many_bits; }
    bool is_epoch() const noexcept { return (bits_ & ~epoch_mask) == epoch_bits; }
    std::uint64_t epoch() const noexcept { return bits_ & epoch_mask; }
    CUstream stream() const noexcept { return reinterpret_cast<CUstream>(bits_); }
    /// For blocks that several threads use at a time. A thread that reads a stream here queues its work at once: the
    /// order that was established before the store must then be visible to it, too.
    LastUse load() const noexcept {
        return LastUse(std::atomic_ref(const_cast<std::uintptr_t&>(bits_)).load(std::memory_order_acquire));
    }
    void store(LastUse use) noexcept { std::atomic_ref(bits_).store(use.bits_, std::memory_order_release); }
    /// Whether work on the stream of `this` is already ordered after `earlier`, so that no event is needed. The
    /// implicit order between the default stream and others does not count: recorded work may never have been queued,
    /// for example if a launch was rejected.
    bool comes_after(LastUse earlier) const noexcept {
        return earlier.is_none() || (earlier.bits_ == bits_ && !is_many());
    }

private:
    // Handles of streams have no high bits.
    static constexpr std::uintptr_t none_bits = ~std::uintptr_t{0};
    static constexpr std::uintptr_t many_bits = none_bits - 1;
    static constexpr std::uintptr_t epoch_bits = std::uintptr_t{1} << 63;
    static constexpr std::uintptr_t epoch_mask = (std::uintptr_t{1} << 62) - 1;
    explicit LastUse(std::uintptr_t bits) noexcept : bits_(bits) {}

    alignas(std::atomic_ref<std::uintptr_t>::required_alignment) std::uintptr_t bits_ = none_bits;
};

/// A block of a pool. Plain data; its holder returns it exactly once.
struct PoolBlock {
    std::uint64_t address = 0;  ///< of device or page-locked memory
    std::size_t bytes = 0;      ///< the requested size
    std::uint16_t bin = 0;
    std::uint16_t shelf = 0;  ///< of the pool, where it goes back to
    /// Nonzero: it may be used on unknown streams, or by a graph.
    alignas(std::atomic_ref<std::uint32_t>::required_alignment) std::uint32_t escaped = 0;
    static constexpr std::uint32_t by_address = 1;  ///< every stream is ordered after `before`
    static constexpr std::uint32_t foreign = 2;     ///< used by a stream whose end we are not notified of
    LastUse last_use;                               ///< by its holder
    LastUse before;              ///< by the previous holder: every stream of this holder is ordered after it
    PoolLease* lease = nullptr;  ///< what the CPU device checks accesses against; null on other drivers

    /// Acquire and release as with LastUse.
    bool is_known_by_address() const noexcept {
        return std::atomic_ref(const_cast<std::uint32_t&>(escaped)).load(std::memory_order_acquire) & by_address;
    }
    void escapes(std::uint32_t how) noexcept { std::atomic_ref(escaped).fetch_or(how, std::memory_order_release); }
};

/// How many blocks and bytes a pool has.
struct PoolCounts {
    std::size_t held_blocks = 0;    ///< kept for reuse
    std::size_t active_blocks = 0;  ///< in use
    std::size_t managed_bytes = 0;  ///< of both, as allocated
    std::size_t active_bytes = 0;   ///< of the blocks in use, as requested
};

/// The references that keep a pool with users alive. The context is released before the pool.
struct PoolReferences {
    std::shared_ptr<MemoryPool> pool;
    std::shared_ptr<Context> context;
};

/// Memory of one context that is kept for reuse instead of being freed: the base of device and page-locked pools. Held
/// by std::shared_ptr; keeps itself and its context alive while blocks are active. When the context ends, held memory
/// is gone and active blocks become unusable; giving them back is still safe. Thread-safe.
///
/// For the next holder of a block, all work that was queued in the context before the block was given back has
/// completed, on every stream. Freeing memory gives the same guarantee by waiting. A pool orders streams instead:
/// - a block records the streams of its queued uses (note_use). Requesting a block for a stream is not a use;
/// - the next holder's use on the stream that was noted last is in order by itself. Any other stream waits for an event
///   at its first use;
/// - a block whose address is known elsewhere (escape), or that several streams used, counts as used by all work that
///   was queued in the context when it was returned;
/// - a returned block that a graph uses is left to the graph until the graph ends;
/// - host memory has no streams: its blocks count as used by all queued work, and are reused once that is complete.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
public:
    virtual ~MemoryPool();
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;

    // Size classes: the exponent of the size, and the four bits after its leading one; so less than 1/16 is wasted.
    static unsigned bin_number(std::size_t bytes) noexcept;
    static std::size_t alloc_size(unsigned bin) noexcept;  ///< the largest size of the class; what is really allocated

    /// Take a block, if possible one that work on `stream` (null: the default stream) can use without a wait. It is
    /// a held block if there is one (of host memory, one without pending work), else new memory from
    /// the driver, with the context current during the call. If the driver is out of memory, held blocks
    /// are freed, the largest first, until it has enough. Then the language's hook collects garbage, and
    /// bin, driver and held blocks are tried again; then those of the context's other pools; then MemoryError.
    /// LogicError if the context has ended.
    PoolBlock take(std::size_t bytes, CUstream stream = nullptr);
    /// The same for device memory, from blocks that this thread has returned: calls neither driver nor language. False
    /// if there is none.
    bool try_take(std::size_t bytes, CUstream stream, PoolBlock& block) noexcept;
    /// Return a block, on any thread, at any time. For device memory, calls neither driver nor language, unless the
    /// pool has stopped holding blocks or this block alone kept the context alive.
    void give(PoolBlock& block) noexcept { give_back(block, false); }
    /// The same for a block that the program frees: inside a call, which may hold its address, after the call.
    /// `by_call`: other threads may be inside a call with the block, as they may not if it was unreachable.
    void give_freed(PoolBlock& block, bool by_call = true) noexcept;
    /// Behave as if a block were active until release_hold(), for callers that take one block at a time. The references
    /// to pool and context, which are taken with a thread's first active block and dropped with its last, cost as much
    /// as the rest of a take and a give, and all threads count them in the same place.
    void hold() noexcept;
    void release_hold() noexcept;
    /// Record that work on `stream` uses the block: call this before that work is queued. LogicError if the context has
    /// ended.
    void note_use(PoolBlock& block, CUstream stream) {
        if (!block.last_use.load().is(stream) || any_capture_is_open()) [[unlikely]]
            note_other_use(block, stream);
    }
    /// Record that the block's address is known as a number: until the block is returned, it may be used on any stream.
    void escape(PoolBlock& block) {
        if (!block.is_known_by_address() || any_capture_is_open()) note_escape(block);
    }

    PoolCounts counts() const noexcept;  ///< a consistent snapshot
    std::size_t held_blocks() const noexcept { return counts().held_blocks; }
    std::size_t active_blocks() const noexcept { return counts().active_blocks; }
    std::size_t managed_bytes() const noexcept { return counts().managed_bytes; }
    std::size_t active_bytes() const noexcept { return counts().active_bytes; }
    /// Free all held blocks. Waits for work that uses them.
    void free_held() noexcept;
    /// From now on free returned blocks at once, and the held ones now.
    void stop_holding() noexcept;

    bool is_on_hold() const noexcept { return holds_.load() != 0; }
    /// False once the context has ended.
    bool is_alive() const noexcept { return alive_.load(std::memory_order_acquire); }
    std::shared_ptr<Context> context() const noexcept { return context_.lock(); }
    virtual const char* what() const noexcept = 0;  ///< of its blocks, for messages: "pooled device allocation"
    bool is_device_memory() const noexcept { return is_device_memory_; }

    /// Called at the end of the context. `reachable`: it is current, and the driver can be called.
    void context_ends(bool reachable) noexcept;

protected:
    /// `of_graph`: for memory of captured work. A block is reused only by work that comes after its last use within the
    /// same capture, and none returns to the driver before stop_holding.
    MemoryPool(const std::shared_ptr<Context>& context, bool is_device_memory, bool of_graph = false);
    /// Allocate memory from the driver; the context is current.
    virtual CUresult obtain(std::size_t bytes, std::uint64_t& address) noexcept = 0;
    virtual void release(std::uint64_t address) noexcept = 0;
    virtual const char* routine() const noexcept = 0;  ///< the driver call of obtain

private:
    /// For device memory. A power of two: this many threads that were started one after another have a shelf each.
    static constexpr unsigned max_shelves = 32;

    PoolShelf* shelf_of_this_thread() const noexcept;  ///< null: not made yet
    PoolShelf& make_shelf_of_this_thread();
    PoolShelf& home_of(const PoolBlock& block) const noexcept;
    template <class Visit>
    void visit_shelves(const Visit& visit) const;
    using AllLocks = std::array<std::unique_lock<SpinLock>, max_shelves>;
    AllLocks lock_all() const noexcept;
    enum class Wait : bool { No, Yes };
    bool take_from(PoolShelf& from, PoolShelf& own, std::size_t bytes, unsigned bin, LastUse next, Wait wait,
                   PoolBlock& block);
    bool take_held(PoolShelf& own, std::size_t bytes, unsigned bin, LastUse next, PoolBlock& block) noexcept;
    bool take_from_others(PoolShelf& own, std::size_t bytes, unsigned bin, LastUse next, PoolBlock& block);
    bool take_idle(PoolShelf& own, std::size_t bytes, unsigned bin, PoolBlock& block);
    bool take_again(PoolShelf& own, std::size_t bytes, unsigned bin, LastUse next, PoolBlock& block);
    CUresult take_new(PoolShelf& own, std::size_t bytes, unsigned bin, PoolBlock& block);
    CUresult take_with_effort(PoolShelf& own, std::size_t bytes, unsigned bin, LastUse next, PoolBlock& block);
    bool is_over(LastUse use) const noexcept;
    LastUse use_at_end_of(const PoolBlock& block) const noexcept;
    bool release_largest(Context& context) noexcept;
    void note_other_use(PoolBlock& block, CUstream stream);
    /// True if the use becomes part of a graph.
    bool note_use_in_graph(PoolBlock& block, CUstream stream);
    bool leave_to_graphs(PoolBlock& block) noexcept;
    void lend(const PoolBlock& block) const noexcept;
    void give_back(PoolBlock& block, bool freed_by_call) noexcept;
    bool can_take(LastUse next, LastUse held) const noexcept;
    void note_escape(PoolBlock& block);
    void end_epoch(std::uint64_t epoch) noexcept;
    [[noreturn]] void fail(std::size_t bytes, CUresult result) const;

    // Every take and give reads these, and none writes them:
    std::array<std::atomic<PoolShelf*>, max_shelves> shelves_{};  ///< owned; null: no thread has needed it
    const unsigned shelf_mask_;                                   ///< 0: one shelf for all threads
    std::atomic<bool> holding_{true};
    std::atomic<bool> alive_{true};
    std::atomic<std::size_t> holds_{0};  ///< written under the first shelf's lock
    PoolReferences held_;                ///< set while there are holds
    const bool is_device_memory_;
    const bool is_of_graph_;
    const PoolLeases* const leases_;  ///< null unless this is the CPU device
    const std::weak_ptr<Context> context_;
    const std::shared_ptr<StreamOrder> order_;
};

/// The pool for the memory of arrays, In, Out and InOut: one per context, created at first use.
/// LogicError after the context's end.
std::shared_ptr<MemoryPool> default_device_pool(Context& context);
#endif

/// A block of a device pool, to which it returns with this object.
class PooledDeviceAllocation final : public DeviceMemory {
public:
    /// `was_of_array`: other threads may be inside calls that read the block's address from an array before the array's
    /// program was given this object, so even its destruction can overtake them.
    PooledDeviceAllocation(std::shared_ptr<MemoryPool> pool, const PoolBlock& block,
                           bool was_of_array = false) noexcept;
    ~PooledDeviceAllocation() override { end(was_of_array_); }

    DevicePtr pointer() const override {
        const DevicePtr known = address();
        pool_->escape(block_);
        return known;
    }
    DevicePtr pointer_for(CUstream stream) override {
        const DevicePtr known = address();
        pool_->note_use(block_, stream);
        return known;
    }
    std::size_t size() const noexcept override { return block_.bytes; }
    std::shared_ptr<Context> context() const noexcept override;
    const char* what() const noexcept override { return name; }
    bool is_closed() const noexcept override { return !open_.load(std::memory_order_acquire); }
#ifndef SWIG
    /// The address, for display only: the memory is not accessed through it.
    DevicePtr address() const {
        if (is_closed()) [[unlikely]]
            raise_closed(name);
        if (!pool_->is_alive()) [[unlikely]]
            raise_context_gone(name);
        return block_.address;
    }
    bool is_of(const MemoryPool& pool) const noexcept { return pool_.get() == &pool; }
    // For callers with exclusive access. Close it if it is open:
    void close_alone() noexcept {
        if (is_closed()) return;
        open_.store(false, std::memory_order_release);
        was_of_array_ ? pool_->give_freed(block_) : pool_->give(block_);
    }
    /// Close it without returning the block: the caller does.
    PoolBlock leave_alone() noexcept {
        open_.store(false, std::memory_order_release);
        return block_;
    }
    const std::shared_ptr<MemoryPool>& pool() const noexcept { return pool_; }
    /// Take another block of the same pool, once closed.
    void reopen(const PoolBlock& block) noexcept {
        block_ = block;
        was_of_array_ = false;
        open_.store(true, std::memory_order_release);
    }
#endif

    static constexpr const char* name = "pooled device allocation";

private:
    bool release() noexcept override { return end(true); }
    bool end(bool by_call) noexcept;

    const std::shared_ptr<MemoryPool> pool_;
    mutable PoolBlock block_;  ///< records that its address escaped
    std::atomic<bool> open_{true};
    bool was_of_array_;
};

/// Base of the pools that programs see. A pool belongs to the context that was current at its creation, and keeps
/// it alive. Blocks may outlive it, and are then freed instead of held. Move-only.
class PoolHandle {
public:
    PoolHandle(PoolHandle&&) = default;
    ~PoolHandle();
    std::size_t held_blocks() const noexcept { return pool_->held_blocks(); }
    std::size_t active_blocks() const noexcept { return pool_->active_blocks(); }
    std::size_t managed_bytes() const noexcept { return pool_->managed_bytes(); }
    std::size_t active_bytes() const noexcept { return pool_->active_bytes(); }
    static unsigned bin_number(std::size_t size) noexcept { return MemoryPool::bin_number(size); }
    /// LogicError for a number that is not a class.
    static std::size_t alloc_size(unsigned bin);
    void free_held() noexcept { pool_->free_held(); }
    void stop_holding() noexcept { pool_->stop_holding(); }
    /// stop_holding, unless other parts of the program use the pool too.
    void close() noexcept {
        if (pool_ && !shared_) stop_holding();
    }

    const std::shared_ptr<MemoryPool>& pool() const noexcept { return pool_; }
    const std::shared_ptr<Context>& context() const noexcept { return context_; }

protected:
    /// `shared`: other parts of the program use the pool too, so it continues without this object.
    PoolHandle(std::shared_ptr<Context> context, std::shared_ptr<MemoryPool> pool, bool shared)
        : context_(std::move(context)), pool_(std::move(pool)), shared_(shared) {
        pool_->hold();
    }

private:
    std::shared_ptr<Context> context_;
    std::shared_ptr<MemoryPool> pool_;
    bool shared_;
};

/// Linear device memory from a pool (cuMemAlloc).
class DeviceMemoryPool : public PoolHandle {
public:
    DeviceMemoryPool();  ///< create a pool in the current context
    /// The one that arrays, In, Out and InOut use in the current context.
    static DeviceMemoryPool of_current_context();
    std::unique_ptr<PooledDeviceAllocation> allocate(std::size_t size, const Stream* stream = nullptr);

private:
    explicit DeviceMemoryPool(const std::shared_ptr<Context>& context);
    DeviceMemoryPool(std::shared_ptr<Context> context, std::shared_ptr<MemoryPool> pool, bool shared)
        : PoolHandle(std::move(context), std::move(pool), shared) {}
};

}  // namespace pycuda
