#include "pycuda/memory_pool.hpp"

#include <bit>
#include <mutex>

#include "allocations.hpp"
#include "driver_table.hpp"
#include "memory_pools.hpp"
#include "out_of_memory.hpp"
#include "pycuda/waiting.hpp"
#include "stream_order.hpp"
#include "timeline.hpp"
#include "timeline_samples.hpp"

namespace pycuda {
namespace {

constexpr unsigned mantissa_bits = 4;
/// How many blocks of a bin are searched for one of the wanted stream.
constexpr std::size_t search_depth = 64;
/// If so many blocks of a bin of host memory wait for work to complete, an allocation waits too.
constexpr std::size_t most_busy = 16;

/// The number of driver allocations that pools hold.
std::atomic<long>& live_memory() {
    static std::atomic<long>& counter = live_handle_counter("pooled memory");
    return counter;
}

/// Record the pool's counters for a timeline.
void show(const MemoryPool& pool) noexcept {
    if (!timeline_is_on()) return;
    const std::size_t used = pool.active_bytes(), all = pool.managed_bytes();
    record_pool(pool.is_device_memory() ? "device pool" : "page-locked pool", &pool, used, all > used ? all - used : 0);
}

[[gnu::noinline, gnu::cold]] void note_taken(const MemoryPool& pool, const PoolBlock& block) noexcept {
    show(pool);
    if (is_observed_by(allocation_observer)) record_block_taken(pool.what(), block.address, block.bytes);
}

}  // namespace

MemoryPool::MemoryPool(const std::shared_ptr<Context>& context, bool is_device_memory, bool of_graph)
    : is_device_memory_(is_device_memory),
      is_of_graph_(of_graph),
      context_(context),
      order_(context->attachment<StreamOrder>()) {}

MemoryPool::~MemoryPool() = default;

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

bool MemoryPool::try_take(std::size_t bytes, CUstream stream, PoolBlock& block) noexcept {
    const unsigned bin = bin_number(bytes);
    bool taken = false;
    {
        const std::lock_guard lock(lock_);
        std::vector<Held>& held = bins_[bin].held;
        if (held.empty()) return false;
        if (held.back().last_use.is(stream)) [[likely]] {
            // Treat it as used on that stream already: its next use there needs no other check.
            const LastUse before = held.back().last_use;
            block = {held.back().address, bytes, bin, 0, before, before};
            held.pop_back();
            --held_;
            count_out(bytes);
            taken = true;
        }
    }
    if (!taken && !take_held(bytes, bin, use_on(stream), block)) return false;
    if (any_observer()) [[unlikely]]
        note_taken(*this, block);
    return true;
}

/// True if the earlier work is known to be complete, without asking the driver.
bool MemoryPool::is_over(LastUse use) const noexcept {
    return use.is_none() || (use.is_epoch() && order_->is_over(use.epoch()));
}

void MemoryPool::take_from(Bin& home, std::size_t at, std::size_t bytes, unsigned bin, PoolBlock& block) noexcept {
    const auto taken = home.held.begin() + static_cast<std::ptrdiff_t>(at);
    block = {
        taken->address, bytes, bin, 0, LastUse::none(), is_over(taken->last_use) ? LastUse::none() : taken->last_use};
    home.held.erase(taken);
    --held_;
    count_out(bytes);
}

/// In a graph, which may be launched again, no work is ever complete.
bool MemoryPool::can_take(LastUse next, LastUse held) const noexcept {
    return next.comes_after(held) || (!is_of_graph_ && is_over(held));
}

bool MemoryPool::take_held(std::size_t bytes, unsigned bin, LastUse next, PoolBlock& block) noexcept {
    const std::lock_guard lock(lock_);
    Bin& home = bins_[bin];
    if (home.held.empty()) return false;
    const std::size_t size = home.held.size(), last = size > search_depth ? size - search_depth : 0;
    std::size_t at = size;
    while (at > last && !can_take(next, home.held[at - 1].last_use)) --at;
    if (at == last && is_of_graph_) return false;
    // If all must be waited for, the one held longest completes first.
    take_from(home, at == last ? 0 : at - 1, bytes, bin, block);
    return true;
}

/// The context is current. False if no block is idle, or if more memory may be allocated instead.
bool MemoryPool::take_idle(std::size_t bytes, unsigned bin, PoolBlock& block) {
    const RelaxedCapture relaxed;
    order_->look();
    for (;;) {
        LastUse oldest;
        {
            const std::lock_guard lock(lock_);
            Bin& home = bins_[bin];
            // Blocks that were returned first complete first.
            if (!home.held.empty() && is_over(home.held.front().last_use)) {
                take_from(home, 0, bytes, bin, block);
                return true;
            }
            if (home.held.size() < most_busy || any_capture_is_open()) return false;
            oldest = home.held.front().last_use;
        }
        order_->wait(oldest.epoch());
    }
}

CUresult MemoryPool::take_new(std::size_t bytes, unsigned bin, PoolBlock& block) {
    const RelaxedCapture relaxed;
    const LibraryAllocation of_the_pool;
    const std::size_t size = alloc_size(bin);
    std::uint64_t address = 0;
    if (const CUresult result = obtain(size, address)) return result;
    try {
        const std::lock_guard lock(lock_);
        if (!is_alive()) raise_context_gone(what());  // and the memory with it
        Bin& home = bins_[bin];
        home.held.reserve(std::bit_ceil(home.blocks + 1));
        ++home.blocks;
        managed_bytes_ += size;
        count_out(bytes);
    } catch (const std::bad_alloc&) {
        release(address);
        throw;
    }
    ++live_memory();
    block = {address, bytes, bin, 0, LastUse::none(), LastUse::none()};
    return CUDA_SUCCESS;
}

CUresult MemoryPool::take_with_effort(std::size_t bytes, unsigned bin, LastUse next, PoolBlock& block) {
    CUresult result = take_new(bytes, bin, block);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && run_out_of_memory_hook()) {
        if (take_again(bytes, bin, next, block)) return CUDA_SUCCESS;
        result = take_new(bytes, bin, block);
    }
    const auto context = this->context();
    while (result == CUDA_ERROR_OUT_OF_MEMORY && context && release_largest(*context))
        result = take_new(bytes, bin, block);
    if (result != CUDA_ERROR_OUT_OF_MEMORY || !context) return result;
    const auto pools = context->attachment_if_any<MemoryPools>();
    return pools && pools->free_held(is_device_memory()) ? take_new(bytes, bin, block) : result;
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
    if (!take_again(bytes, bin, next, block))
        if (const CUresult result = take_with_effort(bytes, bin, next, block)) fail(bytes, result);
    if (any_observer()) note_taken(*this, block);
    return block;
}

/// Under the lock.
void MemoryPool::count_out(std::size_t bytes) noexcept {
    active_bytes_ += bytes;
    ++active_;
    add_user();
}

/// Under the lock.
void MemoryPool::add_user() noexcept {
    if (++users_ > 1) return;
    kept_ = {shared_from_this(), context_.lock()};
}

/// Under the lock. `last` receives what only users kept alive, and is destroyed after the lock is released.
void MemoryPool::remove_user(Kept& last) noexcept {
    if (--users_ == 0) last = std::move(kept_);
}

void MemoryPool::hold() noexcept {
    const std::lock_guard lock(lock_);
    add_user();
}

void MemoryPool::release_hold() noexcept {
    Kept kept;
    const std::lock_guard lock(lock_);
    remove_user(kept);
}

/// The work that the next holder of the block must wait for.
LastUse MemoryPool::use_at_end_of(const PoolBlock& block) const noexcept {
    if (block.escaped || block.last_use.is_many() || !is_device_memory()) return LastUse::of_epoch(order_->epoch());
    return block.last_use.is_none() ? block.before : block.last_use;
}

void MemoryPool::give(PoolBlock& block) noexcept {
    if (block.escaped || !is_device_memory()) [[unlikely]]  // which a graph may have been given without this pool
        if (leave_to_graphs(block)) return;
    if (is_observed_by(allocation_observer)) [[unlikely]]
        record_block_given(block.address);
    Kept kept;
    const LastUse last_use = use_at_end_of(block);
    std::shared_ptr<Context> context;
    bool is_held = true;
    {
        const std::lock_guard lock(lock_);
        Bin& home = bins_[block.bin];
        is_held = holding_ && is_alive();
        if (is_held) [[likely]] {
            home.held.push_back({block.address, last_use});
            ++held_;
        } else {
            --home.blocks;
            managed_bytes_ -= alloc_size(block.bin);
        }
        if (!is_held || !is_device_memory()) context = kept_.context;
        active_bytes_ -= block.bytes;
        --active_;
        remove_user(kept);
    }
    if (any_observer()) [[unlikely]]
        show(*this);
    if (!is_held) [[unlikely]]
        --live_memory();
    if (!context) [[likely]]
        return;
    clean_up_unlocked([=, self = shared_from_this(), context = std::move(context), address = block.address] {
        if (const CleanupScope scope(*context); scope)
            is_held ? self->end_epoch(last_use.epoch()) : self->release(address);
    });
}

/// End the epoch now, so that the block can be used again as soon as possible.
void MemoryPool::end_epoch(std::uint64_t epoch) noexcept {
    try {
        order_->end_epoch(epoch);
    } catch (const std::exception&) {
        // The epoch then ends when something waits for it.
    }
}

bool MemoryPool::release_largest(Context& context) noexcept {
    const CleanupScope scope(context);
    if (!scope) return false;
    std::uint64_t address = 0;
    {
        const std::lock_guard lock(lock_);
        if (held_ == 0 || (is_of_graph_ && holding_)) return false;
        std::size_t bin = bin_count - 1;
        while (bins_[bin].held.empty()) --bin;
        address = bins_[bin].held.back().address;
        bins_[bin].held.pop_back();
        --bins_[bin].blocks;
        --held_;
        managed_bytes_ -= alloc_size(static_cast<unsigned>(bin));
    }
    --live_memory();
    release(address);
    return true;
}

void MemoryPool::free_held() noexcept {
    clean_up_unlocked([self = shared_from_this(), context = this->context()] {
        while (context && self->release_largest(*context)) {
        }
    });
}

void MemoryPool::stop_holding() noexcept {
    {
        const std::lock_guard lock(lock_);
        holding_ = false;
    }
    free_held();
}

void MemoryPool::context_ends(bool reachable) noexcept {
    std::vector<Held> ending;
    for (unsigned bin = 0; bin < bin_count; ++bin) {
        {
            const std::lock_guard lock(lock_);
            alive_.store(false, std::memory_order_release);
            Bin& home = bins_[bin];
            ending.swap(home.held);
            home.blocks -= ending.size();
            held_ -= ending.size();
            managed_bytes_ -= ending.size() * alloc_size(bin);
        }
        for (const Held& held : ending)
            if (reachable) release(held.address);
        live_memory() -= static_cast<long>(ending.size());
        ending.clear();
    }
}

}  // namespace pycuda
