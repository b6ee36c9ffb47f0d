#include "exec/running/pool.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "exec/environment.hpp"
#include "exec/interruption.hpp"
#include "exec/running/spin.hpp"

namespace cpu::exec {

namespace {

struct Job {
    const std::function<void()>& help;
    unsigned wanted;
    int priority;
    std::atomic<unsigned> active = 0;
};

constexpr int no_job = std::numeric_limits<int>::max();
/// The lowest priority value of all jobs that need helpers.
std::atomic<int> most_urgent{no_job};

/// The job that this pool thread works on.
thread_local const Job* served = nullptr;
thread_local bool left_early = false;

/// The processor on which a pool thread sleeps. Linux usually wakes it there, even if the launching thread now computes
/// on that processor and others are idle; it would then wait for a scheduler tick, which takes longer than many
/// launches. So the thread is moved to another processor while it wakes. Guarded by the pool's mutex.
class SleepingPlace {
public:
    void falls_asleep() { processor_ = sched_getcpu(); }

    /// The processor of the launching thread.
    void keep_off(int processor) {
        if (processor_ < 0 || processor_ != processor) return;
        if (pthread_getaffinity_np(owner_, sizeof allowed_, &allowed_) != 0) return;
        cpu_set_t others = allowed_;
        CPU_CLR(static_cast<unsigned>(processor), &others);
        if (CPU_COUNT(&others) == 0) return;
        narrowed_ = pthread_setaffinity_np(owner_, sizeof others, &others) == 0;
        processor_ = -1;
    }

    void wakes_up() {
        if (narrowed_) pthread_setaffinity_np(owner_, sizeof allowed_, &allowed_);
        narrowed_ = false;
        processor_ = -1;
    }

private:
    const pthread_t owner_ = pthread_self();
    int processor_ = -1;  ///< -1 while it is awake
    bool narrowed_ = false;
    cpu_set_t allowed_;
};

class Pool {
public:
    void run(const std::function<void()>& work, const std::function<void()>& help, unsigned helpers, int priority,
             const std::function<void()>& meanwhile) {
        Job job{help, helpers, priority};
        {
            const auto lock = lock_soon();
            start_threads(helpers);
            const int here = sched_getcpu();
            for (SleepingPlace* const place : places_) place->keep_off(here);
            jobs_.push_back(&job);
            note_urgency();
            submitted_.fetch_add(1, std::memory_order_release);
        }
        work_added_.notify_one();  // it wakes the others: a short launch ends before that is needed
        work();
        auto lock = lock_soon();
        jobs_.remove(&job);
        note_urgency();
        lock.unlock();
        spin_until([&] { return job.active == 0; });
        lock = lock_soon();
        while (!job_left_.wait_for(lock, time_between_questions, [&] { return job.active == 0; })) {
            if (!meanwhile) continue;
            lock.unlock();
            meanwhile();
            lock.lock();
        }
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
        SleepingPlace place;
        places_.push_back(&place);  // never removed, because the thread never ends
        for (;;) {
            Job* const job = open_job();
            if (!job) {
                place.falls_asleep();
                work_added_.wait(lock);
                place.wakes_up();
                continue;
            }
            --job->wanted;
            ++job->active;
            note_urgency();
            const bool more = open_job() != nullptr;
            lock.unlock();
            if (more) work_added_.notify_all();
            const bool unfinished = serve(*job);
            lock = lock_soon();
            if (unfinished) {
                ++job->wanted;
                note_urgency();
            }
            if (--job->active == 0) job_left_.notify_all();
            await_next(lock);
        }
    }

    /// True if the helper left before the job's end.
    static bool serve(const Job& job) {
        served = &job;
        left_early = false;
        job.help();
        served = nullptr;
        return left_early;
    }

    /// Spins for a while, because the next launch often follows at once.
    void await_next(std::unique_lock<std::mutex>& lock) {
        const unsigned seen = submitted_.load(std::memory_order_relaxed);
        if (open_job()) return;
        lock.unlock();
        spin_until([&] { return submitted_.load(std::memory_order_acquire) != seen; });
        lock = lock_soon();
    }

    Job* open_job() const {
        Job* open = nullptr;
        for (Job* const job : jobs_)
            if (job->wanted > 0 && (!open || job->priority < open->priority)) open = job;
        return open;
    }
    void note_urgency() const {
        const Job* const open = open_job();
        most_urgent.store(open ? open->priority : no_job, std::memory_order_relaxed);
    }

    std::mutex mutex_;
    std::condition_variable work_added_, job_left_;
    std::list<Job*> jobs_;
    std::vector<SleepingPlace*> places_;
    std::atomic<unsigned> submitted_{0};
    unsigned threads_ = 0;
};

/// Leaked on purpose. A forked child has none of its parent's threads and gets its own pool.
Pool& pool() {
    static std::mutex* const mutex = new std::mutex;
    static Pool* current = nullptr;
    static pid_t owner = 0;
    std::lock_guard lock(*mutex);
    if (!current || owner != getpid()) {
        current = new Pool;
        most_urgent = no_job;
        owner = getpid();
    }
    return *current;
}

/// Counted once: where the system call is missing this opens a file, which takes longer than a small launch.
unsigned usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool known = sched_getaffinity(0, sizeof set, &set) == 0;
    return std::max(1u, known ? static_cast<unsigned>(CPU_COUNT(&set)) : std::thread::hardware_concurrency());
}

}  // namespace

unsigned default_threads() {
    static const unsigned count = [] {
        const auto wanted = environment_number("PYCUDA_CPU_THREADS", 1u, 1024u, "a number of threads from 1 to 1024");
        return wanted ? *wanted : usable_cores();
    }();
    return count;
}

void run_on_pool(const std::function<void()>& work, const std::function<void()>& help, unsigned helpers, int priority,
                 const std::function<void()>& meanwhile) {
    pool().run(work, help, helpers, priority, meanwhile);
}

bool wanted_elsewhere() noexcept {
    if (!served || most_urgent.load(std::memory_order_relaxed) >= served->priority) return false;
    left_early = true;
    return true;
}

}  // namespace cpu::exec
