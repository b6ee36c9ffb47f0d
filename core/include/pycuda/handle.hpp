#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "pycuda/context.hpp"

namespace pycuda {

/// How many handles of a kind exist in this process, by the name their traits give ("stream", "event", "module",
/// "device allocation", ...; "context" counts those not yet detached). For tests that assert that nothing leaks.
long live_handles(const std::string& what);
/// The counter behind live_handles. `what` must be static text.
std::atomic<long>& live_handle_counter(const char* what);

/// Of the owners of all handles: held for the copy of a pointer, off the launch path.
std::mutex& handle_owner_mutex() noexcept;

/// The only owner of a driver handle. Move-only. Knows the context the handle belongs to, keeps it alive, and destroys
/// the handle in it, on whatever thread that happens. After the context died there is nothing left to destroy.
///
/// Threads: any thread may close it, or end its context, while others use it. It is destroyed once; from then on get()
/// raises LogicError and owner() is null. A driver call that took the handle before is the driver's own matter, which
/// wants no call with a handle to be under way when that is destroyed: whoever closes sees to that. Moving and
/// destruction are for a thread that has the object to itself.
///
/// Traits: `using type`; `static constexpr const char* what` (for messages: "stream"); `static void destroy(type)
/// noexcept`, called with the owning context current, which hands a failure to report_cleanup_failure.
template <class Traits>
class Handle {
public:
    using type = typename Traits::type;

    Handle() = default;
    Handle(type value, std::shared_ptr<Context> owner) : Handle(value, std::move(owner), true) {
        if (value != type{}) ++counter();
    }
    /// A handle that somebody else destroys, and keeps for as long as this is used. Not counted.
    static Handle borrow(type value, std::shared_ptr<Context> owner) { return {value, std::move(owner), false}; }
    Handle(Handle&& other) noexcept
        : value_(other.value_.exchange(type{})),
          context_(std::move(other.context_)),
          owner_(std::move(other.owner_)),
          is_ours_(other.is_ours_) {}
    Handle& operator=(Handle&& other) noexcept {
        if (this != &other) {
            reset();
            value_ = other.value_.exchange(type{});
            context_ = std::move(other.context_);
            owner_ = std::move(other.owner_);
            is_ours_ = other.is_ours_;
        }
        return *this;
    }
    ~Handle() { reset(); }

    /// The handle; LogicError "<what> is closed" after reset, "<what> belongs to a context that is gone" after its end.
    type get() const {
        const type value = get_or_null();
        if (value == type{}) [[unlikely]]
            raise_closed(Traits::what);
        if (context_ && !context_->load(std::memory_order_acquire)) [[unlikely]]
            raise_context_gone(Traits::what);
        return value;
    }
    /// The handle or its null value; never raises.
    type get_or_null() const noexcept { return value_.load(std::memory_order_acquire); }
    /// Null after reset.
    std::shared_ptr<Context> owner() const noexcept {
        const std::lock_guard lock(handle_owner_mutex());
        return owner_;
    }
    /// The same, never null: LogicError as get() has it.
    std::shared_ptr<Context> live_owner() const {
        auto owner = this->owner();
        static_cast<void>(get());
        if (!owner) raise_closed(Traits::what);
        return owner;
    }

    /// Destroys now. Idempotent; never throws.
    void reset() noexcept {
        const type value = value_.exchange(type{}, std::memory_order_acq_rel);
        if (value == type{}) return;
        std::shared_ptr<Context> owner;
        {
            const std::lock_guard lock(handle_owner_mutex());
            owner.swap(owner_);
        }
        if (!is_ours_) return;
        --counter();
        if (owner) {
            if (CleanupScope scope(*owner); scope) Traits::destroy(value);
        } else {
            Traits::destroy(value);
        }
    }

private:
    Handle(type value, std::shared_ptr<Context> owner, bool is_ours)
        : value_(value),
          context_(owner ? owner->live_handle() : nullptr),
          owner_(std::move(owner)),
          is_ours_(is_ours) {}

    static std::atomic<long>& counter() {
        static std::atomic<long>& instance = live_handle_counter(Traits::what);
        return instance;
    }

    std::atomic<type> value_{};
    /// Outlives owner_, so that get() can ask while another thread closes.
    std::shared_ptr<const std::atomic<CUcontext>> context_;
    std::shared_ptr<Context> owner_;
    bool is_ours_ = true;
};

}  // namespace pycuda
