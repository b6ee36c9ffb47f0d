#include "pycuda/contexts/context.hpp"

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "contexts/context_stack.hpp"
#include "driver/driver_table.hpp"
#include "driver/known_contexts.hpp"
#include "known_memory/allocations.hpp"
#include "known_memory/page_locked.hpp"
#include "pycuda/observing/live_handles.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {
namespace {

std::atomic<long>& live_contexts() {
    static std::atomic<long>& counter = live_handle_counter("context");
    return counter;
}

/// The number of contexts that green contexts were converted to.
std::atomic<long>& converted_contexts() noexcept {
    static std::atomic<long> count = 0;
    return count;
}

std::atomic<std::uint64_t>& count_of_ended() noexcept {
    static std::atomic<std::uint64_t> count = 0;
    return count;
}

/// If `handle` is the device's primary context, retain it, so that it cannot end while we use it.
bool retain_if_primary(CUcontext handle, CUdevice device) {
    unsigned flags = 0;
    int active = 0;
    CUcontext primary = nullptr;
    if (driver().cuDevicePrimaryCtxGetState.try_call(device, &flags, &active) != CUDA_SUCCESS || !active) return false;
    if (driver().cuDevicePrimaryCtxRetain.try_call(&primary, device) != CUDA_SUCCESS) return false;
    if (primary == handle) return true;
    driver().cuDevicePrimaryCtxRelease.clean_up(device);
    return false;
}

}  // namespace

const std::atomic<std::uint64_t>& ended_contexts() noexcept {
    return count_of_ended();
}

void forget_cached_handles() noexcept {
    ++count_of_ended();
}

Context::Context(CUcontext handle, CUdevice device, Origin origin)
    : handle_(std::make_shared<std::atomic<CUcontext>>(handle)),
      device_(device),
      origin_(origin),
      probe_(origin == Origin::Adopted ? make_probe() : LivenessProbe{}) {
    ++live_contexts();
    if (origin == Origin::Green) ++converted_contexts();
}

Context::~Context() {
    end(End::Dropped);
    if (origin_ == Origin::Green) --converted_contexts();
}

std::shared_ptr<Context> Context::wrap(CUcontext handle, CUdevice device, Origin origin) {
    if (origin == Origin::Created) release_abandoned_contexts();
    // Created in any case, and before the lock: adopting allocates, and an object that is not needed returns its
    // reference.
    std::shared_ptr<Context> context(new Context(handle, device, origin), DeleteUnlocked()), other, stale;
    {
        KnownContexts& known = known_contexts();
        const std::lock_guard lock(known.mutex);
        KnownContexts::Known& slot = known.contexts[handle];
        other = slot.context.lock();
        // A new context may have the handle of an earlier one, but it is unrelated to it.
        if (other && origin != Origin::Created && other->is_valid() && other->is_alive()) {
            if (origin == Origin::Primary) ++other->references_;
            context.swap(other);
        } else {
            stale = std::exchange(slot, {context, context.get(), device}).context.lock();
        }
    }
    if (stale) stale->end(End::Stale);
    if (origin == Origin::Created) remember_pushed(handle, context);
    return context;
}

std::shared_ptr<Context> Context::current_or_null() {
    const CUcontext handle = current_handle();
    if (!handle) return nullptr;
    std::shared_ptr<Context> context;
    {
        KnownContexts& known = known_contexts();
        const std::lock_guard lock(known.mutex);
        if (const auto found = known.contexts.find(handle); found != known.contexts.end())
            context = found->second.context.lock();
    }
    if (context && context->is_valid() && context->is_alive()) return context;
    context.reset();
    pop_ended();
    if (current_handle() != handle) return current_or_null();
    CUdevice device = 0;
    driver().cuCtxGetDevice(&device);
    context = wrap(handle, device, retain_if_primary(handle, device) ? Origin::Primary : Origin::Adopted);
    const bool is_dead = context->origin_ == Origin::Adopted && !context->probe_.address && current_is_destroyed();
    return is_dead ? nullptr : context;
}

CUcontext Context::current_handle_or_null() noexcept {
    CUcontext handle = nullptr;
    return driver().cuCtxGetCurrent.try_call(&handle) == CUDA_SUCCESS ? handle : nullptr;
}

std::shared_ptr<Context> Context::current() {
    if (auto context = current_or_null()) return context;
    driver().cuCtxGetCurrent.fail(CUDA_ERROR_INVALID_CONTEXT, "");
}

std::shared_ptr<Context> Context::owner_of_new() {
    try {
        return current_or_null();
    } catch (const Error& error) {
        if (error.code() == CUDA_ERROR_NOT_INITIALIZED) return nullptr;
        throw;
    }
}

std::shared_ptr<Context> Context::current_in_cleanup() noexcept {
    try {
        return current_or_null();
    } catch (...) {
        return nullptr;
    }
}

void Context::push() {
    release_abandoned_contexts();
    const std::shared_lock life(life_);
    const CUcontext pushed = handle();
    if (!is_alive()) raise_closed("context");
    if (origin_ == Origin::Green)
        for (const AttachmentPtr& attachment : attachments()) attachment->is_pushed(*this);
    driver().cuCtxPushCurrent(pushed);
    remember_pushed(pushed, shared_from_this());
}

void Context::pop() {
    std::exception_ptr failure;  // raised once the stack has been restored
    if (const auto top = converted_contexts() ? current_in_cleanup() : nullptr; top && top->origin_ == Origin::Green) {
        try {
            for (const AttachmentPtr& attachment : top->attachments()) attachment->is_popped(*top);
        } catch (const Error&) {
            failure = std::current_exception();
        }
    }
    CUcontext popped = nullptr;
    if (const CUresult result = driver().cuCtxPopCurrent.try_call(&popped))
        driver().cuCtxPopCurrent.fail(result,
                                      result == CUDA_ERROR_INVALID_CONTEXT ? "this thread's stack is empty" : "");
    forget_pushed(popped);
    pop_ended();
    if (failure) std::rethrow_exception(failure);
}

/// What the driver reports for a context that was destroyed while it was below the top of this thread's stack.
bool Context::current_is_destroyed() noexcept {
    const LibraryAllocation probe;
    CUdeviceptr memory = 0;
    const CUresult result = driver().cuMemAlloc.try_call(&memory, 1);
    if (result == CUDA_SUCCESS) driver().cuMemFree.clean_up(memory);
    return result == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/// Contexts that were pushed here and have ended stay on the driver's stack. Once they reach its top, they are
/// popped. A new context of another library may have the same handle.
void Context::pop_ended() noexcept {
    if (!any_pushed_has_ended()) return;
    for (CUcontext top = current_handle_or_null(); top && last_pushed_has_ended(top) && current_is_destroyed();
         top = current_handle_or_null()) {
        driver().cuCtxPopCurrent.clean_up(&top);
        forget_pushed(top);
    }
}

std::shared_ptr<Context> Context::attach(unsigned flags) {
    if (flags != 0)
        throw LogicError("cuCtxAttach", CUDA_ERROR_INVALID_VALUE, "flags must be 0, not " + std::to_string(flags));
    std::shared_ptr<Context> context = current();
    const std::lock_guard lock(known_contexts().mutex);
    ++context->references_;
    return context;
}

void Context::detach() {
    if (!is_valid()) raise_closed("context");
    if (is_forked_child()) driver().cuCtxDestroy.fail(CUDA_ERROR_NOT_INITIALIZED, "");
    if (HeldEnds::any())
        throw LogicError("Context.detach", 0,
                         "a pointer holder cannot end a context while a call asks for its address");
    close();
}

void Context::close() noexcept {
    clean_up_unlocked([self = shared_from_this()] { self->end(End::Detached); });
}

/// Only one caller gets the handle, so a context ends once. First wait for all holders of the context. Later queries
/// find it gone, so the rest needs no lock, and objects destroyed meanwhile may query too. Null: already ended.
CUcontext Context::take_handle(End how) noexcept {
    std::unique_lock life(life_, std::defer_lock);
    // A thread that shares it may share it again, and Windows' locks would let a waiting writer go first: so none waits
    // in it.
    while (!life.try_lock()) std::this_thread::sleep_for(std::chrono::microseconds(50));
    KnownContexts& known = known_contexts();
    const std::lock_guard lock(known.mutex);
    if (how == End::Detached && origin_ == Origin::Green) return nullptr;
    if (how == End::Detached && references_ > 1) {
        --references_;
        return nullptr;
    }
    const CUcontext handle = handle_->exchange(nullptr, std::memory_order_acq_rel);
    // A new object may be registered in place of this one.
    if (const auto found = known.contexts.find(handle);
        handle && found != known.contexts.end() && found->second.object == this)
        known.contexts.erase(found);
    return handle;
}

/// The context lives on: register it again, unless another object was created for it meanwhile.
void Context::return_handle(CUcontext handle) noexcept {
    KnownContexts& known = known_contexts();
    const std::lock_guard lock(known.mutex);
    references_ = 0;
    handle_->store(handle, std::memory_order_release);
    try {
        known.contexts.try_emplace(handle, KnownContexts::Known{weak_from_this(), this, device_});
    } catch (const std::bad_alloc&) {
        // It will be adopted again when it is next current.
    }
}

/// Release our reference. True if another library has retained the context too: then retain it again for our objects
/// in it. The driver does not expose the number of references, but a probe in the context shows whether it ended.
bool Context::release_primary(CUcontext handle) const noexcept {
    LivenessProbe probe;
    if (driver().cuCtxPushCurrent.try_call(handle) == CUDA_SUCCESS) {
        // As when a context of our own ends: queued host functions still run.
        static_cast<void>(driver().cuCtxSynchronize.try_call());
        probe = make_probe();
        pop_pushed(handle);
    }
    driver().cuDevicePrimaryCtxRelease.clean_up(device_);
    if (!probe.is_there()) return false;
    CUcontext again = nullptr;
    if (driver().cuDevicePrimaryCtxRetain.try_call(&again, device_) != CUDA_SUCCESS) return false;
    if (again == handle && probe.is_there()) {
        driver().cuMemFree.clean_up(probe.address);
        return true;
    }
    driver().cuDevicePrimaryCtxRelease.clean_up(device_);
    return false;
}

void Context::end(End how) noexcept {
    if (is_forked_child()) return;
    const WaitScope unlocked;  // waits for holders of the context and for their work
    const CUcontext handle = take_handle(how);
    if (!handle) return;
    ++count_of_ended();
    CUcontext current = nullptr;
    const bool is_top =
        how == End::Detached && driver().cuCtxGetCurrent.try_call(&current) == CUDA_SUCCESS && current == handle;
    if (is_top && origin_ != Origin::Created) pop_pushed(handle);
    const bool was_last_retain = how == End::Detached && origin_ == Origin::Primary;
    if (was_last_retain && release_primary(handle)) {
        return_handle(handle);
    } else {
        --live_contexts();
        forget_allocations_of(handle);
        forget_page_locked_of(handle);
        end_attachments(handle, how != End::Stale && !was_last_retain);
        if (how == End::Stale) return;
        if (origin_ == Origin::Created) driver().cuCtxDestroy.clean_up(handle);  // pops it where it is the top
        if (origin_ == Origin::Primary && !was_last_retain) driver().cuDevicePrimaryCtxRelease.clean_up(device_);
    }
    if (!is_top) return;
    forget_pushed(handle);
    pop_ended();
}

/// No attachment can be added any more: the handle is gone.
void Context::end_attachments(CUcontext handle, bool there) noexcept {
    decltype(attachments_) ending;
    {
        const std::lock_guard lock(attachment_mutex_);
        ending.swap(attachments_);
    }
    if (ending.empty() && !probe_.address) return;
    const bool reachable = there && is_alive() && driver().cuCtxPushCurrent.try_call(handle) == CUDA_SUCCESS;
    // The last made first: it may use those made before it.
    for (auto at = ending.rbegin(); at != ending.rend(); ++at) at->second->context_ends(reachable);
    if (reachable) {
        if (probe_.address) driver().cuMemFree.clean_up(probe_.address);
        pop_pushed(handle);
    }
    while (!ending.empty()) ending.pop_back();  // the first may keep what this context is a part of
}

Context::LivenessProbe Context::make_probe() noexcept {
    const LibraryAllocation own;
    LivenessProbe probe;
    if (driver().cuMemAlloc.try_call(&probe.address, 1) != CUDA_SUCCESS) return {};
    static_cast<void>(
        driver().cuPointerGetAttribute.try_call(&probe.number, CU_POINTER_ATTRIBUTE_BUFFER_ID, probe.address));
    return probe;
}

bool Context::LivenessProbe::is_there() const noexcept {
    unsigned long long now = 0;
    const auto& ask = driver().cuPointerGetAttribute;
    return address && ask.try_call(&now, CU_POINTER_ATTRIBUTE_BUFFER_ID, address) == CUDA_SUCCESS && now == number;
}

bool Context::is_alive() const noexcept {
    return origin_ != Origin::Adopted || probe_.is_there();
}

Device Context::get_device() {
    CUdevice device = 0;
    driver().cuCtxGetDevice(&device);
    return Device(Device::FromHandle{}, device);
}

CUcontext Context::handle() const {
    if (const CUcontext handle = handle_or_null()) [[likely]]
        return handle;
    raise_closed("context");
}

Context::AttachmentPtr Context::find_attachment(std::type_index type) const noexcept {
    const std::lock_guard lock(attachment_mutex_);
    for (const auto& [known, attachment] : attachments_)
        if (known == type) return attachment;
    return nullptr;
}

std::vector<Context::AttachmentPtr> Context::attachments() const {
    std::vector<AttachmentPtr> all;
    const std::lock_guard lock(attachment_mutex_);
    for (const auto& [type, attachment] : attachments_) all.push_back(attachment);
    return all;
}

Context::AttachmentPtr Context::attach(std::type_index type, AttachmentPtr made) {
    const std::lock_guard lock(attachment_mutex_);
    if (!is_valid()) raise_closed("context");
    for (const auto& [known, attachment] : attachments_)
        if (known == type) return attachment;
    attachments_.emplace_back(type, made);
    return made;
}

bool Context::operator==(const Context& other) const noexcept {
    const CUcontext handle = handle_or_null();
    return this == &other || (handle && handle == other.handle_or_null());
}

}  // namespace pycuda
