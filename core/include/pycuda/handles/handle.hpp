#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "pycuda/contexts/context.hpp"
#include "pycuda/observing/live_handles.hpp"
#include "pycuda/threads/hazard_pointers.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {

/// Guards the owners of all handles: held to copy a pointer, off the launch path.
std::mutex& handle_owner_mutex() noexcept;

/// The exclusive owner of a driver handle. Move-only. It keeps the handle's context alive and destroys the handle in
/// it, on any thread. After the context's end nothing is left to destroy.
///
/// Threads: any thread may close it, or end its context, while others use it. From then on get() and use() raise
/// LogicError and owner() is null. Driver calls that hold a use() complete, and the last of them destroys the handle;
/// closing never waits for them. Ending a context does not wait either: the program must ensure that no call is running
/// in it. Moving and destroying require exclusive access to the object.
///
/// Traits: `using type`; `static constexpr const char* what` (for messages: "stream"); `static void destroy(type)
/// noexcept`, or `destroy(type, Context* owner)`, called with the owning context current, which passes failures to
/// report_cleanup_failure. Addresses and other values that calls take as plain numbers have `static
/// constexpr bool is_number = true`: they have no use(), and are destroyed at once.
template <class Traits>
class Handle {
public:
    using type = typename Traits::type;
    static constexpr bool is_number = requires { Traits::is_number; };

    /// The handle during a driver call, created in the call's argument list or before several calls.
    /// Without a handle it is the null handle. Belongs to one thread. Its end may
    /// destroy the handle, so no lock of the core may be held there.
    class Use {
    public:
        Use() = default;
        Use(Use&& other) noexcept
            : handle_(std::exchange(other.handle_, nullptr)),
              thread_(other.thread_),
              slot_(other.slot_),
              value_(other.value_) {}
        Use& operator=(Use&&) = delete;
        ~Use() {
            if (!handle_) return;
            thread_->end(slot_);
            if (handle_->state_.load() == State::Closed) [[unlikely]]
                handle_->finish();
        }
        operator type() const noexcept { return value_; }

    private:
        friend class Handle;
        explicit Use(const Handle& handle)
            : handle_(&handle),
              thread_(&HazardPointers::of_this_thread()),
              slot_(thread_->begin(handle_)),
              value_(handle.value_) {}
        const Handle* handle_ = nullptr;
        HazardPointers* thread_ = nullptr;
        std::size_t slot_ = 0;
        type value_{};
    };

    Handle() = default;
    Handle(type value, std::shared_ptr<Context> owner) : Handle(value, std::move(owner), true) {
        if (value != type{}) ++counter();
    }
    /// A handle owned elsewhere, which must outlive this object. Not counted.
    static Handle borrow(type value, std::shared_ptr<Context> owner) { return {value, std::move(owner), false}; }
    Handle(Handle&& other) noexcept { take(other); }
    Handle& operator=(Handle&& other) noexcept {
        if (this != &other) {
            reset();
            take(other);
        }
        return *this;
    }
    ~Handle() { reset(); }

    /// The handle; LogicError "<what> was closed" after reset, "<what> belongs to a context that is gone" after its
    /// end. Driver calls take use() instead.
    type get() const {
        check();
        return value_;
    }
    /// The same; the handle is not destroyed while the Use lives.
    Use use() const
        requires(!is_number)
    {
        Use use(*this);
        check();
        return use;
    }
    /// The handle or its null value; never raises.
    type get_or_null() const noexcept { return is_open() ? value_ : type{}; }
    /// Null after reset.
    std::shared_ptr<Context> owner() const noexcept {
        const std::lock_guard lock(handle_owner_mutex());
        return is_open() ? owner_ : nullptr;
    }
    /// The same, never null: LogicError as by get().
    std::shared_ptr<Context> live_owner() const {
        auto owner = this->owner();
        check();
        if (!owner) raise_closed(Traits::what);
        return owner;
    }

    /// Close and destroy; the last call under way destroys it if there is one. Never throws. True if this call
    /// closed it.
    bool reset() noexcept {
        State was = State::Open;
        if (!state_.compare_exchange_strong(was, State::Closed)) return false;
        finish();
        return true;
    }

    /// Close without destroying, if the driver no longer can.
    void forget() noexcept {
        State was = State::Open;
        if (!state_.compare_exchange_strong(was, State::Destroyed)) return;
        std::shared_ptr<Context> owner;
        {
            const std::lock_guard lock(handle_owner_mutex());
            owner.swap(owner_);
        }
        if (is_ours_) --counter();
    }

private:
    enum class State : unsigned char { None, Open, Closed, Destroyed };

    Handle(type value, std::shared_ptr<Context> owner, bool is_ours)
        : value_(value),
          state_(value != type{} ? State::Open : State::None),
          is_ours_(is_ours),
          context_(owner ? owner->live_handle() : nullptr),
          owner_(std::move(owner)) {}

    void take(Handle& other) noexcept {
        value_ = other.value_;
        state_ = other.state_.exchange(State::None);
        is_ours_ = other.is_ours_;
        context_ = std::move(other.context_);
        owner_ = std::move(other.owner_);
    }

    static std::atomic<long>& counter() {
        static std::atomic<long>& instance = live_handle_counter(Traits::what);
        return instance;
    }

    bool is_open() const noexcept { return state_.load() == State::Open; }

    void check() const {
        if (!is_open()) [[unlikely]]
            raise_closed(Traits::what);
        if (context_ && !context_->load(std::memory_order_acquire)) [[unlikely]]
            raise_context_gone(Traits::what);
    }

    /// Destroy a closed handle. If a call still uses it, that call destroys it.
    void finish() const noexcept {
        if (is_forked_child()) [[unlikely]]
            return;
        if (!is_number && HazardPointers::any(this)) return;
        State was = State::Closed;
        if (!state_.compare_exchange_strong(was, State::Destroyed)) return;
        std::shared_ptr<Context> owner;
        {
            const std::lock_guard lock(handle_owner_mutex());
            owner.swap(owner_);
        }
        if (!is_ours_) return;
        clean_up_unlocked([value = value_, owner = std::move(owner)] {
            if (!owner)
                destroy(value, nullptr);
            else if (const CleanupScope scope(*owner); scope)
                destroy(value, owner.get());
            --counter();
        });
    }

    static void destroy(type value, Context* owner) noexcept {
        if constexpr (requires { Traits::destroy(value, owner); })
            Traits::destroy(value, owner);
        else
            Traits::destroy(value);
    }

    type value_{};
    mutable std::atomic<State> state_{State::None};
    bool is_ours_ = true;
    /// Outlives owner_, so that get() can ask while another thread closes.
    std::shared_ptr<const std::atomic<CUcontext>> context_;
    mutable std::shared_ptr<Context> owner_;  ///< until the handle is destroyed, which the last use may do
};

}  // namespace pycuda
