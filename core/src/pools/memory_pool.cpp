#include "pycuda/pools/memory_pool.hpp"

#include <bit>
#include <mutex>

#include "driver/driver_table.hpp"
#include "known_memory/allocations.hpp"
#include "known_memory/pool_lease.hpp"
#include "memory/out_of_memory.hpp"
#include "pools/memory_pools.hpp"
#include "pools/pool_shelf.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/stream_order.hpp"
#include "timeline/timeline.hpp"
#include "timeline/timeline_samples.hpp"

namespace pycuda {
namespace {

constexpr unsigned mantissa_bits = 4;
/// How many blocks of a bin are searched for one that was last used on the wanted stream.
constexpr std::size_t search_depth = 64;
/// If this many blocks of a bin of host memory wait for work to complete, an allocation waits too.
constexpr std::size_t max_busy = 16;

/// Record the pool's counters for a timeline.
void show(const MemoryPool& pool) noexcept {
    if (!timeline_is_on()) return;
    const std::size_t used = pool.active_bytes(), all = pool.managed_bytes();
    record_pool(pool.is_device_memory() ? "device pool" : "page-locked pool", &pool, used, all > used ? all - used : 0);
}

/// Counts this process's threads, from 1 on.
unsigned thread_number() noexcept {
    static std::atomic<unsigned> last{0};
    constinit static thread_local unsigned mine = 0;
    while (mine == 0) [[unlikely]]
        mine = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return mine;
}

[[gnu::noinline, gnu::cold]] void note_taken(const MemoryPool& pool, const PoolBlock& block) noexcept {
    show(pool);
    if (is_observed_by(allocation_observer)) record_block_taken(pool.what(), block.address, block.bytes);
}

}  // namespace

MemoryPool::MemoryPool(const std::shared_ptr<Context>& context, bool is_device_memory, bool of_graph)
    : shelf_mask_(is_device_memory && !of_graph ? max_shelves - 1 : 0),
      is_device_memory_(is_device_memory),
      is_of_graph_(of_graph),
      leases_(pool_leases()),
      context_(context),
      order_(context->attachment<StreamOrder>()) {
    shelves_[0] = new PoolShelf(0);
    order_->ends_matter();
}

MemoryPool::~MemoryPool() {
    visit_shelves([](PoolShelf& shelf) { delete &shelf; });
}

unsigned MemoryPool::bin_number(std::size_t bytes) noexcept {
    if (bytes == 0) return 0;
    const unsigned exponent = static_cast<unsigned>(std::bit_width(bytes)) - 1;
    const std::size_t lead =
        exponent >= mantissa_bits ? bytes >> (exponent - mantissa_bits) : bytes << (mantissa_bits - exponent);
    return exponent << mantissa_bits | static_cast<unsigned>(lead & 15);
}

std::size_t MemoryPool::alloc_size(unsigned bin) noexcept {
    const unsigned exponent = bin >> mantissa_bits;
    const std::size_t lead = 16 | (bin & 15);
    if (exponent < mantissa_bits) return lead >> (mantissa_bits - exponent);
    const unsigned shift = exponent - mantissa_bits;
    return lead << shift | ((std::size_t{1} << shift) - 1);
}

PoolShelf* MemoryPool::shelf_of_this_thread() const noexcept {
    return shelves_[(thread_number() - 1) & shelf_mask_].load(std::memory_order_acquire);
}

PoolShelf& MemoryPool::make_shelf_of_this_thread() {
    if (PoolShelf* const known = shelf_of_this_thread()) return *known;
    const unsigned number = (thread_number() - 1) & shelf_mask_;
    auto made = std::make_unique<PoolShelf>(number);
    const std::lock_guard lock(shelves_[0].load()->lock);  // not while all are locked
    PoolShelf* known = nullptr;
    return shelves_[number].compare_exchange_strong(known, made.get()) ? *made.release() : *known;
}

PoolShelf& MemoryPool::home_of(const PoolBlock& block) const noexcept {
    return *shelves_[block.shelf].load(std::memory_order_relaxed);
}

bool MemoryPool::try_take(std::size_t bytes, CUstream stream, PoolBlock& block) noexcept {
    const unsigned bin = bin_number(bytes);
    PoolShelf* const own = shelf_of_this_thread();
    if (!own) [[unlikely]]
        return false;
    bool taken = false;
    {
        const std::lock_guard lock(own->lock);
        auto& held = own->bins[bin].held;
        if (held.empty()) return false;
        if (held.back().last_use.is(stream)) [[likely]] {
            // Treat it as used on that stream already: its next use there needs no other check.
            const LastUse before = held.back().last_use;
            block = own->block(held.back().address, held.back().lease, bytes, bin, before, before);
            held.pop_back();
            --own->counts.held_blocks;
            own->count_out(*this, bytes);
            taken = true;
        }
    }
    if (!taken && !take_held(*own, bytes, bin, use_on(stream), block)) return false;
    lend(block);
    if (any_observer()) [[unlikely]]
        note_taken(*this, block);
    return true;
}

/// True if the earlier work is known to be complete, without asking the driver.
bool MemoryPool::is_over(LastUse use) const noexcept {
    return use.is_none() || (use.is_epoch() && order_->is_over(use.epoch()));
}

/// In a graph, which may be launched again, no work is ever complete.
bool MemoryPool::can_take(LastUse next, LastUse held) const noexcept {
    return next.comes_after(held) || (!is_of_graph_ && is_over(held));
}

/// Under the locks of both shelves: take a block that `from` holds. Work that must wait for its last use takes it only
/// if `wait` allows that. std::bad_alloc if the shelves differ.
bool MemoryPool::take_from(PoolShelf& from, PoolShelf& own, std::size_t bytes, unsigned bin, LastUse next, Wait wait,
                           PoolBlock& block) {
    const auto& held = from.bins[bin].held;
    if (held.empty()) return false;
    const std::size_t size = held.size(), last = size > search_depth ? size - search_depth : 0;
    std::size_t at = size;
    while (at > last && !can_take(next, held[at - 1].last_use)) --at;
    if (at == last && wait == Wait::No) return false;
    if (&from != &own) own.add_block(bin);
    // If all must be waited for, the one held longest completes first.
    const auto [address, last_use, lease] = from.remove(bin, at == last ? 0 : at - 1);
    if (&from != &own) from.remove_blocks(bin, 1);
    block = own.block(address, lease, bytes, bin, LastUse::none(), is_over(last_use) ? LastUse::none() : last_use);
    own.count_out(*this, bytes);
    return true;
}

bool MemoryPool::take_held(PoolShelf& own, std::size_t bytes, unsigned bin, LastUse next, PoolBlock& block) noexcept {
    const std::lock_guard lock(own.lock);
    return take_from(own, own, bytes, bin, next, is_of_graph_ ? Wait::No : Wait::Yes, block);
}

bool MemoryPool::take_from_others(PoolShelf& own, std::size_t bytes, unsigned bin, LastUse next, PoolBlock& block) {
    bool taken = false;
    for (const Wait wait : {Wait::No, Wait::Yes})
        visit_shelves([&](PoolShelf& other) {
            if (taken || &other == &own) return;
            const std::scoped_lock lock(own.lock, other.lock);
            taken = take_from(other, own, bytes, bin, next, wait, block);
        });
    return taken;
}

/// The context is current. False if no block is idle, or if more memory may be allocated instead.
bool MemoryPool::take_idle(PoolShelf& own, std::size_t bytes, unsigned bin, PoolBlock& block) {
    const RelaxedCapture relaxed;
    order_->poll();
    for (;;) {
        LastUse oldest;
        {
            const std::lock_guard lock(own.lock);
            const auto& held = own.bins[bin].held;
            // Blocks that were returned first complete first.
            if (!held.empty() && is_over(held.front().last_use)) {
                const PoolShelf::Held oldest_held = own.remove(bin, 0);
                block = own.block(oldest_held.address, oldest_held.lease, bytes, bin, LastUse::none(), LastUse::none());
                own.count_out(*this, bytes);
                return true;
            }
            if (held.size() < max_busy || any_capture_is_open()) return false;
            oldest = held.front().last_use;
        }
        const ContextHold hold(context());
        order_->wait(oldest.epoch());
    }
}

bool MemoryPool::take_again(PoolShelf& own, std::size_t bytes, unsigned bin, LastUse next, PoolBlock& block) {
    if (!is_device_memory()) return take_idle(own, bytes, bin, block);
    return take_held(own, bytes, bin, next, block) || take_from_others(own, bytes, bin, next, block);
}

CUresult MemoryPool::take_new(PoolShelf& own, std::size_t bytes, unsigned bin, PoolBlock& block) {
    const ContextHold hold(context());  // NVIDIA's driver crashes if the context is destroyed while it allocates
    const RelaxedCapture relaxed;
    const LibraryAllocation of_the_pool;
    std::uint64_t address = 0;
    if (const CUresult result = obtain(alloc_size(bin), address)) return result;
    try {
        const std::lock_guard lock(own.lock);
        if (!alive_.load()) raise_context_gone(what());  // and the memory with it
        own.add_block(bin);
        own.count_out(*this, bytes);
    } catch (const std::bad_alloc&) {
        release(address);
        throw;
    }
    ++live_pooled_memory();
    PoolLease* const lease = leases_ ? leases_->at(address) : nullptr;
    block = own.block(address, lease, bytes, bin, LastUse::none(), LastUse::none());
    return CUDA_SUCCESS;
}

CUresult MemoryPool::take_with_effort(PoolShelf& own, std::size_t bytes, unsigned bin, LastUse next, PoolBlock& block) {
    CUresult result = take_new(own, bytes, bin, block);
    const auto context = this->context();
    const auto release_held = [&] {
        while (result == CUDA_ERROR_OUT_OF_MEMORY && context && release_largest(*context))
            result = take_new(own, bytes, bin, block);
    };
    // Before the hook: a garbage collection takes as long as a thousand allocations, and would run for each of them.
    release_held();
    if (result == CUDA_ERROR_OUT_OF_MEMORY && run_out_of_memory_hook()) {
        if (take_again(own, bytes, bin, next, block)) return CUDA_SUCCESS;
        result = take_new(own, bytes, bin, block);
        release_held();
    }
    if (result != CUDA_ERROR_OUT_OF_MEMORY || !context) return result;
    const auto pools = context->attachment_if_any<MemoryPools>();
    if (pools && pools->free_held(is_device_memory())) result = take_new(own, bytes, bin, block);
    return result == CUDA_ERROR_OUT_OF_MEMORY && PendingWaits::free_now() ? take_new(own, bytes, bin, block) : result;
}

PoolBlock MemoryPool::take(std::size_t bytes, CUstream stream) {
    PoolBlock block;
    if (is_device_memory() && try_take(bytes, stream, block)) return block;
    const WaitScope unlocked;
    const auto context = this->context();
    if (!context || !is_alive()) raise_context_gone(what());
    const ContextScope scope(*context);
    const unsigned bin = bin_number(bytes);
    const LastUse next = use_on(stream);
    PoolShelf& own = make_shelf_of_this_thread();
    if (!take_again(own, bytes, bin, next, block))
        if (const CUresult result = take_with_effort(own, bytes, bin, next, block)) fail(bytes, result);
    lend(block);
    if (any_observer()) note_taken(*this, block);
    return block;
}

MemoryPool::AllLocks MemoryPool::lock_all() const noexcept {
    AllLocks locks;
    visit_shelves([&](PoolShelf& shelf) { locks[shelf.number] = std::unique_lock(shelf.lock); });
    return locks;
}

void MemoryPool::hold() noexcept {
    PoolReferences references{shared_from_this(), context()};
    const std::lock_guard lock(shelves_[0].load()->lock);
    if (holds_++ == 0) held_ = std::move(references);
}

/// Once the last hold has ended, active blocks themselves keep the pool alive.
void MemoryPool::release_hold() noexcept {
    PoolReferences last;
    const AllLocks locks = lock_all();
    if (--holds_ != 0) return;
    last = std::move(held_);
    visit_shelves([&](PoolShelf& shelf) {
        if (shelf.counts.active_blocks != 0 && !shelf.kept.pool) shelf.kept = last;
    });
}

/// The work that the next holder of the block must wait for.
LastUse MemoryPool::use_at_end_of(const PoolBlock& block) const noexcept {
    if (block.escaped || block.last_use.is_many() || !is_device_memory()) return LastUse::of_epoch(order_->epoch());
    return block.last_use.is_none() ? block.before : block.last_use;
}

void MemoryPool::lend(const PoolBlock& block) const noexcept {
    if (block.lease) [[unlikely]]
        leases_->lend(block.lease, block.bytes);
}

void MemoryPool::give_back(PoolBlock& block, bool freed_by_call) noexcept {
    if (block.escaped || !is_device_memory()) [[unlikely]]  // which a graph may have been given without this pool
        if (leave_to_graphs(block)) return;
    if (is_observed_by(allocation_observer)) [[unlikely]]
        record_block_given(block.address);
    PoolReferences kept;
    const LastUse last_use = use_at_end_of(block);
    std::shared_ptr<Context> context;
    // Without the lock, another thread may give the last block back, which ends the pool.
    std::shared_ptr<MemoryPool> self;
    bool is_held = true;
    {
        PoolShelf& home = home_of(block);
        const std::lock_guard lock(home.lock);
        is_held = holding_.load() && alive_.load();
        // Launches of a graph use its memory again.
        if (block.lease && !is_of_graph_ && alive_.load()) [[unlikely]]
            leases_->take_back(block.lease, freed_by_call);
        if (is_held) [[likely]]
            home.put(block.bin, {block.address, last_use, block.lease});
        else
            home.remove_blocks(block.bin, 1);
        const bool needs_context = !is_held || !is_device_memory();
        if (needs_context) context = context_.lock();
        if (needs_context || any_observer()) [[unlikely]]
            self = shared_from_this();
        home.count_in(block.bytes, kept);
    }
    if (self && any_observer()) [[unlikely]]
        show(*self);
    if (!is_held) [[unlikely]]
        --live_pooled_memory();
    if (!context) [[likely]]
        return;
    clean_up_unlocked([=, self = std::move(self), context = std::move(context), address = block.address] {
        if (const CleanupScope scope(*context); scope)
            is_held ? self->end_epoch(last_use.epoch()) : self->release(address);
    });
}

void MemoryPool::give_freed(PoolBlock& block, bool by_call) noexcept {
    if (!HeldEnds::any()) [[likely]]
        return give_back(block, by_call);
    struct Freed {
        std::shared_ptr<MemoryPool> pool;
        PoolBlock block;
        bool by_call;
        ~Freed() { pool->give_back(block, by_call); }
    };
    try {
        HeldEnds::add(std::make_shared<Freed>(shared_from_this(), block, by_call));
    } catch (...) {
        // Without memory the block stays taken until the context ends.
    }
}

/// End the epoch now, so that the block can be used again as soon as possible.
void MemoryPool::end_epoch(std::uint64_t epoch) noexcept {
    try {
        order_->end_epoch(epoch);
    } catch (const std::exception&) {
        // The epoch then ends when something waits for it.
    }
}

}  // namespace pycuda
