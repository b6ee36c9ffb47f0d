#pragma once

#include <memory>
#include <utility>

#include "pycuda/context.hpp"

namespace pycuda {

/// The only owner of a driver handle. Move-only. Knows the context the handle belongs to, keeps it alive, and destroys
/// the handle in it, on whatever thread that happens. After the context died there is nothing left to destroy.
///
/// Traits: `using type`; `static constexpr const char* what` (for messages: "stream"); `static void destroy(type) noexcept`,
/// called with the owning context current, which hands a failure to report_cleanup_failure.
template <class Traits>
class Handle {
public:
    using type = typename Traits::type;

    Handle() = default;
    Handle(type value, std::shared_ptr<Context> owner) : value_(value), owner_(std::move(owner)) {}
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

    /// The handle; LogicError "<what> is closed" after reset.
    type get() const {
        if (value_ == type{}) [[unlikely]]
            raise_closed(Traits::what);
        return value_;
    }
    /// The handle or its null value; never raises.
    type get_or_null() const noexcept { return value_; }
    const std::shared_ptr<Context>& owner() const noexcept { return owner_; }

    /// Destroys now. Idempotent; never throws.
    void reset() noexcept {
        if (value_ == type{}) return;
        const type value = std::exchange(value_, type{});
        if (owner_) {
            if (ContextScope scope(*owner_, std::nothrow); scope) Traits::destroy(value);
        } else {
            Traits::destroy(value);
        }
        owner_.reset();
    }

private:
    type value_{};
    std::shared_ptr<Context> owner_;
};

}  // namespace pycuda
