#include "state/primary_context.hpp"

#include "state/context.hpp"
#include "state/device.hpp"

#include <map>

namespace cpu::state {

bool are_context_flags(unsigned flags) noexcept {
    const unsigned scheduling = flags & CU_CTX_SCHED_MASK;
    const bool one_schedule = (scheduling & (scheduling - 1)) == 0;
    return (flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) == 0 && one_schedule;
}

namespace primary_context {

namespace {

struct Slot {
    std::shared_ptr<Context> context;
    CUcontext handle = nullptr;
    unsigned flags = 0;
    unsigned retained = 0;
};

struct Slots {
    std::mutex mutex;
    std::map<CUdevice, Slot> by_device;
};

Slots& slots() {
    static auto* const instance = new Slots;
    return *instance;
}

void end(Slot& slot) {
    if (slot.context) slot.context->destroy();
    slot.context.reset();
}

}  // namespace

CUcontext retain(CUdevice ordinal) {
    Device& of = device(ordinal);
    std::lock_guard lock(slots().mutex);
    Slot& slot = slots().by_device[ordinal];
    if (!slot.context) {
        if (!slot.handle) slot.handle = reinterpret_cast<CUcontext>(new_handle_value());
        slot.context = Context::create(of, slot.flags | CU_CTX_MAP_HOST, 3020, slot.handle);
    }
    ++slot.retained;
    return slot.handle;
}

void release(CUdevice ordinal) {
    device(ordinal);
    std::lock_guard lock(slots().mutex);
    Slot& slot = slots().by_device[ordinal];
    require(slot.retained > 0, CUDA_ERROR_INVALID_CONTEXT);
    if (--slot.retained == 0) end(slot);
}

void reset(CUdevice ordinal) {
    device(ordinal);
    std::lock_guard lock(slots().mutex);
    Slot& slot = slots().by_device[ordinal];
    slot.flags = 0;
    end(slot);  // those who retained it must still release it
}

void set_flags(CUdevice ordinal, unsigned flags) {
    device(ordinal);
    require(are_context_flags(flags));
    std::lock_guard lock(slots().mutex);
    Slot& slot = slots().by_device[ordinal];
    slot.flags = flags;
    if (slot.context) slot.context->flags = flags | CU_CTX_MAP_HOST;
}

unsigned flags(CUdevice ordinal) {
    device(ordinal);
    std::lock_guard lock(slots().mutex);
    return slots().by_device[ordinal].flags;
}

bool active(CUdevice ordinal) {
    device(ordinal);
    std::lock_guard lock(slots().mutex);
    return slots().by_device[ordinal].context != nullptr;
}

bool is_primary(CUcontext context) {
    std::lock_guard lock(slots().mutex);
    for (const auto& [ordinal, slot] : slots().by_device)
        if (slot.handle == context) return true;
    return false;
}

}  // namespace primary_context

}  // namespace cpu::state
