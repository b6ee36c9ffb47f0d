#include "streams/pending_waits.hpp"

#include <utility>

#include "pycuda/streams/stream.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {

std::shared_ptr<void> PendingWaits::begin() {
    struct Wait {
        explicit Wait(std::shared_ptr<PendingWaits> given) : waits(std::move(given)) {}
        ~Wait() { waits->end_one(); }
        std::shared_ptr<PendingWaits> waits;
    };
    auto wait = std::make_shared<Wait>(shared_from_this());
    const std::lock_guard lock(mutex_);
    ++count_;
    ++in_process_;
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

bool PendingWaits::free_now() noexcept {
    const auto waits = any() ? of_current() : nullptr;
    if (!waits) return false;
    const WaitScope unlocked;
    return waits->free_all();
}

/// With the context current.
bool PendingWaits::free_all() noexcept {
    std::vector<std::function<void()>> calls;
    {
        const std::lock_guard lock(mutex_);
        calls.swap(put_off_);
    }
    for (const auto& free : calls) free();
    return !calls.empty();
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
        if (const CleanupScope scope(*context); scope) self->free_all();
    });
}

void PendingWaits::context_ends(bool reachable) noexcept {
    if (reachable) free_all();
}

}  // namespace pycuda
