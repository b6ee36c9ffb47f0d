#include "pycuda/driver/driver_callback.hpp"

#include <cstdio>
#include <exception>
#include <unordered_map>
#include <utility>

#include "pycuda/driver/failures.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/observing/live_handles.hpp"
#include "pycuda/threads/waiting.hpp"
#include "threads/host_function_scope.hpp"

namespace pycuda {
namespace {

constexpr const char* what = "driver callback";

/// The functions that are registered, by the number that the driver has as user data: a call that was under way when
/// its function was unregistered finds none.
class Functions {
public:
    std::uintptr_t add(DriverCallback::Function function) {
        auto kept = std::make_shared<const DriverCallback::Function>(std::move(function));
        const std::lock_guard lock(mutex_);
        known_.emplace(++last_, std::move(kept));
        return last_;
    }
    std::shared_ptr<const DriverCallback::Function> find(std::uintptr_t number) {
        const std::lock_guard lock(mutex_);
        const auto found = known_.find(number);
        return found == known_.end() ? nullptr : found->second;
    }
    /// For the caller to drop.
    std::shared_ptr<const DriverCallback::Function> take(std::uintptr_t number) noexcept {
        const std::lock_guard lock(mutex_);
        const auto found = known_.find(number);
        if (found == known_.end()) return nullptr;
        auto taken = std::move(found->second);
        known_.erase(found);
        return taken;
    }

private:
    std::mutex mutex_;
    std::uintptr_t last_ = 0;
    std::unordered_map<std::uintptr_t, std::shared_ptr<const DriverCallback::Function>> known_;
};

/// Leaked: the driver may call until the process ends.
Functions& functions() {
    static auto* const instance = new Functions;
    return *instance;
}

}  // namespace

struct DriverCallback::Registration {
    explicit Registration(Function function) : number(functions().add(std::move(function))) {
        ++live_handle_counter(what);
    }
    ~Registration() {
        clean_up_unlocked([number = number, end = std::move(end)] {
            try {
                if (end) end();
            } catch (const Error& failure) {
                report_cleanup_failure(failure.routine().c_str(), failure.code());
            }
            const auto last = functions().take(number);
            --live_handle_counter(what);
        });
    }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

    const std::uintptr_t number;
    End end;
};

DriverCallback DriverCallback::begin(Function function, const std::function<End(void* user)>& begin) {
    auto registration = std::make_shared<Registration>(std::move(function));
    registration->end = begin(reinterpret_cast<void*>(registration->number));
    return DriverCallback(std::move(registration));
}

void DriverCallback::call(void* user, std::int64_t first, std::int64_t second) noexcept {
    const HostFunctionScope scope;  // covers the destruction of what is dropped here, too
    try {
        if (const auto function = functions().find(reinterpret_cast<std::uintptr_t>(user))) (*function)(first, second);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "[pycuda] a function that the driver called threw: %s\n", error.what());
    } catch (...) {
        std::fprintf(stderr, "[pycuda] a function that the driver called threw\n");
    }
}

DriverCallback::DriverCallback(std::shared_ptr<Registration> registration) : registration_(std::move(registration)) {}

DriverCallback::DriverCallback(DriverCallback&& other) noexcept : registration_(other.take()) {}

std::shared_ptr<DriverCallback::Registration> DriverCallback::take() noexcept {
    const std::lock_guard lock(mutex_);
    return std::exchange(registration_, nullptr);
}

void DriverCallback::unregister() {
    const auto registration = take();
    if (!registration) raise_closed(what);
    // A driver that refuses may go on calling, but finds no function.
    std::exchange(registration->end, nullptr)();
}

void DriverCallback::close() noexcept {
    static_cast<void>(take());
}

bool DriverCallback::is_registered() const noexcept {
    const std::lock_guard lock(mutex_);
    return registration_ != nullptr;
}

}  // namespace pycuda
