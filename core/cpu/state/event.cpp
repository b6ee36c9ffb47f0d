#include "state/event.hpp"

#include "state/error.hpp"
#include "state/stream.hpp"

#include <chrono>

namespace cpu::state {

namespace {

std::int64_t now() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

void Event::record(Stream& stream) {
    auto made = std::make_shared<Recording>();
    if (!stream.run_here_if_idle([&] { made->nanoseconds = now(); })) {
        made->fence = stream.enqueue(make_task(TaskKind::Bookkeeping, [made] { made->nanoseconds = now(); }));
    }
    std::lock_guard lock(mutex_);
    recording_ = std::move(made);
}

std::shared_ptr<const Event::Recording> Event::recording() const {
    std::lock_guard lock(mutex_);
    return recording_;
}

bool Event::reached() const {
    const auto last = recording();
    return !last || last->fence.reached();
}

void Event::synchronize() const {
    if (const auto last = recording()) last->fence.wait();
}

Fence Event::fence() const {
    const auto last = recording();
    return last ? last->fence : Fence{};
}

float Event::milliseconds_to(const Event& end) const {
    require(((flags_ | end.flags_) & CU_EVENT_DISABLE_TIMING) == 0, CUDA_ERROR_INVALID_HANDLE);
    const auto first = recording();
    const auto last = end.recording();
    require(first && last, CUDA_ERROR_INVALID_HANDLE);
    require(first->fence.reached() && last->fence.reached(), CUDA_ERROR_NOT_READY);
    return static_cast<float>(static_cast<double>(last->nanoseconds - first->nanoseconds) * 1e-6);
}

}  // namespace cpu::state
