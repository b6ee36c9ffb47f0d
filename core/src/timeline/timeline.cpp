#include "timeline/timeline.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/driver_table.hpp"
#include "observing/driver_trace.hpp"
#include "observing/recorded_call.hpp"
#include "observing/untraced_thread.hpp"
#include "platform/environment.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/timeline/trace.hpp"
#include "timeline/device_activity.hpp"
#include "timeline/timeline_clock.hpp"
#include "timeline/timeline_file.hpp"
#include "timeline/timeline_samples.hpp"

namespace pycuda {
namespace {

/// Work on the device between two events, whose times are read when the recording ends or its context does.
struct PendingWork {
    CUcontext context;
    CUstream stream;
    CUevent begin, end;
    std::string name;
};

/// An event of a context, the time of the host at which the device reached it, and its stream, which drivers access to
/// compute the time elapsed since.
struct Anchor {
    CUstream stream;
    CUevent event;
    std::uint64_t time;
};

/// The recorded data. Leaked: threads may call the driver while statics are destroyed.
struct Recording {
    std::mutex mutex;
    Timeline timeline;
    std::vector<PendingWork> pending;
    std::map<CUcontext, Anchor> anchors;
    bool shows_shares = false;  ///< until the recorded work is done, which is after the last recorded call
};

Recording& recording() {
    static auto* instance = new Recording;
    return *instance;
}

int thread_number() noexcept {
    static std::atomic<int> threads{0};
    thread_local const int number = ++threads;
    return number;
}

bool puts_work_into_a_stream(std::string_view name, const CallSubject& subject) noexcept {
    return subject.has_stream && (name.starts_with("cuLaunchKernel") || name.starts_with("cuLaunchCooperative") ||
                                  name.starts_with("cuMemcpy") || name.starts_with("cuMemset"));
}

bool ends_a_context(std::string_view name) noexcept {
    return name.starts_with("cuCtxDestroy") || name.starts_with("cuDevicePrimaryCtx");
}

CUevent record_event(CUstream stream) noexcept {
    CUevent event = nullptr;
    if (driver().cuEventCreate.try_call(&event, CU_EVENT_DEFAULT) != CUDA_SUCCESS) return nullptr;
    if (driver().cuEventRecord.try_call(event, stream) == CUDA_SUCCESS) return event;
    driver().cuEventDestroy.try_call(event);
    return nullptr;
}

/// An event whose time on the host is known, recorded on a separate stream, which waits for no other.
Anchor make_anchor() noexcept {
    CUstream stream = nullptr;
    if (driver().cuStreamCreate.try_call(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return {};
    const CUevent event = record_event(stream);
    if (event) driver().cuEventSynchronize.try_call(event);
    return {stream, event, timeline_time()};
}

/// The current context, with an anchor; null if there is none.
CUcontext anchored_context() {
    CUcontext context = nullptr;
    if (driver().cuCtxGetCurrent.try_call(&context) != CUDA_SUCCESS || !context) return nullptr;
    Recording& all = recording();
    const std::lock_guard lock(all.mutex);
    const auto [anchor, is_new] = all.anchors.try_emplace(context);
    if (is_new) anchor->second = make_anchor();
    return anchor->second.event ? context : nullptr;
}

bool changes_memory(std::string_view name) noexcept {
    return name.starts_with("cuMemAlloc") || name.starts_with("cuMemFree");
}

/// The bytes in use on the current context's device; false if the driver does not report them.
bool sample_device(Timeline::Sample& sample) noexcept {
    std::size_t free = 0, total = 0;
    if (driver().cuMemGetInfo.try_call(&free, &total) != CUDA_SUCCESS) return false;
    sample = {"device memory", nullptr, timeline_time(), total - free, 0};
    return true;
}

std::string work_name(const char* call, const CallSubject& subject) {
    const char* name = nullptr;
    const auto& get_name = driver().cuFuncGetName;
    if (subject.kernel && get_name.is_available() && get_name.try_call(&name, subject.kernel) == CUDA_SUCCESS && name)
        return name;
    return call;
}

/// Remove the records of a context, or of all contexts, from the recording.
std::pair<std::vector<PendingWork>, std::map<CUcontext, Anchor>> take_pending(Recording& all, CUcontext of) {
    const std::lock_guard lock(all.mutex);
    const auto is_taken = [&](CUcontext context) { return !of || context == of; };
    std::vector<PendingWork> taken, kept;
    for (PendingWork& work : all.pending) (is_taken(work.context) ? taken : kept).push_back(std::move(work));
    all.pending = std::move(kept);
    std::map<CUcontext, Anchor> anchors;
    for (auto anchor = all.anchors.begin(); anchor != all.anchors.end();) {
        const auto next = std::next(anchor);
        if (is_taken(anchor->first)) anchors.insert(all.anchors.extract(anchor));
        anchor = next;
    }
    return {std::move(taken), std::move(anchors)};
}

/// Wait for the work of a context, or of all (null), and read its times. Without the lock, because that work may
/// wait for other threads. The events are destroyed here, since they cannot outlive their context.
void collect(CUcontext of) {
    Recording& all = recording();
    const auto [pending, anchors] = take_pending(all, of);
    std::vector<Timeline::Work> done;
    for (const PendingWork& work : pending) {
        const Anchor& anchor = anchors.at(work.context);
        float begin = 0, end = 0;
        const bool known = driver().cuEventSynchronize.try_call(work.end) == CUDA_SUCCESS &&
                           driver().cuEventElapsedTime.try_call(&begin, anchor.event, work.begin) == CUDA_SUCCESS &&
                           driver().cuEventElapsedTime.try_call(&end, anchor.event, work.end) == CUDA_SUCCESS;
        const auto at = [&](float milliseconds) {
            return anchor.time + static_cast<std::uint64_t>(static_cast<double>(milliseconds) * 1e6);
        };
        if (known) done.push_back({work.name, work.context, work.stream, at(begin), at(end)});
        driver().cuEventDestroy.try_call(work.begin);
        driver().cuEventDestroy.try_call(work.end);
    }
    for (const auto& [context, anchor] : anchors) {
        if (anchor.event) driver().cuEventDestroy.try_call(anchor.event);
        if (anchor.stream) driver().cuStreamDestroy.try_call(anchor.stream);
    }
    const std::lock_guard lock(all.mutex);
    all.timeline.work.insert(all.timeline.work.end(), done.begin(), done.end());
}

}  // namespace

RecordedCall::RecordedCall(const char* name, const CallSubject& subject)
    : name_(name),
      subject_(subject),
      recorded_(timeline_is_on() && !ObserversCalls::is_active() && !this_thread_is_untraced()) {
    if (!recorded_) return;
    const ObserversCalls own;
    if (device_activity_is_on()) note_call_for_activity(name, subject.stream);
    if (ends_a_context(name)) {
        complete_device_activity(subject.context);
        collect(subject.context);
    } else if (!device_activity_is_on() && puts_work_into_a_stream(name, subject) && anchored_context()) {
        begin_ = record_event(subject.stream);
    }
    place_ = current_place();
    begun_ = timeline_time();
}

void RecordedCall::end(CUresult result, std::string arguments) {
    if (!recorded_) return;
    const std::uint64_t ended = timeline_time();
    const ObserversCalls own;
    PendingWork work{nullptr, subject_.stream, begin_, nullptr, {}};
    if (begin_ && (work.end = record_event(subject_.stream))) {
        work.context = anchored_context();
        work.name = work_name(name_, subject_);
    }
    Timeline::Sample sample{};
    const bool is_sampled = changes_memory(name_) && sample_device(sample);
    Recording& all = recording();
    const std::lock_guard lock(all.mutex);
    if (!timeline_is_on()) {  // the recording has ended meanwhile, and this call must not become part of the next one
        for (const CUevent event : {work.begin, work.end})
            if (event) driver().cuEventDestroy.try_call(event);
        return;
    }
    all.timeline.calls.push_back({name_, thread_number(), begun_, ended, result, std::move(arguments), place_});
    if (work.context) all.pending.push_back(std::move(work));
    if (is_sampled) all.timeline.samples.push_back(sample);
}

TimelineSpan::TimelineSpan(const char* name) noexcept : name_(name), begun_(timeline_is_on() ? timeline_time() : 0) {}

TimelineSpan::~TimelineSpan() {
    if (!begun_ || !timeline_is_on()) return;
    Recording& all = recording();
    const std::lock_guard lock(all.mutex);
    all.timeline.spans.push_back({name_, note_, thread_number(), begun_, timeline_time()});
}

void record_pool(const char* kind, const void* pool, std::uint64_t used, std::uint64_t held) noexcept try {
    Recording& all = recording();
    const std::lock_guard lock(all.mutex);
    if (timeline_is_on()) all.timeline.samples.push_back({kind, pool, timeline_time(), used, held});
} catch (const std::bad_alloc&) {
    // Out of memory: one sample is lost.
}

void record_share(const char* kernel, std::uint64_t begin, std::uint64_t end) noexcept try {
    Recording& all = recording();
    const std::lock_guard lock(all.mutex);
    if (all.shows_shares) all.timeline.shares.push_back({kernel, thread_number(), begin, end});
} catch (const std::bad_alloc&) {
    // Out of memory: one share is lost.
}

void start_trace() {
    static auto* mutex = new std::mutex;
    const std::lock_guard one_at_a_time(*mutex);
    if (timeline_is_on())
        throw LogicError("start_trace", 0,
                         "a timeline is being recorded already, by the program or because PYCUDA_TRACE names a file");
    start_device_activity();
    {
        const std::lock_guard lock(recording().mutex);
        recording().shows_shares = true;
    }
    add_observer(timeline_observer);
    observe_workers(true);
}

void stop_trace(const std::string& path) {
    const ObserversCalls own;
    if (!remove_observer(timeline_observer)) throw LogicError("stop_trace", 0, "no timeline is being recorded");
    complete_device_activity(nullptr);
    collect(nullptr);
    const std::vector<Timeline::Work> activity = stop_device_activity();
    observe_workers(false);
    Recording& all = recording();
    Timeline finished;
    {
        const std::lock_guard lock(all.mutex);
        std::swap(finished, all.timeline);
        all.shows_shares = false;
    }
    finished.work.insert(finished.work.end(), activity.begin(), activity.end());
    finished.device_times = device_times();
    write_timeline(finished, path);
}

std::string trace_file() {
    std::string value = environment("PYCUDA_TRACE");
    return names_a_timeline(value) ? value : std::string{};
}

}  // namespace pycuda
