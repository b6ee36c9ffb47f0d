#include "pycuda/memory/host_memory.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

#include "captures/used_by_graphs.hpp"
#include "driver/driver_table.hpp"
#include "known_memory/page_locked.hpp"
#include "memory/out_of_memory.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "pycuda/memory/managed_memory.hpp"
#include "pycuda/streams/stream.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/pending_waits.hpp"

namespace pycuda {

DevicePtr HostPointer::get_device_pointer() const {
    CUdeviceptr pointer = 0;
    driver().cuMemHostGetDevicePointer(&pointer, data(), 0);
    return pointer;
}

void HostPointer::free() {
    if (!release()) raise_closed(what());
}

// ---- page-locked

namespace {

CUcontext handle_of(const std::shared_ptr<Context>& owner) noexcept {
    return owner ? owner->handle_or_null() : nullptr;
}

}  // namespace

void PagelockedTraits::destroy(void* memory, Context* owner) noexcept {
    forget_page_locked(memory);
    used_by_graphs::destroy_unless_used(memory, owner,
                                        [memory] { free_when_none_waits(driver().cuMemFreeHost, memory); });
}

PagelockedHostAllocation::PagelockedHostAllocation(std::size_t bytes, unsigned flags) : HostPointer(bytes) {
    auto owner = Context::owner_of_new();
    void* memory = nullptr;
    const RelaxedCapture relaxed;  // a graph can use it, and keeps it
    const auto attempt = [&] {
        return driver().cuMemHostAlloc.try_call(&memory, std::max<std::size_t>(bytes, 1), flags);
    };
    if (const CUresult result = with_garbage_collected(attempt))
        driver().cuMemHostAlloc.fail(result, asked_for(bytes) + " of page-locked memory");
    note_page_locked(memory, bytes, handle_of(owner));
    memory_ = {memory, std::move(owner)};
}

unsigned PagelockedHostAllocation::get_flags() const {
    unsigned flags = 0;
    driver().cuMemHostGetFlags(&flags, data());
    return flags;
}

bool PagelockedHostAllocation::release() noexcept {
    return memory_.reset();
}

// ---- aligned

AlignedHostAllocation::AlignedHostAllocation(std::size_t bytes, std::size_t alignment)
    : HostPointer(bytes), alignment_(std::max(alignment, sizeof(void*))) {
    if (!std::has_single_bit(alignment))
        throw std::invalid_argument("alignment must be a power of two, not " + std::to_string(alignment));
    // Half of all addresses: allocators of some systems add the alignment without looking for overflow.
    constexpr std::size_t limit = std::numeric_limits<std::ptrdiff_t>::max();
    if (alignment_ > limit || bytes > limit - alignment_) throw std::bad_alloc();
    const std::size_t whole = (std::max<std::size_t>(bytes, 1) + alignment_ - 1) & ~(alignment_ - 1);
    memory_ = ::operator new(whole, std::align_val_t{alignment_});
}

void* AlignedHostAllocation::data() const {
    if (is_closed()) raise_closed(what());
    return memory_.load(std::memory_order_acquire);
}

bool AlignedHostAllocation::release() noexcept {
    void* const memory = memory_.exchange(nullptr, std::memory_order_acq_rel);
    if (memory) clean_up_unlocked([memory, to = std::align_val_t{alignment_}] { ::operator delete(memory, to); });
    return memory != nullptr;
}

// ---- registered

void RegisteredTraits::destroy(void* memory, Context* owner) noexcept {
    forget_page_locked(memory);
    used_by_graphs::destroy_unless_used(memory, owner,
                                        [memory] { free_when_none_waits(driver().cuMemHostUnregister, memory); });
}

RegisteredHostMemory::RegisteredHostMemory(void* memory, std::size_t bytes, unsigned flags, std::shared_ptr<void> owner)
    : HostPointer(bytes), owner_(std::move(owner)) {
    if (!memory) throw std::invalid_argument("the memory to register must not be null");
    if (any_capture_is_open()) require_no_capture("register_host_memory", "register it before the capture");
    auto context = Context::owner_of_new();
    if (const CUresult result = driver().cuMemHostRegister.try_call(memory, bytes, flags))
        driver().cuMemHostRegister.fail(result, asked_for(bytes));
    note_page_locked(memory, bytes, handle_of(context));
    memory_ = {memory, std::move(context)};
}

bool RegisteredHostMemory::release() noexcept {
    const auto graphs = used_by_graphs::users(reinterpret_cast<std::uintptr_t>(memory_.get_or_null()));
    auto context = memory_.owner();
    if (!memory_.reset()) return false;
    try {
        for (const auto& graph : graphs) graph->keep(owner_);  // it ends after the page-lock, which they keep, too
    } catch (const std::bad_alloc&) {
        // Out of memory: nothing can be kept alive.
    }
    // If the page-lock ends later, so does the memory: another thread could get and register it meanwhile.
    clean_up_unlocked([owner = std::move(owner_), context = std::move(context)] {
        if (!owner || !context) return;
        if (const CleanupScope scope(*context); scope) PendingWaits::drop_after_frees(owner);
    });
    return true;
}

// ---- managed

void ManagedTraits::destroy(DevicePtr pointer, Context* owner) noexcept {
    forget_page_locked(reinterpret_cast<const void*>(pointer));
    DeviceMemoryTraits::destroy(pointer, owner);
}

ManagedAllocation::ManagedAllocation(std::size_t bytes, unsigned flags) : size_(bytes) {
    auto owner = Context::owner_of_new();
    if (any_capture_is_open()) require_no_capture("managed_empty", "allocate before the capture");
    CUdeviceptr pointer = 0;
    const auto attempt = [&] {
        return driver().cuMemAllocManaged.try_call(&pointer, std::max<std::size_t>(bytes, 1), flags);
    };
    if (const CUresult result = with_room_made(attempt))
        driver().cuMemAllocManaged.fail(result, asked_for(bytes) + " of managed memory" + shortage_text(result, bytes));
    note_page_locked(reinterpret_cast<const void*>(pointer), bytes, handle_of(owner));
    memory_ = {pointer, std::move(owner)};
}

void ManagedAllocation::attach(unsigned flags, const Stream* stream) {
    const auto& call = driver().cuStreamAttachMemAsync;
    const RelaxedCapture relaxed;  // captures of other streams are not affected
    if (const CUresult result = call.try_call(use_of(stream), pointer(), 0, flags))
        call.fail(result, flags == CU_MEM_ATTACH_SINGLE && !stream ? "SINGLE attaches the memory to a stream: pass one"
                                                                   : "flags " + std::to_string(flags));
}

void ManagedAllocation::advise(MemAdvice advice, int device) {
    mem_advise(pointer(), std::max<std::size_t>(size_, 1), advice, device);
}

void ManagedAllocation::prefetch_async(int device, const Stream* stream) {
    mem_prefetch_async(pointer(), std::max<std::size_t>(size_, 1), device, stream);
}

bool ManagedAllocation::release() noexcept {
    return memory_.reset();
}

}  // namespace pycuda
