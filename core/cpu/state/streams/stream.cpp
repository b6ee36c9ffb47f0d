#include "state/streams/stream.hpp"

#include "exec/interruption.hpp"
#include "state/context.hpp"
#include "state/error.hpp"

#include <chrono>
#include <system_error>
#include <thread>

namespace cpu::state {

namespace {

// An idle worker polls for about as long as a sleep and a wake-up would cost.
constexpr int idle_spins = 300;
/// After this many consecutive tasks run by waiting threads, the worker leaves more to them.
constexpr unsigned enough_taken = 32;
constexpr std::chrono::microseconds nap_time{200};
/// Number of naps without any work before the worker sleeps.
constexpr int max_naps = 20;

std::uint64_t next_stream_id() noexcept {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1);
}

thread_local bool host_function_runs = false;

}  // namespace

bool in_host_function() noexcept {
    return host_function_runs;
}
HostFunctionScope::HostFunctionScope() noexcept {
    host_function_runs = true;
}
HostFunctionScope::~HostFunctionScope() {
    host_function_runs = false;
}

Stream::Stream(std::shared_ptr<Context> context, Kind kind, unsigned flags, int priority,
               std::shared_ptr<GreenContext> green)
    : context_(std::move(context)),
      green_(std::move(green)),
      kind_(kind),
      flags_(flags),
      priority_(priority),
      id_(next_stream_id()),
      delay_(id_) {}

bool Stream::may_run() const noexcept {
    return !context_->has_fault();
}

std::vector<Fence> Stream::dependencies() const {
    std::vector<Fence> fences;
    if (non_blocking()) return fences;
    context_->for_each_stream([&](const Stream& other) {
        const bool implied = kind_ == Kind::Legacy ? !other.non_blocking() : other.kind_ == Kind::Legacy;
        if (&other == this || !implied || other.timeline_->reached(other.submitted_)) return;
        fences.push_back({other.timeline_, other.submitted_});
    });
    return fences;
}

Fence Stream::submit(std::unique_ptr<Task> task) {
    std::lock_guard lock(context_->submission_mutex());
    for (Fence& fence : dependencies()) task->after_.push_back(std::move(fence));
    std::unique_lock queue_lock(queue_mutex_);
    start_worker();
    task->ticket_ = ++submitted_;
    const Fence done{timeline_, submitted_};
    push(std::move(task), queue_lock);
    return done;
}

Fence Stream::enqueue(std::unique_ptr<Task> task) {
    return submit(std::move(task));
}

Fence Stream::enqueue_after(const std::vector<Fence>& fences, std::unique_ptr<Task> task) {
    for (const Fence& fence : fences)
        if (!fence.reached()) task->after_.push_back(fence);
    return submit(std::move(task));
}

std::uint64_t Stream::begin_here() {
    if (const std::uint64_t ticket = begin_if_idle()) return ticket;
    synchronize();  // the program may interrupt this wait; a thread that holds a ticket cannot be interrupted
    std::vector<Fence> fences;
    std::uint64_t ticket = 0;
    {
        std::lock_guard lock(context_->submission_mutex());
        fences = dependencies();
        ticket = ++submitted_;
    }
    for (const Fence& fence : fences) fence.wait();
    if (!help_until(ticket - 1, Interruptions::Wait)) timeline_->wait(ticket - 1);
    return ticket;
}

std::uint64_t Stream::begin_if_idle() {
    if (Delay::is_on()) return 0;
    std::lock_guard lock(context_->submission_mutex());
    if (!timeline_->reached(submitted_) || !dependencies().empty()) return 0;
    return ++submitted_;
}

std::vector<Fence> Stream::pending() const {
    std::lock_guard lock(context_->submission_mutex());
    std::vector<Fence> fences;
    if (kind_ == Kind::Legacy) fences = dependencies();
    if (!timeline_->reached(submitted_)) fences.push_back({timeline_, submitted_});
    return fences;
}

bool Stream::idle() const {
    return pending().empty();
}

void Stream::synchronize() {
    for (const Fence& fence : pending()) {
        if (fence.timeline == timeline_)
            finish(fence.value);
        else
            context_->wait_for(fence);
    }
}

bool Stream::help_until(std::uint64_t n, Interruptions interruptions) {
    const exec::Time leave_at =
        interruptions == Interruptions::AreLookedFor ? exec::time_of_next_question() : exec::never;
    while (!timeline_->reached(n)) {
        if (leave_at != exec::never && exec::Time::clock::now() >= leave_at) return false;
        auto task = pop_for_waiter(n);
        if (!task) return false;
        if (!run_task(*task, leave_at)) {
            end_waiters_task(std::move(task));
            return false;
        }
        end_waiters_task(nullptr);
        complete(std::move(task));
    }
    return true;
}

void Stream::finish(std::uint64_t n) {
    while (!help_until(n, Interruptions::AreLookedFor) && !context_->wait_a_while_for({timeline_, n})) {
    }
}

/// With queue_mutex_ held. Call before queuing: work must not be queued without a thread to run it. There is none
/// before the first work, and after another thread has destroyed the stream.
void Stream::start_worker() {
    if (has_worker_) return;
    try {
        // Detached on purpose: the process may end while it runs. It keeps the stream, and so the context, alive.
        std::thread([self = shared_from_this()] { self->work(); }).detach();
    } catch (const std::system_error&) {
        fail(CUDA_ERROR_OPERATING_SYSTEM);
    }
    has_worker_ = true;
}

void Stream::push(std::unique_ptr<Task> task, std::unique_lock<std::mutex>& lock) {
    Task* const added = task.get();
    (last_ ? last_->next_ : first_) = std::move(task);
    last_ = added;
    arrivals_.fetch_add(1, std::memory_order_release);
    if (sleeping_ || (napping_ && wants_worker())) {
        lock.unlock();
        arrived_.notify_one();
    }
}

std::unique_ptr<Task> Stream::pop() {
    const std::uint64_t seen = arrivals_.load(std::memory_order_acquire);
    std::unique_lock lock(queue_mutex_);
    if (!is_ready() && taken_by_waiters_ < enough_taken) {
        lock.unlock();
        for (int i = 0; i < idle_spins && arrivals_.load(std::memory_order_acquire) == seen; ++i) spin_pause();
        lock.lock();
    }
    while (!is_ready()) {
        if (taken_by_waiters_ >= enough_taken && nap(lock)) continue;
        sleeping_ = true;
        arrived_.wait(lock);
        sleeping_ = false;
    }
    taken_by_waiters_ = 0;
    has_worker_ = first_ != nullptr;  // without work it ends
    return take_first();
}

/// If the program waits for each task, it runs the task itself, and a polling worker would only cost time. The worker
/// returns when there is more to do, or when work has waited for the length of a nap; false after a long time without
/// work.
bool Stream::nap(std::unique_lock<std::mutex>& lock) {
    napping_ = true;
    bool wanted = false;
    for (int quiet = 0; quiet < max_naps && !wanted;) {
        const std::uint64_t seen = arrivals_, lying = is_ready() && first_ ? first_->ticket_ : 0;
        wanted = arrived_.wait_for(lock, nap_time, [&] { return is_ready() && (closed_ || wants_worker()); }) ||
                 (lying && is_ready() && first_ && first_->ticket_ == lying);
        quiet = arrivals_ == seen ? quiet + 1 : 0;
    }
    napping_ = false;
    return wanted;
}

bool Stream::wants_worker() const noexcept {
    return is_ready() && first_ &&
           (first_->next_ || first_->has_begun_ || !first_->runs_anywhere() || !first_->after_.empty());
}

std::unique_ptr<Task> Stream::pop_for_waiter(std::uint64_t last) {
    std::lock_guard lock(queue_mutex_);
    if (!first_ || first_->ticket_ > last || !first_->runs_anywhere()) return nullptr;
    // A thread that has taken a task must finish it, so the task must be ready to run.
    if (!timeline_->reached(first_->ticket_ - 1)) return nullptr;
    for (const Fence& fence : first_->after_)
        if (!fence.reached()) return nullptr;
    ++taken_by_waiters_;
    has_waiters_task_ = true;
    return take_first();
}

void Stream::end_waiters_task(std::unique_ptr<Task> unfinished) {
    std::unique_lock lock(queue_mutex_);
    has_waiters_task_ = false;
    if (unfinished) {
        if (!first_) last_ = unfinished.get();
        unfinished->next_ = std::move(first_);
        first_ = std::move(unfinished);
        arrivals_.fetch_add(1, std::memory_order_release);
    }
    if ((sleeping_ && is_ready()) || (napping_ && (closed_ || wants_worker()))) {
        lock.unlock();
        arrived_.notify_one();
    }
}

std::unique_ptr<Task> Stream::take_first() {
    std::unique_ptr<Task> task = std::move(first_);
    if (!task) return nullptr;
    first_ = std::move(task->next_);
    if (!first_) last_ = nullptr;
    return task;
}

bool Stream::run_task(Task& task, exec::Time leave_at) {
    if (!task.has_begun_) {
        for (const Fence& fence : task.after_) fence.wait();
        timeline_->wait(task.ticket_ - 1);
        if (Delay::is_on() && task.is_delayed()) delay_.wait();
        if (!may_run() && !task.runs_after_fault()) return true;
        task.has_begun_ = true;
    }
    return task.run(leave_at);
}

void Stream::complete(std::unique_ptr<Task> task) {
    const std::uint64_t ticket = task->ticket_;
    task.reset();  // its objects are released before its completion becomes visible
    timeline_->complete(ticket);
}

void Stream::work() {
    while (std::unique_ptr<Task> task = pop()) {
        static_cast<void>(run_task(*task, exec::never));
        complete(std::move(task));
    }
}

void Stream::close() {
    {
        std::lock_guard lock(queue_mutex_);
        closed_ = true;
        arrivals_.fetch_add(1, std::memory_order_release);
    }
    arrived_.notify_one();
}

}  // namespace cpu::state
