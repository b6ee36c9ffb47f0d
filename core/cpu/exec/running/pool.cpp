#include "exec/running/pool.hpp"

#include <atomic>
#include <condition_variable>
#include <limits>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "exec/environment.hpp"
#include "exec/running/spin.hpp"
#include "platform/process.hpp"
#include "platform/processors.hpp"
#include "platform/sleeping_place.hpp"

namespace cpu::exec {

namespace {

constexpr int no_work = std::numeric_limits<int>::max();
/// The lowest priority value of all work that needs helpers.
std::atomic<int> most_urgent{no_work};

/// The work that this pool thread helps with.
thread_local const SharedWork* served = nullptr;
thread_local bool left_early = false;

}  // namespace

class Pool {
public:
    void add(SharedWork& work) {
        {
            const auto lock = lock_soon();
            start_threads(work.wanted_);
            const int here = platform::current_processor();
            for (platform::SleepingPlace* const place : places_) place->avoid(here);
            open_.push_back(&work);
            note_urgency();
            submitted_.fetch_add(1, std::memory_order_release);
        }
        work_added_.notify_one();  // it wakes the others: a short launch ends before that is needed
    }

    bool finish(SharedWork& work, Time leave_at) {
        const auto are_gone = [&] { return work.active_ == 0; };
        if (work.is_open_) {
            const auto lock = lock_soon();
            open_.remove(&work);
            work.is_open_ = false;
            note_urgency();
        }
        spin_until(are_gone);
        auto lock = lock_soon();
        if (leave_at != never) return helpers_left_.wait_until(lock, leave_at, are_gone);
        helpers_left_.wait(lock, are_gone);
        return true;
    }

    static bool wanted_elsewhere() noexcept {
        if (!served || most_urgent.load(std::memory_order_relaxed) >= served->priority_) return false;
        left_early = true;
        return true;
    }

private:
    /// Helpers that wait for the next launch all try to lock at once. Each holds the lock for less time than a sleep
    /// takes.
    std::unique_lock<std::mutex> lock_soon() {
        std::unique_lock lock(mutex_, std::defer_lock);
        spin_until([&] { return lock.try_lock(); });
        if (!lock) lock.lock();
        return lock;
    }

    /// If no more threads can be created, launches run on the existing ones.
    void start_threads(unsigned wanted) {
        try {
            for (; threads_ < wanted; ++threads_) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {
        }
    }

    void serve() {
        std::unique_lock lock(mutex_);
        platform::SleepingPlace place;
        places_.push_back(&place);  // never removed, because the thread never ends
        for (;;) {
            SharedWork* const work = most_urgent_work();
            if (!work) {
                place.falls_asleep();
                work_added_.wait(lock);
                place.wakes_up();
                continue;
            }
            --work->wanted_;
            ++work->active_;
            note_urgency();
            const bool more = most_urgent_work() != nullptr;
            lock.unlock();
            if (more) work_added_.notify_all();
            const bool unfinished = help(*work);
            lock = lock_soon();
            if (unfinished) {
                ++work->wanted_;
                note_urgency();
            }
            if (--work->active_ == 0) helpers_left_.notify_all();
            await_next(lock);
        }
    }

    /// True if the helper left before the work's end.
    static bool help(const SharedWork& work) {
        served = &work;
        left_early = false;
        work.help_();
        served = nullptr;
        return left_early;
    }

    /// Spins for a while, because the next launch often follows at once.
    void await_next(std::unique_lock<std::mutex>& lock) {
        const unsigned seen = submitted_.load(std::memory_order_relaxed);
        if (most_urgent_work()) return;
        lock.unlock();
        spin_until([&] { return submitted_.load(std::memory_order_acquire) != seen; });
        lock = lock_soon();
    }

    SharedWork* most_urgent_work() const {
        SharedWork* found = nullptr;
        for (SharedWork* const work : open_)
            if (work->wanted_ > 0 && (!found || work->priority_ < found->priority_)) found = work;
        return found;
    }
    void note_urgency() const {
        const SharedWork* const work = most_urgent_work();
        most_urgent.store(work ? work->priority_ : no_work, std::memory_order_relaxed);
    }

    std::mutex mutex_;
    std::condition_variable work_added_, helpers_left_;
    std::list<SharedWork*> open_;
    std::vector<platform::SleepingPlace*> places_;
    std::atomic<unsigned> submitted_{0};
    unsigned threads_ = 0;
};

namespace {

/// Leaked on purpose. A forked child has none of its parent's threads and gets its own pool.
Pool& pool() {
    static std::mutex* const mutex = new std::mutex;
    static Pool* current = nullptr;
    static int owner = 0;
    std::lock_guard lock(*mutex);
    if (!current || owner != platform::process_id()) {
        current = new Pool;
        most_urgent = no_work;
        owner = platform::process_id();
    }
    return *current;
}

}  // namespace

unsigned default_threads() {
    static const unsigned count = [] {
        const auto wanted = environment_number("PYCUDA_CPU_THREADS", 1u, 1024u, "a number of threads from 1 to 1024");
        return wanted ? *wanted : platform::usable_processors();
    }();
    return count;
}

SharedWork::SharedWork(std::function<void()> help, unsigned helpers, int priority)
    : help_(std::move(help)), priority_(priority), pool_(pool()), wanted_(helpers) {
    pool_.add(*this);
}

SharedWork::~SharedWork() {
    if (is_open_ || active_ != 0) pool_.finish(*this, never);
}

bool SharedWork::finish(Time leave_at) {
    return pool_.finish(*this, leave_at);
}

bool wanted_elsewhere() noexcept {
    return Pool::wanted_elsewhere();
}

}  // namespace cpu::exec
