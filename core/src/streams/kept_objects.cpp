#include "streams/kept_objects.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <iterator>
#include <shared_mutex>
#include <thread>
#include <utility>
#include <vector>

#include "driver/driver_table.hpp"
#include "observing/untraced_thread.hpp"
#include "pycuda/captures/captured_work.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/staging_pool.hpp"
#include "streams/stream_order.hpp"
#include "threads/deferred_release.hpp"

namespace pycuda {
namespace {

/// Polls in rounds, less often while nothing completes. Leaked, with a detached thread: process exit does not wait for
/// it.
class Watcher {
public:
    Watcher() {
        std::thread([this] { run(); }).detach();
    }

    void add(std::shared_ptr<KeptObjects> kept) {
        {
            const std::lock_guard lock(mutex_);
            added_.push_back(std::move(kept));
        }
        wake_.notify_one();
    }

private:
    using Watched = std::vector<std::shared_ptr<KeptObjects>>;
    static constexpr std::chrono::milliseconds shortest{1}, longest{32};

    [[noreturn]] void run() {
        leave_this_thread_untraced();
        Watched watched;
        for (auto pause = shortest;;) {
            if (take_added(watched)) pause = shortest;
            std::this_thread::sleep_for(pause);
            pause = go_round(watched) ? shortest : std::min(2 * pause, longest);
        }
    }

    /// Wait for something to do. True if something new was added.
    bool take_added(Watched& watched) {
        std::unique_lock lock(mutex_);
        if (watched.empty()) wake_.wait(lock, [this] { return !added_.empty(); });
        if (added_.empty()) return false;
        if (watched.empty())
            watched.swap(added_);
        else
            watched.insert(watched.end(), added_.begin(), added_.end());
        added_.clear();
        return true;
    }

    static bool go_round(Watched& watched) noexcept {
        bool progress = false;
        std::erase_if(watched, [&progress](const auto& kept) {
            const KeptObjects::Round round = kept->release_completed();
            progress |= round == KeptObjects::Round::Progress;
            return round == KeptObjects::Round::Over;
        });
        return progress;
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    Watched added_;
};

/// Records the event, after creating it if necessary. False if that must be tried again. True after a fault of the
/// context, whose work is over: an event that was not recorded again counts as reached.
bool mark(CUstream stream, CUevent& done, StagingPool& staging) noexcept {
    if (!done && driver().cuEventCreate.try_call(&done, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
        done = nullptr;
        return false;
    }
    // Another library's capture must not be touched: the event would become a part of it.
    CUstreamCaptureStatus captured{};
    const CUresult asked = driver().cuStreamIsCapturing.try_call(stream, &captured);
    if (asked == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT || captured != CU_STREAM_CAPTURE_STATUS_NONE) return false;
    if (asked == CUDA_SUCCESS && driver().cuEventRecord.try_call(done, stream) == CUDA_SUCCESS) return true;
    const CUresult state = driver().cuStreamQuery.try_call(stream);
    if (state != CUDA_SUCCESS && state != CUDA_ERROR_NOT_READY) staging.settle(&stream);
    return state != CUDA_ERROR_NOT_READY;
}

Watcher& watcher() {
    static auto* const instance = new Watcher;
    return *instance;
}

}  // namespace

KeptObjects::KeptObjects(Context& context)
    : context_(context.weak_from_this()),
      order_(context.attachment<StreamOrder>()),
      staging_(context.attachment<StagingPool>()) {}

bool KeptObjects::try_keep(CUstream stream, std::shared_ptr<void>& object,
                           const std::shared_ptr<GrowingObject>& growing) {
    if (any_capture_is_open()) return false;
    {
        const std::lock_guard lock(mutex_);
        if (has_ended_) return false;
        if (!growing && watched_ && !unmarked_.empty() && unmarked_.back().stream == stream) {
            unmarked_.back().objects.back().push_back(std::move(object));
            return true;
        }
    }
    if (!knows_end_of(stream)) return false;
    Pieces piece = new_piece();
    piece.front().stream = stream;
    piece.front().growing = growing.get();
    auto& objects = piece.front().objects.emplace_back(1);
    if (growing) {
        const std::lock_guard lock(mutex_);
        growing_.push_back(growing);
    }
    objects.front().swap(object);
    const bool is_kept = add(unmarked_, piece);
    if (!is_kept) objects.front().swap(object);
    return is_kept;
}

bool KeptObjects::knows_end_of(CUstream stream) const {
    return !stream || stream == CU_STREAM_LEGACY || order_->life_of(stream) != 0;
}

void KeptObjects::keep(CUstream stream, std::shared_ptr<void>& object) {
    if (any_capture_is_open() && keep_in_graph(stream, object)) return;
    Pieces piece = new_piece();
    Kept& kept = piece.front();
    kept.stream = stream;
    auto& objects = kept.objects.emplace_back(1);  // after the event is recorded, nothing may fail
    try {
        if (!kept.done) driver().cuEventCreate(&kept.done, CU_EVENT_DISABLE_TIMING);
        driver().cuEventRecord(kept.done, stream);
    } catch (...) {
        kept.objects.clear();
        const std::lock_guard lock(mutex_);
        unused_.splice(unused_.end(), piece);
        throw;
    }
    objects.front().swap(object);
    static_cast<void>(add(under_way_, piece));  // the context is held
}

void KeptObjects::keep_until_all_done(std::shared_ptr<void> object) {
    Epochs one(1);
    one.front().objects.emplace_back().push_back(std::move(object));
    one.front().epoch = order_->epoch();
    if (!add(epochs_under_way_, one)) release_later(std::move(one.front().objects.front().front()));
}

template <class List>
bool KeptObjects::add(List& list, List& added) {
    bool watch = false;
    {
        const std::lock_guard lock(mutex_);
        if (has_ended_) return false;
        list.splice(list.end(), added);
        watch = !std::exchange(watched_, true);
    }
    if (watch) watch_for_completion();
    return true;
}

KeptObjects::Pieces KeptObjects::new_piece() {
    Pieces piece;
    {
        const std::lock_guard lock(mutex_);
        if (!unused_.empty()) {
            piece.splice(piece.end(), unused_, unused_.begin());
            return piece;
        }
    }
    piece.emplace_back();
    return piece;
}

template <class Wanted>
KeptObjects::Pieces KeptObjects::take_unmarked(const Wanted& is_wanted) noexcept {
    Pieces taken;
    const std::lock_guard lock(mutex_);
    for (auto piece = unmarked_.begin(); piece != unmarked_.end();) {
        const auto next = std::next(piece);
        if (is_wanted(*piece)) taken.splice(taken.end(), unmarked_, piece);
        piece = next;
    }
    return taken;
}

void KeptObjects::stream_ends(CUstream stream) noexcept {
    const UntracedScope untraced;
    const auto alone = lock_over_calls(marking_);
    Pieces pieces = take_unmarked([stream](const Kept& kept) { return kept.stream == stream; }), spare;
    Pieces done = marked(pieces, spare);
    // Objects without a recorded event count as released by the stream.
    if (!pieces.empty() && driver().cuStreamSynchronize.try_call(stream) != CUDA_SUCCESS) staging_->settle(&stream);
    done.splice(done.end(), pieces);
    const std::lock_guard lock(mutex_);
    under_way_.splice(under_way_.end(), done);
    unused_.splice(unused_.end(), spare);
}

void KeptObjects::seal_all() noexcept {
    std::vector<std::shared_ptr<GrowingObject>> growing;
    {
        const std::lock_guard lock(mutex_);
        growing.swap(growing_);
    }
    for (const auto& one : growing) one->seal();
}

void KeptObjects::mark_all() noexcept {
    const std::lock_guard alone(marking_);
    const std::shared_lock captures_stay(captures_begin_and_end());
    if (any_capture_is_open()) return;
    Pieces pieces = take_unmarked([](const Kept& kept) { return !kept.growing || kept.growing->is_sealed(); }), spare;
    Pieces done = marked(pieces, spare);
    const std::lock_guard lock(mutex_);
    unmarked_.splice(unmarked_.begin(), pieces);
    under_way_.splice(under_way_.end(), done);
    unused_.splice(unused_.end(), spare);
}

KeptObjects::Pieces KeptObjects::marked(Pieces& pieces, Pieces& spare) noexcept {
    Pieces done;
    pieces.sort([](const Kept& a, const Kept& b) { return std::less<CUstream>()(a.stream, b.stream); });
    for (Kept& piece : pieces) piece.growing = nullptr;
    for (auto piece = pieces.begin(); piece != pieces.end();) {
        auto next = std::next(piece);
        while (next != pieces.end() && next->stream == piece->stream) {
            piece->objects.splice(piece->objects.end(), next->objects);
            spare.splice(spare.end(), pieces, next);
            next = std::next(piece);
        }
        if (mark(piece->stream, piece->done, *staging_)) done.splice(done.end(), pieces, piece);
        piece = next;
    }
    return done;
}

void KeptObjects::watch_for_completion() noexcept {
    try {
        watcher().add(shared_from_this());
    } catch (...) {
        // Out of memory or threads: the next kept object tries again, and the end of the context releases all.
        const std::lock_guard lock(mutex_);
        watched_ = false;
    }
}

KeptObjects::Round KeptObjects::release_completed() noexcept {
    const auto context = context_.lock();
    seal_all();
    Objects objects;  // destroyed after all locks are released
    if (!context || !take_finished(*context, objects)) return Round::Over;
    return objects.empty() ? Round::Waiting : Round::Progress;
}

bool KeptObjects::take_finished(Context& context, Objects& objects) noexcept {
    const CleanupScope scope(context);
    Pieces pieces, finished;
    Epochs epochs;
    if (scope) {
        mark_all();
        {
            const std::lock_guard lock(mutex_);
            pieces.swap(under_way_);
            epochs.swap(epochs_under_way_);
        }
        // Without the lock, which launching threads take.
        objects = sort_out(pieces, finished);
        objects.splice(objects.end(), sort_out(epochs));
    }
    const std::lock_guard lock(mutex_);
    under_way_.splice(under_way_.begin(), pieces);
    epochs_under_way_.splice(epochs_under_way_.begin(), epochs);
    unused_.splice(unused_.end(), finished);
    // Nothing is kept in an ended context: its end releases everything.
    watched_ = scope && !(unmarked_.empty() && under_way_.empty() && epochs_under_way_.empty());
    return watched_;
}

/// Stop at the first unfinished object of a stream. An error is a fault of the context: its work is over.
KeptObjects::Objects KeptObjects::sort_out(Pieces& pieces, Pieces& finished) noexcept {
    Objects objects;
    Pieces waiting;
    const auto is_waiting = [&waiting](CUstream stream) {
        return std::any_of(waiting.begin(), waiting.end(), [&](const Kept& kept) { return kept.stream == stream; });
    };
    while (!pieces.empty()) {
        Kept& kept = pieces.front();
        const CUresult state =
            is_waiting(kept.stream) ? CUDA_ERROR_NOT_READY : driver().cuEventQuery.try_call(kept.done);
        if (state == CUDA_ERROR_NOT_READY) {
            waiting.splice(waiting.end(), pieces, pieces.begin());
        } else {
            if (state != CUDA_SUCCESS) staging_->settle(&kept.stream);
            objects.splice(objects.end(), kept.objects);
            finished.splice(finished.end(), pieces, pieces.begin());
        }
    }
    pieces.swap(waiting);
    return objects;
}

KeptObjects::Objects KeptObjects::sort_out(Epochs& epochs) noexcept {
    Objects objects;
    for (auto kept = epochs.begin(); kept != epochs.end();) {
        if (!order_->is_reached(kept->epoch)) {
            ++kept;
            continue;
        }
        objects.splice(objects.end(), kept->objects);
        kept = epochs.erase(kept);
    }
    return objects;
}

void KeptObjects::context_ends(bool reachable) noexcept {
    Pieces pieces, finished;
    Epochs epochs;
    std::vector<std::shared_ptr<GrowingObject>> growing;
    bool is_done = false;
    {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
        growing.swap(growing_);
        pieces.swap(under_way_);
        epochs.swap(epochs_under_way_);
        is_done = unmarked_.empty();
    }
    Objects objects;
    if (reachable) {
        objects = sort_out(pieces, finished);
        objects.splice(objects.end(), sort_out(epochs));
        is_done &= pieces.empty() && epochs.empty();
        if (!is_done) static_cast<void>(driver().cuCtxSynchronize.try_call());
    }
    staging_->settle();
    {
        const std::lock_guard lock(mutex_);
        for (Pieces* const others : {&unmarked_, &finished, &unused_}) pieces.splice(pieces.end(), *others);
    }
    for (Kept& kept : pieces) {
        objects.splice(objects.end(), kept.objects);
        if (reachable && kept.done) driver().cuEventDestroy.clean_up(kept.done);
    }
    for (KeptForAll& kept : epochs) objects.splice(objects.end(), kept.objects);
    for (auto& several : objects)
        for (auto& last : several) release_later(std::move(last));
    for (auto& last : growing) release_later(std::move(last));
}

}  // namespace pycuda
