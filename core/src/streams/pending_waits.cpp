#include "streams/pending_waits.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>

#include "pycuda/streams/stream.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/stream_order.hpp"
#include "threads/deferred_release.hpp"

namespace pycuda {

/// Polls: most frees take microseconds. libstdc++ 12's std::atomic::wait misses notifications where the system has no
/// futexes, as on Windows.
void PendingWaits::wait_for_frees() noexcept {
    constexpr int yields = 100;
    const WaitScope unlocked;
    for (int tries = 0; Free::running_ != 0; ++tries) {
        if (tries < yields)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

std::shared_ptr<void> PendingWaits::begin() {
    struct Wait {
        explicit Wait(std::shared_ptr<PendingWaits> given) : waits(std::move(given)) {}
        ~Wait() { waits->end_one(); }
        std::shared_ptr<PendingWaits> waits;
    };
    auto wait = std::make_shared<Wait>(shared_from_this());
    {
        const std::lock_guard lock(mutex_);
        ++count_;
        ++in_process_;
    }
    ever_ = true;
    if (Free::running_ != 0) wait_for_frees();
    return wait;
}

std::shared_ptr<void> PendingWaits::begin_in(const Stream* stream) {
    return (stream ? stream->context() : Context::current())->attachment<PendingWaits>()->begin();
}

bool PendingWaits::any_in(const Context& context) noexcept {
    const auto waits = any() ? context.attachment_if_any<PendingWaits>() : nullptr;
    if (!waits) return false;
    const std::lock_guard lock(waits->mutex_);
    return waits->count_ != 0;
}

std::shared_ptr<PendingWaits> PendingWaits::of_current() noexcept {
    const auto context = Context::current_in_cleanup();
    return context ? context->attachment_if_any<PendingWaits>() : nullptr;
}

bool PendingWaits::put_off(std::function<void()> free) noexcept {
    try {
        const auto waits = of_current();
        if (!waits) return false;
        const std::lock_guard lock(waits->mutex_);
        if (waits->count_ != 0) waits->put_off_.push_back(std::move(free));
        return waits->count_ != 0;
    } catch (...) {
        return true;  // without memory it is left to the end of the context
    }
}

void PendingWaits::drop_after_frees(std::shared_ptr<void> object) noexcept {
    const auto waits = of_current();
    if (!waits) return;
    try {
        const std::lock_guard lock(waits->mutex_);
        if (waits->frees_ || !waits->put_off_.empty())
            waits->put_off_.push_back([kept = object]() mutable { release_later(std::move(kept)); });
    } catch (...) {
        leak(std::move(object));  // its address must not be used again
    }
}

bool PendingWaits::wait_for_work() noexcept {
    if (!ever_.load(std::memory_order_relaxed)) [[likely]]
        return true;
    const auto waits = of_current();
    const auto context = waits ? waits->context_.lock() : nullptr;
    return !context || wait_until_idle(*context) != Work::HeldByWait;
}

bool PendingWaits::free_now() noexcept {
    const auto waits = of_current();
    if (!waits) return false;
    const WaitScope unlocked;
    {
        const std::lock_guard one_by_one(waits->freeing_);
        waits->free_all();
    }
    while (waits->free_one()) {  // what was put off meanwhile
    }
    return true;
}

/// What is waited for is recorded while no wait is queued: so it ends without this thread.
PendingWaits::Work PendingWaits::wait_until_idle(Context& context) noexcept try {
    const RelaxedCapture relaxed{RelaxedCapture::Always{}};
    const auto order = context.attachment<StreamOrder>();
    std::optional<std::uint64_t> present;
    {
        const Free running;
        if (any_in(context)) return Work::HeldByWait;
        present = order->end_present_epoch();
    }
    return present && order->wait_uninterrupted(*present) ? Work::Over : Work::Unknown;
} catch (const Error& error) {
    // Another library captures; or the context has a fault, and its work is over.
    return error.code() != CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED ? Work::Over : Work::Unknown;
} catch (...) {
    return Work::Unknown;
}

/// With the context current. False if nothing is left, if another thread frees, or if a wait has begun, whose end frees
/// the rest.
bool PendingWaits::free_one() noexcept {
    const std::unique_lock one_by_one(freeing_, std::try_to_lock);
    if (!one_by_one) return false;
    const auto may_free = [this] { return count_ == 0 && !put_off_.empty(); };
    do {
        const std::lock_guard lock(mutex_);
        if (!may_free()) return false;
    } while (!wait_for_work());
    const Free running;
    std::function<void()> free;
    {
        const std::lock_guard lock(mutex_);
        if (!may_free()) return false;
        free = std::move(put_off_.front());
        put_off_.pop_front();
        frees_ = true;
    }
    free();
    const std::lock_guard lock(mutex_);
    frees_ = false;
    return true;
}

/// With the context current.
void PendingWaits::free_all() noexcept {
    std::deque<std::function<void()>> calls;
    {
        const std::lock_guard lock(mutex_);
        calls.swap(put_off_);
        frees_ = true;
    }
    for (const auto& free : calls) free();
    const std::lock_guard lock(mutex_);
    frees_ = false;
}

void PendingWaits::end_one() noexcept {
    {
        const std::lock_guard lock(mutex_);
        --in_process_;
        if (--count_ != 0 || put_off_.empty()) return;
    }
    clean_up_unlocked([self = shared_from_this()] {
        const auto context = self->context_.lock();
        if (!context) return;
        if (const CleanupScope scope(*context); scope)
            while (self->free_one()) {
            }
    });
}

void PendingWaits::context_ends(bool reachable) noexcept {
    if (reachable) free_all();
}

}  // namespace pycuda
