#include "timeline/device_activity.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "timeline/activity_records.hpp"
#include "timeline/cupti.hpp"
#include "timeline/timeline.hpp"
#include "timeline/timeline_clock.hpp"

namespace pycuda {
namespace {

/// The same moment on CUPTI's clock and on the timeline's.
struct Moment {
    std::uint64_t of_cupti = 0, of_timeline = 0;
};

/// Tolerance of the device's clock, in nanoseconds: work that seems to have ended this long before a timeline began may
/// still be part of it.
constexpr std::uint64_t clock_error = 1'000'000;

/// The recording of one timeline. Leaked: threads may call the driver while statics are destroyed.
struct ActivityRecording {
    using Stream = std::pair<CUcontext, CUstream>;

    std::mutex mutex;
    std::atomic<const Cupti*> cupti{nullptr};  ///< null while CUPTI does not record
    void* subscriber = nullptr;
    Moment begin;
    std::set<Stream> noted;                                               ///< streams that have a lane
    std::map<std::pair<std::uint32_t, std::uint32_t>, Stream> stream_of;  ///< by CUPTI's numbers, of ended streams too
    std::string description = "pairs of events";
};

ActivityRecording& activity() {
    static auto* instance = new ActivityRecording;
    return *instance;
}

/// Of a few readings, the one that took the shortest time.
Moment read_clocks(const Cupti& cupti) noexcept {
    Moment best;
    std::uint64_t shortest = ~std::uint64_t{0};
    for (int i = 0; i < 5; ++i) {
        std::uint64_t time = 0;
        const std::uint64_t before = timeline_time();
        if (cupti.timestamp(&time) != cupti::success) return {};
        const std::uint64_t duration = timeline_time() - before;
        if (duration >= shortest) continue;
        shortest = duration;
        best = {time, before + duration / 2};
    }
    return best;
}

/// Times of CUPTI as times of the timeline, on the line through two moments.
class ClockMap {
public:
    ClockMap(const Moment& begin, const Moment& end) noexcept : begin_(begin) {
        const auto elapsed = static_cast<double>(end.of_cupti - begin.of_cupti);
        if (end.of_cupti > begin.of_cupti && end.of_timeline > begin.of_timeline)
            rate_ = static_cast<double>(end.of_timeline - begin.of_timeline) / elapsed;
    }
    std::uint64_t operator()(std::uint64_t time) const noexcept {
        const double elapsed = rate_ * static_cast<double>(static_cast<std::int64_t>(time - begin_.of_cupti));
        return begin_.of_timeline + static_cast<std::uint64_t>(static_cast<std::int64_t>(elapsed));
    }

private:
    const Moment begin_;
    double rate_ = 1;
};

std::string subscription_failure(int status) {
    if (status == cupti::has_subscriber || status == cupti::limit_reached) return "used by another tool";
    return "cuptiSubscribe returned status " + std::to_string(status);
}

/// Start CUPTI. Returns why it cannot be used; empty if it records. The subscription, which gets no calls, keeps other
/// tools away meanwhile.
std::string try_to_record(ActivityRecording& all, const Cupti& cupti) {
    const auto ignore = [](void*, int, std::uint32_t, const void*) {};
    if (const int status = cupti.subscribe(&all.subscriber, ignore, nullptr); status != cupti::success)
        return subscription_failure(status);
    std::string why;
    all.begin = read_clocks(cupti);
    if (!all.begin.of_cupti) why = "it has no clock";
    if (why.empty() && !collect_activity_records(cupti)) why = "it takes no buffers";
    for (const cupti::Kind kind : cupti::recorded_kinds)
        if (const int status = why.empty() ? cupti.enable(kind) : cupti::success; status != cupti::success)
            why = "cuptiActivityEnable returned status " + std::to_string(status);
    if (why.empty()) return why;
    for (const cupti::Kind kind : cupti::recorded_kinds) cupti.disable(kind);
    take_activity_records();
    cupti.unsubscribe(all.subscriber);
    return why;
}

/// PYCUDA_TRACE_CUPTI: "0" for none, or the path of a library; otherwise that of a toolkit, on a GPU.
std::string wanted_cupti() {
    return environment("PYCUDA_TRACE_CUPTI");
}

/// Start CUPTI, or say why not.
void record_activity(const DriverLibrary& library) {
    ActivityRecording& all = activity();
    const std::lock_guard lock(all.mutex);
    if (all.cupti) return;
    const std::string wanted = wanted_cupti();
    const bool is_path = names_a_folder(wanted);
    const Cupti* cupti = nullptr;
    std::string why;
    if (wanted == "0") {
        why = "switched off by PYCUDA_TRACE_CUPTI";
    } else if (library.is_cpu_device && !is_path) {
        why = "not for the CPU device";
    } else if (!environment("CUDA_INJECTION64_PATH").empty()) {
        why = "used by another tool, which CUDA_INJECTION64_PATH names";
    } else if ((cupti = open_cupti(is_path ? wanted : "", why))) {
        why = try_to_record(all, *cupti);
    }
    all.description = why.empty() ? "CUPTI " + cupti->version : "pairs of events; CUPTI: " + why;
    if (why.empty()) all.cupti = cupti;
}

/// Give a stream of the current context the lane of its number.
void note_stream(ActivityRecording& all, const Cupti& cupti, CUcontext context, CUstream stream) {
    const std::lock_guard lock(all.mutex);
    if (!all.cupti || !all.noted.emplace(context, stream).second) return;
    const bool per_thread = stream == CU_STREAM_PER_THREAD;
    const bool is_default = per_thread || stream == CU_STREAM_LEGACY || !stream;
    std::uint32_t of_context = 0, of_stream = 0;
    if (cupti.context_id(context, &of_context) != cupti::success) return;
    // Each context has a default stream, so its number is only known together with its context.
    if (cupti.stream_id(is_default ? context : nullptr, is_default ? nullptr : stream, per_thread, &of_stream) ==
        cupti::success)
        all.stream_of.insert_or_assign({of_context, of_stream}, ActivityRecording::Stream{context, stream});
}

/// Another stream may get the same handle.
void forget_stream(ActivityRecording& all, CUstream stream) noexcept {
    const std::lock_guard lock(all.mutex);
    std::erase_if(all.noted, [&](const auto& noted) { return noted.second == stream; });
}

/// The contexts of streams that have a lane, which lose it.
std::set<CUcontext> take_noted_contexts(ActivityRecording& all, CUcontext of) {
    const std::lock_guard lock(all.mutex);
    std::set<CUcontext> contexts;
    for (const auto& [context, stream] : all.noted)
        if (!of || context == of) contexts.insert(context);
    std::erase_if(all.noted, [&](const auto& noted) { return contexts.contains(noted.first); });
    return contexts;
}

std::vector<Timeline::Work> rows_of(const ActivityRecording& all, const ActivityRecords& activity, const ClockMap& at) {
    std::vector<Timeline::Work> rows;
    for (const ActivityRecord& record : activity.records) {
        if (record.begin + clock_error < all.begin.of_cupti) continue;  // of a buffer that was completed late
        const auto known = all.stream_of.find({record.context, record.stream});
        const bool has_handle = known != all.stream_of.end();
        const auto [context, stream] = has_handle ? known->second : ActivityRecording::Stream{};
        rows.push_back({record.name, context, stream, at(record.begin), at(record.end), record.bytes,
                        has_handle ? 0 : record.stream});
    }
    std::ranges::sort(rows, {}, &Timeline::Work::begin);
    return rows;
}

}  // namespace

void connect_device_activity(const DriverLibrary& library) noexcept try {
    if (timeline_is_on()) record_activity(library);
} catch (const std::bad_alloc&) {
    // Out of memory: pairs of events.
}

void start_device_activity() noexcept try {
    {
        const std::lock_guard lock(activity().mutex);
        activity().description = "pairs of events";
    }
    if (driver_if_initialised()) record_activity(choose_driver());
} catch (const std::bad_alloc&) {
    // Out of memory: pairs of events.
}

bool device_activity_is_on() noexcept {
    return activity().cupti.load(std::memory_order_relaxed) != nullptr;
}

void note_call_for_activity(std::string_view name, CUstream stream) noexcept try {
    ActivityRecording& all = activity();
    const Cupti* const cupti = all.cupti;
    if (!cupti) return;
    if (name.starts_with("cuStreamDestroy")) return forget_stream(all, stream);
    const auto is_any_of = [&](auto... prefixes) { return (name.starts_with(prefixes) || ...); };
    if (!is_any_of("cuLaunch", "cuMemcpy", "cuMemset", "cuGraphLaunch")) return;
    CUcontext context = nullptr;
    if (driver().cuCtxGetCurrent.try_call(&context) == CUDA_SUCCESS && context)
        note_stream(all, *cupti, context, stream);
} catch (const std::bad_alloc&) {
    // Out of memory: the stream's lane has a number instead of its handle.
}

void complete_device_activity(CUcontext of) noexcept try {
    ActivityRecording& all = activity();
    const Cupti* const cupti = all.cupti;
    if (!cupti) return;
    for (const CUcontext context : take_noted_contexts(all, of)) {
        if (any_capture_is_open()) break;  // waiting would invalidate it
        CUcontext popped = nullptr;
        if (driver().cuCtxPushCurrent.try_call(context) != CUDA_SUCCESS) continue;
        driver().cuCtxSynchronize.try_call();
        driver().cuCtxPopCurrent.try_call(&popped);
    }
    cupti->flush(0);
} catch (const std::bad_alloc&) {
    // Out of memory: some of the work is left out.
}

std::vector<Timeline::Work> stop_device_activity() {
    ActivityRecording& all = activity();
    const Cupti* const cupti = all.cupti.exchange(nullptr);
    if (!cupti) return {};
    for (const cupti::Kind kind : cupti::recorded_kinds) cupti->disable(kind);
    cupti->flush(cupti::flush_incomplete);
    const Moment end = read_clocks(*cupti);
    cupti->unsubscribe(all.subscriber);
    const ActivityRecords recorded = take_activity_records();
    const std::lock_guard lock(all.mutex);
    std::vector<Timeline::Work> rows = rows_of(all, recorded, ClockMap(all.begin, end));
    if (recorded.lost) all.description += "; " + std::to_string(recorded.lost) + " records lost";
    all.noted.clear();
    all.stream_of.clear();
    return rows;
}

std::string device_times() {
    ActivityRecording& all = activity();
    const std::lock_guard lock(all.mutex);
    return all.description;
}

}  // namespace pycuda
