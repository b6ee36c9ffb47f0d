#include "kept_objects.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <thread>
#include <utility>
#include <vector>

#include "deferred_release.hpp"
#include "driver_table.hpp"
#include "graphs/captures.hpp"
#include "stream_order.hpp"
#include "untraced_thread.hpp"

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

Watcher& watcher() {
    static auto* const instance = new Watcher;
    return *instance;
}

}  // namespace

KeptObjects::KeptObjects(Context& context)
    : context_(context.weak_from_this()), order_(context.attachment<StreamOrder>()) {}

void KeptObjects::keep(CUstream stream, std::shared_ptr<void>& object) {
    if (any_capture_is_open()) {
        if (const auto graph = captures::resources_of(stream)) return graph->keep(object);
    }
    Objects one(1);  // allocated first: after the event exists, nothing may fail
    Pieces piece = new_piece();
    Kept& kept = piece.front();
    kept.stream = stream;
    if (const CUresult result = driver().cuEventRecord.try_call(kept.done, stream)) {
        {
            const std::lock_guard lock(mutex_);
            unused_.splice(unused_.end(), piece);
        }
        driver().cuEventRecord.fail(result, "");
    }
    one.front() = std::move(object);
    kept.object.swap(one);
    bool watch = false;
    {
        const std::lock_guard lock(mutex_);
        under_way_.splice(under_way_.end(), piece);
        watch = !std::exchange(watched_, true);
    }
    if (watch) be_watched();
}

void KeptObjects::keep_until_all_done(std::shared_ptr<void> object) {
    Epochs one(1);
    one.front().object.push_back(std::move(object));
    one.front().epoch = order_->epoch();
    bool watch = false;
    {
        const std::lock_guard lock(mutex_);
        epochs_under_way_.splice(epochs_under_way_.end(), one);
        watch = !std::exchange(watched_, true);
    }
    if (watch) be_watched();
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
    driver().cuEventCreate(&piece.emplace_back().done, CU_EVENT_DISABLE_TIMING);
    return piece;
}

void KeptObjects::be_watched() noexcept {
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
    Objects objects;  // destroyed after all locks are released
    if (!context || !take_finished(*context, objects)) return Round::Over;
    return objects.empty() ? Round::Waiting : Round::Progress;
}

bool KeptObjects::take_finished(Context& context, Objects& objects) noexcept {
    const CleanupScope scope(context);
    Pieces pieces, finished;
    Epochs epochs;
    if (scope) {
        {
            const std::lock_guard lock(mutex_);
            pieces.swap(under_way_);
            epochs.swap(epochs_under_way_);
        }
        // Not under the lock, which the thread that launches takes.
        objects = sort_out(pieces, finished);
        objects.splice(objects.end(), sort_out(epochs));
    }
    const std::lock_guard lock(mutex_);
    under_way_.splice(under_way_.begin(), pieces);
    epochs_under_way_.splice(epochs_under_way_.begin(), epochs);
    unused_.splice(unused_.end(), finished);
    // After the end of a context nothing is kept in it, and its end releases the rest.
    watched_ = scope && !(under_way_.empty() && epochs_under_way_.empty());
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
        if (is_waiting(kept.stream) || driver().cuEventQuery.try_call(kept.done) == CUDA_ERROR_NOT_READY) {
            waiting.splice(waiting.end(), pieces, pieces.begin());
        } else {
            objects.splice(objects.end(), kept.object);
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
        objects.splice(objects.end(), kept->object);
        kept = epochs.erase(kept);
    }
    return objects;
}

void KeptObjects::context_ends(bool reachable) noexcept {
    Pieces pieces, finished;
    Epochs epochs;
    {
        const std::lock_guard lock(mutex_);
        pieces.swap(under_way_);
        epochs.swap(epochs_under_way_);
    }
    Objects objects;
    if (reachable) {
        objects = sort_out(pieces, finished);
        objects.splice(objects.end(), sort_out(epochs));
        if (!pieces.empty() || !epochs.empty()) static_cast<void>(driver().cuCtxSynchronize.try_call());
    }
    for (Kept& kept : pieces) objects.splice(objects.end(), kept.object);
    for (KeptForAll& kept : epochs) objects.splice(objects.end(), kept.object);
    for (auto& last : objects) release_later(std::move(last));
    pieces.splice(pieces.end(), finished);
    const std::lock_guard lock(mutex_);
    pieces.splice(pieces.end(), unused_);
    for (const Kept& kept : pieces)
        if (reachable) driver().cuEventDestroy.clean_up(kept.done);
}

}  // namespace pycuda
