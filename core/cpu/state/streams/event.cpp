#include "state/streams/event.hpp"

#include "state/context.hpp"
#include "state/error.hpp"
#include "state/streams/stream.hpp"

#include <algorithm>
#include <chrono>

namespace cpu::state {

namespace {

std::int64_t now() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

Event::Event(std::shared_ptr<Context> context, unsigned flags) : context_(std::move(context)), flags_(flags) {
    if (flags & CU_EVENT_INTERPROCESS) shared_ = std::make_shared<SharedPoint>();
}

Event::Event(std::shared_ptr<Context> context, std::shared_ptr<SharedPoint> shared)
    : context_(std::move(context)),
      flags_(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING),
      shared_(std::move(shared)) {}

void Event::record(Stream& stream) {
    if (is_captured()) set_captured(nullptr);
    if (shared_) {
        const auto complete = [shared = shared_, recording = shared_->record()] { shared->complete(recording); };
        if (!stream.run_here_if_idle(complete)) stream.enqueue(make_task(TaskKind::Bookkeeping, complete));
        return;
    }
    auto made = std::make_shared<Recording>();
    if (!stream.run_here_if_idle([&] { made->nanoseconds = now(); })) {
        made->fences = {stream.enqueue(make_task(TaskKind::Bookkeeping, [made] { made->nanoseconds = now(); }))};
    }
    std::lock_guard lock(mutex_);
    recording_ = std::move(made);
}

void Event::record(Context& context) {
    if (is_captured()) set_captured(nullptr);
    // An event with timing or shared with other processes needs a task that runs on a thread.
    const bool needs_a_stream = shared_ || !(flags_ & CU_EVENT_DISABLE_TIMING);
    if (needs_a_stream) {
        const auto stream = context.legacy_stream();
        stream->enqueue_after(context.pending(), make_task(TaskKind::Bookkeeping, [] {}));
        return record(*stream);
    }
    auto made = std::make_shared<Recording>();
    made->fences = context.pending();
    std::lock_guard lock(mutex_);
    recording_ = std::move(made);
}

namespace {

/// A recording of an interprocess event; it gets its number when that is first needed.
struct SharedRecording {
    std::shared_ptr<SharedPoint> point;
    std::mutex mutex;
    std::uint64_t number = 0;  ///< of recordings, which begin with 1
    std::uint64_t get() {
        const std::lock_guard lock(mutex);
        if (number == 0) number = point->record();
        return number;
    }
};

}  // namespace

PendingRecording Event::begin_recording() {
    if (shared_) {
        const auto made = std::make_shared<SharedRecording>();
        made->point = shared_;
        return {[made] { made->get(); }, [made] { made->point->complete(made->get()); }};
    }
    const auto made = std::make_shared<Recording>();
    const auto timeline = std::make_shared<Timeline>();
    made->fences = {{timeline, 1}};
    const auto publish = [this, made] {
        if (is_captured()) set_captured(nullptr);
        std::lock_guard lock(mutex_);
        recording_ = made;
    };
    return {publish, [made, timeline] {
                made->nanoseconds = now();
                timeline->complete(1);
            }};
}

std::function<void()> Event::waiting() const {
    if (shared_) return [shared = shared_, recording = shared_->recorded()] { shared->wait(recording); };
    return [last = recording()] {
        if (last)
            for (const Fence& fence : last->fences) fence.wait();
    };
}

void Event::set_captured(std::shared_ptr<const graphs::CapturedPoint> point) {
    std::lock_guard lock(mutex_);
    captured_ = std::move(point);
    is_captured_.store(captured_ != nullptr, std::memory_order_relaxed);
}

std::shared_ptr<const graphs::CapturedPoint> Event::captured() const {
    std::lock_guard lock(mutex_);
    return captured_;
}

bool Event::Recording::reached() const noexcept {
    return std::ranges::all_of(fences, &Fence::reached);
}

std::shared_ptr<const Event::Recording> Event::recording() const {
    std::lock_guard lock(mutex_);
    return recording_;
}

bool Event::reached() const {
    if (shared_) return shared_->reached(shared_->recorded());
    const auto last = recording();
    return !last || last->reached();
}

std::vector<Fence> Event::fences() const {
    const auto last = recording();
    return last ? last->fences : std::vector<Fence>();
}

void Event::synchronize() const {
    if (shared_)
        shared_->wait(shared_->recorded(), [this] { context_->check_interruption(); });
    else if (const auto last = recording())
        for (const Fence& fence : last->fences) context_->wait_for(fence);
}

void Event::hold_back(Stream& stream) const {
    if (reached()) return;
    if (shared_) {
        // Runs on the worker, like the program's functions: the wait may take long, and no other thread can shorten it.
        stream.enqueue(make_task(TaskKind::HostFunction,
                                 [shared = shared_, recording = shared_->recorded()] { shared->wait(recording); }));
    } else {
        stream.enqueue_after(recording()->fences, make_task(TaskKind::Bookkeeping, [] {}));
    }
}

void Event::hold_back(Context& context) const {
    if (reached()) return;
    if (shared_) return hold_back(*context.legacy_stream());
    context.hold_back(recording()->fences);
}

float Event::milliseconds_to(const Event& end) const {
    require(((flags_ | end.flags_) & CU_EVENT_DISABLE_TIMING) == 0, CUDA_ERROR_INVALID_HANDLE);
    require(context_ == end.context_, CUDA_ERROR_INVALID_HANDLE);
    const auto first = recording();
    const auto last = end.recording();
    require(first && last, CUDA_ERROR_INVALID_HANDLE);
    require(first->reached() && last->reached(), CUDA_ERROR_NOT_READY);
    return static_cast<float>(static_cast<double>(last->nanoseconds - first->nanoseconds) * 1e-6);
}

}  // namespace cpu::state
