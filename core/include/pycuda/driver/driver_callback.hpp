#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace pycuda {

/// A function of the program that the driver calls, on a thread of its own, as long as this object is open. Such a
/// function must return soon, and must not register or unregister others. Thread-safe.
class DriverCallback {
public:
    /// The arguments that the driver gives: two numbers at most.
    using Function = std::function<void(std::int64_t, std::int64_t)>;

#ifndef SWIG
    DriverCallback(DriverCallback&& other) noexcept;
    DriverCallback& operator=(DriverCallback&&) = delete;
#endif
    ~DriverCallback() { close(); }

    /// Unregister the function. LogicError if it is unregistered already.
    void unregister();
    void close() noexcept;  ///< the same, but idempotent
    bool is_registered() const noexcept;

#ifndef SWIG
    /// `begin(user)` registers with the driver and returns what unregisters; the driver calls `call` with `user`.
    using End = std::function<void()>;
    static DriverCallback begin(Function function, const std::function<End(void* user)>& begin);
    static void call(void* user, std::int64_t first, std::int64_t second) noexcept;
#endif

private:
    struct Registration;
    explicit DriverCallback(std::shared_ptr<Registration> registration);
    std::shared_ptr<Registration> take() noexcept;

    mutable std::mutex mutex_;
    std::shared_ptr<Registration> registration_;
};

}  // namespace pycuda
