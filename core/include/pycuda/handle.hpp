#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "pycuda/context.hpp"

namespace pycuda {

/// How many handles of a kind exist in this process, by the name their traits give ("stream", "event", "module",
/// "device allocation", ...; "context" counts those not yet detached). For tests that assert that nothing leaks.
long live_handles(const std::string& what);
/// The counter behind live_handles. `what` must be static text.
std::atomic<long>& live_handle_counter(const char* what);

/// The only owner of a driver handle. Move-only. Knows the context the handle belongs to, keeps it alive, and destroys
/// the handle in it, on whatever thread that happens. After the context died there is nothing left to destroy.
///
/// Traits: `using type`; `static constexpr const char* what` (for messages: "stream"); `static void destroy(type)
/// noexcept`, called with the owning context current, which hands a failure to report_cleanup_failure.
template <class Traits>
class Handle {
public:
    using type = typename Traits::type;

    Handle() = default;
    Handle(type value, std::shared_ptr<Context> owner) : value_(value), owner_(std::move(owner)) {
        if (value_ != type{}) ++counter();
    }
    Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, type{})), owner_(std::move(other.owner_)) {}
    Handle& operator=(Handle&& other) noexcept {
        if (this != &other) {
            reset();
            value_ = std::exchange(other.value_, type{});
            owner_ = std::move(other.owner_);
        }
        return *this;
    }
    ~Handle() { reset(); }

    /// The handle; LogicError "<what> is closed" after reset, "<what> belongs to a context that is gone" after its end.
    type get() const {
        if (value_ == type{}) [[unlikely]]
            raise_closed(Traits::what);
        if (owner_ && !owner_->is_valid()) [[unlikely]]
            raise_context_gone(Traits::what);
        return value_;
    }
    /// The handle or its null value; never raises.
    type get_or_null() const noexcept { return value_; }
    const std::shared_ptr<Context>& owner() const noexcept { return owner_; }

    /// Destroys now. Idempotent; never throws.
    void reset() noexcept {
        if (value_ == type{}) return;
        const type value = std::exchange(value_, type{});
        --counter();
        if (owner_) {
            if (CleanupScope scope(*owner_); scope) Traits::destroy(value);
        } else {
            Traits::destroy(value);
        }
        owner_.reset();
    }

private:
    static std::atomic<long>& counter() {
        static std::atomic<long>& instance = live_handle_counter(Traits::what);
        return instance;
    }

    type value_{};
    std::shared_ptr<Context> owner_;
};

}  // namespace pycuda
