#include "streams/stream_order.hpp"

#include <algorithm>

#include "contexts/converted_contexts.hpp"
#include "contexts/interruptible_wait.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/captures/captured_work.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {
namespace {

/// How many ends of epochs are kept; for an older epoch, the end of the next one is used.
constexpr std::size_t max_points = 32;
/// How many ended streams are known. An older one counts as a stream of another library, whose work is unknown: what
/// comes after it waits for all work of the context.
constexpr std::size_t max_ended = 1024;

void make_event(CUevent& event) {
    if (!event) driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
}

/// A context with a fault has no work left to wait for.
bool is_pending(CUevent event) {
    return driver().cuEventQuery.try_call(event) == CUDA_ERROR_NOT_READY;
}

}  // namespace

StreamOrder::StreamOrder(const Context& context) : context_(context_of_all_work(context)) {}

void StreamOrder::context_ends(bool reachable) noexcept {
    const auto lock = lock_over_calls(mutex_);
    if (reachable) {
        for (const auto& [stream, known] : streams_)
            if (known.left) driver().cuEventDestroy.clean_up(known.left);
        for (const Point& point : points_) driver().cuEventDestroy.clean_up(point.event);
        for (const CUevent event : spare_) driver().cuEventDestroy.clean_up(event);
        for (const CUevent event : {marker_, barrier_})
            if (event) driver().cuEventDestroy.clean_up(event);
    }
    streams_.clear();
    ended_.clear();
    points_.clear();
    spare_.clear();
    marker_ = barrier_ = nullptr;
}

// ---- streams

void StreamOrder::created(CUstream stream, bool non_blocking) {
    const auto lock = lock_over_calls(mutex_);
    // Asking for an event would invalidate captures of other streams. Another may begin meanwhile in another context.
    const RelaxedCapture relaxed{RelaxedCapture::Always{}};
    Known& known = streams_[stream];
    if (known.left) {
        driver().cuStreamWaitEvent(stream, known.left, 0);
        driver().cuEventDestroy.clean_up(known.left);
        known.left = nullptr;
    }
    if (barrier_ && is_pending(barrier_)) driver().cuStreamWaitEvent(stream, barrier_, 0);
    known = {true, non_blocking, ++lives_, nullptr};
}

void StreamOrder::ending(CUstream stream) noexcept {
    auto lock = lock_over_calls(mutex_);
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return;
    Known& known = found->second;
    known.alive = false;
    remember_ended({stream, known.life});
    // An error is a fault of the context: its work is over too.
    if (!ends_matter_.load(std::memory_order_acquire) ||
        driver().cuStreamQuery.try_call(stream) != CUDA_ERROR_NOT_READY)
        return;
    if (driver().cuEventCreate.try_call(&known.left, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) known.left = nullptr;
    if (known.left && driver().cuEventRecord.try_call(known.left, stream) == CUDA_SUCCESS) return;
    // Without the event, completion of the work would be unknown.
    if (known.left) driver().cuEventDestroy.clean_up(known.left);
    known.left = nullptr;
    lock.unlock();
    static_cast<void>(driver().cuStreamSynchronize.try_call(stream));
}

void StreamOrder::remember_ended(Ended ended) noexcept try {
    ended_.push_back(ended);
    if (ended_.size() <= max_ended) return;
    const Ended oldest = ended_.front();
    ended_.pop_front();
    const auto found = streams_.find(oldest.stream);
    if (found == streams_.end() || found->second.alive || found->second.life != oldest.life) return;
    const CUevent left = found->second.left;
    if (left && (any_capture_is_open() || is_pending(left))) return ended_.push_back(oldest);
    if (left) driver().cuEventDestroy.clean_up(left);
    streams_.erase(found);
} catch (const std::bad_alloc&) {
    // It stays known.
}

std::uint64_t StreamOrder::life_of(CUstream stream) const {
    const auto lock = lock_over_calls(mutex_);
    const auto found = streams_.find(stream);
    return found == streams_.end() || !found->second.alive ? 0 : found->second.life;
}

std::optional<bool> StreamOrder::is_non_blocking(CUstream stream) const {
    const auto lock = lock_over_calls(mutex_);
    const auto found = streams_.find(stream);
    return found == streams_.end() || !found->second.alive ? std::nullopt : std::optional(found->second.non_blocking);
}

bool StreamOrder::order(CUstream later, CUstream earlier) {
    const WaitScope unlocked;
    auto lock = lock_over_calls(mutex_);
    if (any_capture_is_open()) {
        wait_outside_captures(std::move(lock));
        return false;  // `earlier` itself may be captured
    }
    const CUevent event = end_of(earlier);
    if (event) driver().cuStreamWaitEvent(later, event, 0);
    return !event;
}

void StreamOrder::order_everything(CUstream earlier) {
    const WaitScope unlocked;
    auto lock = lock_over_calls(mutex_);
    if (any_capture_is_open()) return wait_outside_captures(std::move(lock));
    if (const CUevent event = end_of(earlier)) hold_everything_back(event);
}

CUevent StreamOrder::end_of(CUstream stream) {
    if (is_default_stream(stream)) {
        Known default_stream;
        return end_of(stream, default_stream);
    }
    const auto found = streams_.find(stream);
    // A stream created by another library may have ended, and its handle may have been reused.
    return found == streams_.end() ? record_point() : end_of(stream, found->second);
}

CUevent StreamOrder::end_of(CUstream stream, Known& known) {
    if (known.alive) {
        if (driver().cuStreamQuery.try_call(stream) != CUDA_ERROR_NOT_READY) return nullptr;
        make_event(marker_);
        driver().cuEventRecord(marker_, stream);
        return marker_;
    }
    if (!known.left || is_pending(known.left)) return known.left;
    driver().cuEventDestroy.clean_up(known.left);
    return known.left = nullptr;
}

// ---- epochs

void StreamOrder::end_epoch(std::uint64_t epoch) {
    const WaitScope unlocked;
    const auto lock = lock_over_calls(mutex_);
    if (any_capture_is_open()) return;  // the epoch ends later
    if (epoch == epoch_.load(std::memory_order_acquire)) record_point();
}

void StreamOrder::poll() {
    const WaitScope unlocked;
    const auto lock = lock_over_calls(mutex_);
    const RelaxedCapture relaxed;  // under the lock: captures begin under it
    drop_reached_points();
}

bool StreamOrder::is_reached(std::uint64_t epoch) noexcept {
    const WaitScope unlocked;
    const auto lock = lock_over_calls(mutex_);
    const RelaxedCapture relaxed;  // as above
    try {
        if (!any_capture_is_open()) return !end_of_epoch(epoch);
        drop_reached_points();
        return is_over(epoch);
    } catch (const Error& error) {
        return error.code() != CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;  // another library captures
    } catch (const std::bad_alloc&) {
        return false;
    }
}

std::optional<std::uint64_t> StreamOrder::end_present_epoch() {
    const WaitScope unlocked;
    const auto lock = lock_over_calls(mutex_);
    if (any_capture_is_open()) return std::nullopt;
    record_point();
    return points_.back().epoch;
}

bool StreamOrder::wait_uninterrupted(std::uint64_t epoch) {
    const WaitScope unlocked;
    // The call that caused a fault reports it.
    return !wait_unless_captured(epoch,
                                 [](CUevent event) { static_cast<void>(driver().cuEventSynchronize.try_call(event)); });
}

void StreamOrder::wait(std::uint64_t epoch) {
    const WaitScope unlocked;
    const RelaxedCapture relaxed{RelaxedCapture::Always{}};  // another thread may begin a capture meanwhile
    end_epoch(epoch);
    auto captured = wait_unless_captured(epoch, [](CUevent event) {
        wait_in_driver([event] { return driver().cuEventQuery.try_call(event); }, driver().cuEventSynchronize, event);
    });
    if (captured) wait_outside_captures(std::move(captured));
}

template <class WaitFor>
std::unique_lock<std::mutex> StreamOrder::wait_unless_captured(std::uint64_t epoch, const WaitFor& wait_for) {
    for (;;) {
        auto lock = lock_over_calls(mutex_);
        if (any_capture_is_open()) return lock;
        if (!end_of_epoch(epoch)) return {};
        const CUevent event =
            points_.front().event;  // the first to complete; another thread may notice that and reuse it
        lock.unlock();
        wait_for(event);
    }
}

void StreamOrder::order_after_epoch(CUstream later, std::uint64_t epoch) {
    const WaitScope unlocked;
    auto lock = lock_over_calls(mutex_);
    if (any_capture_is_open()) return wait_outside_captures(std::move(lock));
    if (const CUevent event = end_of_epoch(epoch)) driver().cuStreamWaitEvent(later, event, 0);
}

void StreamOrder::order_everything_after_epoch(std::uint64_t epoch) {
    const WaitScope unlocked;
    auto lock = lock_over_calls(mutex_);
    if (any_capture_is_open()) return wait_outside_captures(std::move(lock));
    if (const CUevent event = end_of_epoch(epoch)) hold_everything_back(event);
}

CUevent StreamOrder::end_of_epoch(std::uint64_t epoch) {
    drop_reached_points();
    if (is_over(epoch)) return nullptr;
    for (const Point& point : points_)
        if (point.epoch >= epoch) return point.event;
    return record_point();
}

CUevent StreamOrder::record_point() {
    drop_reached_points();
    CUevent event = nullptr;
    if (points_.size() == max_points) {
        event = points_.front().event;
        points_.pop_front();
    } else if (!spare_.empty()) {
        event = spare_.back();
        spare_.pop_back();
    }
    make_event(event);
    try {
        // End the epoch before recording its event: a thread that still reads the old epoch has queued its work
        // before.
        const std::uint64_t ended = epoch_.fetch_add(1, std::memory_order_acq_rel);
        record_everything(event);
        points_.push_back({ended, event});
    } catch (...) {
        driver().cuEventDestroy.clean_up(event);
        throw;
    }
    return event;
}

/// Drivers before CUDA 12.5 need several calls: there the default stream first waits for the others, and
/// non-blocking streams of other libraries are missed.
void StreamOrder::record_everything(CUevent event) {
    if (driver().cuCtxRecordEvent.is_available()) return driver().cuCtxRecordEvent(context_->load(), event);
    for (auto& [stream, known] : streams_)
        if (known.non_blocking || !known.alive)
            if (const CUevent end = end_of(stream, known)) driver().cuStreamWaitEvent(nullptr, end, 0);
    driver().cuEventRecord(event, nullptr);
}

void StreamOrder::hold_everything_back(CUevent event) {
    if (driver().cuCtxWaitEvent.is_available()) {
        driver().cuCtxWaitEvent(context_->load(), event);
    } else {
        driver().cuStreamWaitEvent(nullptr, event, 0);
        for (const auto& [stream, known] : streams_)
            if (known.non_blocking && known.alive) driver().cuStreamWaitEvent(stream, event, 0);
    }
    make_event(barrier_);
    driver().cuEventRecord(barrier_, nullptr);
}

// ---- captures

void StreamOrder::capture_begins() {
    const WaitScope unlocked;
    const auto lock = lock_over_calls(mutex_);
    if (!any_capture_is_open()) record_point();
    ++open_captures;
}

void StreamOrder::wait_outside_captures() {
    const WaitScope unlocked;
    wait_outside_captures(lock_over_calls(mutex_));
}

void StreamOrder::wait_outside_captures(std::unique_lock<std::mutex> lock) {
    const RelaxedCapture relaxed;
    const std::vector<CUevent> ends = ends_outside_captures();
    lock.unlock();
    for (const CUevent event : ends) {
        static_cast<void>(driver().cuEventSynchronize.try_call(event));  // the next call reports a fault
        driver().cuEventDestroy.clean_up(event);
    }
    for (CUevent point = nullptr;;) {
        lock = lock_over_calls(mutex_);
        drop_reached_points();
        if (points_.empty()) return;
        point = points_.front().event;
        lock.unlock();
        wait_in_driver([point] { return driver().cuEventQuery.try_call(point); }, driver().cuEventSynchronize, point);
    }
}

/// True if a stream that waits for the default stream is captured. Its flags must not be queried: that alone would
/// invalidate the capture.
bool StreamOrder::captures_block_default_stream() const {
    const std::vector<CUstream> captured = captured_streams();
    return std::any_of(captured.begin(), captured.end(), [this](CUstream stream) {
        const auto found = streams_.find(stream);
        return found == streams_.end() || !found->second.non_blocking;
    });
}

/// For all streams that can be queried. The work of the others was queued before their captures began; an epoch covers
/// it.
std::vector<CUevent> StreamOrder::ends_outside_captures() {
    std::vector<CUevent> ends;
    const auto record = [&ends](CUstream stream) {
        CUevent event = nullptr;
        make_event(event);
        ends.push_back(event);
        static_cast<void>(driver().cuEventRecord.try_call(event, stream));
    };
    ends.reserve(streams_.size() + 1);
    if (const std::shared_lock lock(captures_begin_and_end()); !captures_block_default_stream()) record(nullptr);
    for (const auto& [stream, known] : streams_)
        if (known.alive && !is_captured(stream)) record(stream);
    return ends;
}

void StreamOrder::drop_reached_points() {
    while (!points_.empty() && !is_pending(points_.front().event)) {
        over_.store(points_.front().epoch + 1, std::memory_order_release);
        spare_.push_back(points_.front().event);
        points_.pop_front();
    }
}

}  // namespace pycuda
