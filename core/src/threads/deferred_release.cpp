#include "threads/deferred_release.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace pycuda {
namespace {

/// Leaked, and its thread detached: process exit does not wait for it.
class Releaser {
public:
    Releaser() {
        std::thread([this] { run(); }).detach();
    }

    /// Take the reference. If memory runs out, throw and leave it to the caller.
    void add(std::shared_ptr<void>& reference) {
        {
            const std::lock_guard lock(mutex_);
            waiting_.push_back(std::move(reference));
        }
        wake_.notify_one();
    }

private:
    [[noreturn]] void run() {
        for (;;) {
            std::vector<std::shared_ptr<void>> taken;
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return !waiting_.empty(); });
            taken.swap(waiting_);
            lock.unlock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<std::shared_ptr<void>> waiting_;
};

Releaser& releaser() {
    static auto* instance = new Releaser;
    return *instance;
}

}  // namespace

void release_later(std::shared_ptr<void> last) noexcept {
    if (last.use_count() == 0) return;
    auto* kept = new (std::nothrow) std::shared_ptr<void>(std::move(last));
    if (!kept) return;
    try {
        releaser().add(*kept);
        delete kept;
    } catch (...) {
        // `kept` keeps the reference until the process ends.
    }
}

}  // namespace pycuda
