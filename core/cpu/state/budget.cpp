#include "state/budget.hpp"

#include "exec/environment.hpp"
#include "state/device.hpp"
#include "state/error.hpp"
#include "state/initialization.hpp"

#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace cpu::state::budget {
namespace {

struct Listener {
    int device;
    CUasyncCallbackHandle handle;
    CUasyncCallback callback;
    void* user;
};

struct State {
    std::mutex mutex;
    std::vector<Listener> listeners;
    std::uintptr_t last_handle = 0;
};

/// Leaked: memory may be allocated until the process ends.
State& state() {
    static auto* const instance = new State;
    return *instance;
}

thread_local bool in_callback = false;

std::optional<std::size_t> limit() {
    static const auto bytes = [] {
        const std::string text = platform::environment("PYCUDA_CPU_BUDGET");
        const auto parsed = parse_bytes(text);
        if (!parsed && !text.empty()) exec::ignore_setting("PYCUDA_CPU_BUDGET", text, "a byte count");
        return parsed;
    }();
    return bytes;
}

void call(const std::vector<Listener>& listeners, std::size_t over) {
    in_callback = true;
    for (const Listener& listener : listeners) {
        CUasyncNotificationInfo info{};
        info.type = CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET;
        info.info.overBudget.bytesOverBudget = over;
        listener.callback(&info, listener.user, listener.handle);
    }
}

}  // namespace

CUasyncCallbackHandle add(const Device& device, CUasyncCallback callback, void* user) {
    require(callback != nullptr);
    require(!in_callback, CUDA_ERROR_NOT_PERMITTED);
    const std::lock_guard lock(state().mutex);
    const auto handle = reinterpret_cast<CUasyncCallbackHandle>(++state().last_handle);
    state().listeners.push_back({device.ordinal(), handle, callback, user});
    return handle;
}

void remove(const Device& device, CUasyncCallbackHandle handle) {
    require(!in_callback, CUDA_ERROR_NOT_PERMITTED);
    const std::lock_guard lock(state().mutex);
    require(std::erase_if(state().listeners, [&](const Listener& known) {
                return known.handle == handle && known.device == device.ordinal();
            }) == 1);
}

void memory_was_taken(const Device& device, std::size_t before, std::size_t after) noexcept {
    try {
        const auto allowed = limit();
        if (!allowed || before > *allowed || after <= *allowed) return;
        std::vector<Listener> listeners;
        {
            const std::lock_guard lock(state().mutex);
            for (const Listener& known : state().listeners)
                if (known.device == device.ordinal()) listeners.push_back(known);
        }
        if (!listeners.empty())
            std::thread([listeners = std::move(listeners), over = after - *allowed] {
                call(listeners, over);
            }).detach();
    } catch (...) {
        // No thread, no notification.
    }
}

}  // namespace cpu::state::budget
