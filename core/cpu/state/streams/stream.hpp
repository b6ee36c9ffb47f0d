#pragma once

#include "exec/running/launch.hpp"
#include "state/streams/delay.hpp"
#include "state/streams/stream_attributes.hpp"
#include "state/streams/timeline.hpp"

#include <cuda.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace cpu::state {

class Context;
class GreenContext;

namespace graphs {
struct StreamCapture;
}

/// Priorities range from 0, the lowest, to this. The threads that help with launches serve the more urgent ones first.
constexpr int greatest_stream_priority = -5;

enum class TaskKind {
    Work,          ///< dropped after a fault
    Bookkeeping,   ///< events, frees: done even after a fault
    HostFunction,  ///< a function of the program, on the worker thread; dropped after a fault
    Callback,      ///< the same, but called even after a fault, and notified of it
};

/// One piece of work of a stream.
class Task {
public:
    virtual ~Task() = default;
    /// False if it has not finished by `leave_at`: then another call, on any thread, continues it.
    virtual bool run(exec::Time leave_at) noexcept = 0;
    /// After a fault of the context, work is dropped, but bookkeeping (events, callbacks, frees) is not.
    virtual bool runs_after_fault() const noexcept { return false; }
    /// True if a thread that waits for the stream may run it instead of the worker. False for functions of the program.
    virtual bool runs_anywhere() const noexcept { return true; }
    /// True if PYCUDA_CPU_DELAY delays it.
    virtual bool is_delayed() const noexcept { return true; }

private:
    friend class Stream;
    std::uint64_t ticket_ = 0;
    bool has_begun_ = false;
    std::vector<Fence> after_;  ///< work of other streams that must finish first
    std::unique_ptr<Task> next_;
};

template <class F>
class FunctionTask final : public Task {
public:
    FunctionTask(TaskKind kind, F function) : kind_(kind), function_(std::move(function)) {}
    bool run(exec::Time) noexcept override {
        function_();
        return true;
    }
    bool runs_after_fault() const noexcept override {
        return kind_ == TaskKind::Bookkeeping || kind_ == TaskKind::Callback;
    }
    bool runs_anywhere() const noexcept override { return kind_ == TaskKind::Work || kind_ == TaskKind::Bookkeeping; }
    bool is_delayed() const noexcept override { return kind_ != TaskKind::Bookkeeping; }

private:
    TaskKind kind_;
    F function_;
};

template <class F>
std::unique_ptr<Task> make_task(TaskKind kind, F function) {
    return std::make_unique<FunctionTask<F>>(kind, std::move(function));
}

/// An in-order queue. Work runs on the stream's own worker thread, which is started on demand, on a thread that waits
/// for it, or on the calling thread; a ticket, taken under the context's submission lock, puts all of it in one order.
/// A thread that waits leaves long work to the worker when it must look for interruptions: the program's signal
/// handlers run there, and may wait for that work. The work of a legacy default stream waits for all blocking streams
/// of the context, and theirs for it.
class Stream : public std::enable_shared_from_this<Stream> {
public:
    enum class Kind { Legacy, PerThread, Created };

    Stream(std::shared_ptr<Context> context, Kind kind, unsigned flags, int priority,
           std::shared_ptr<GreenContext> green = nullptr);

    const std::shared_ptr<Context>& context() const noexcept { return context_; }
    Kind kind() const noexcept { return kind_; }
    unsigned flags() const noexcept { return flags_; }
    int priority() const noexcept { return priority_.load(std::memory_order_relaxed); }
    void set_priority(int priority) noexcept { priority_.store(priority, std::memory_order_relaxed); }
    StreamAttributes attributes;
    /// The green context whose threads its launches use; null: all threads.
    const std::shared_ptr<GreenContext>& green() const noexcept { return green_; }
    std::uint64_t id() const noexcept { return id_; }
    bool non_blocking() const noexcept { return (flags_ & CU_STREAM_NON_BLOCKING) != 0; }
    CUstream handle = nullptr;  ///< set once, before the stream is shared

    /// Appends work for the worker thread. Returns the point at which it will be finished. If that thread cannot be
    /// started, appends nothing and throws CUDA_ERROR_OPERATING_SYSTEM.
    Fence enqueue(std::unique_ptr<Task> task);
    /// The same, for work that must also wait for `fences`.
    Fence enqueue_after(const std::vector<Fence>& fences, std::unique_ptr<Task> task);

    /// Runs `work` in order on the calling thread, after waiting for all submitted work. Skips it if the context has a
    /// fault.
    template <class F>
    void run_here(F&& work) {
        finish_here(begin_here(), work);
    }

    /// Runs `work` on the calling thread if that needs no waiting, not even for a delay; otherwise returns false and
    /// does nothing.
    template <class F>
    bool run_here_if_idle(F&& work) {
        const std::uint64_t ticket = begin_if_idle();
        if (ticket == 0) return false;
        finish_here(ticket, work);
        return true;
    }

    /// The point at which all work submitted so far, including what it implies (legacy stream), is finished.
    std::vector<Fence> pending() const;
    bool idle() const;
    void synchronize();

    /// True if work must be captured or rejected instead of queued: see graphs/capture.hpp. Also true for a legacy
    /// stream while a blocking stream of its context is captured. A relaxed load suffices, because the capture itself
    /// is read under that mutex.
    bool is_captured() const noexcept { return is_captured_.load(std::memory_order_relaxed); }
    void set_captured(bool captured) noexcept { is_captured_.store(captured, std::memory_order_relaxed); }
    std::shared_ptr<graphs::StreamCapture> capture;  ///< guarded by graphs::structure_mutex()

    /// No more work will be submitted; the worker exits once it has finished.
    void close();

private:
    friend class Context;

    std::vector<Fence> dependencies() const;  ///< call with the submission lock held
    Fence submit(std::unique_ptr<Task> task);
    std::uint64_t begin_here();
    std::uint64_t begin_if_idle();
    bool may_run() const noexcept;
    void start_worker();
    void push(std::unique_ptr<Task> task, std::unique_lock<std::mutex>& lock);
    std::unique_ptr<Task> pop();
    bool nap(std::unique_lock<std::mutex>& lock);
    /// True if the worker can do something, or end.
    bool is_ready() const noexcept { return !has_waiters_task_ && (first_ || closed_); }
    /// True if there is work that a waiting thread would not run at once.
    bool wants_worker() const noexcept;
    std::unique_ptr<Task> pop_for_waiter(std::uint64_t last);
    std::unique_ptr<Task> take_first();
    /// False if it left the task at `leave_at`.
    bool run_task(Task& task, exec::Time leave_at);
    void complete(std::unique_ptr<Task> task);
    /// A waiting thread ran its task to the end, or returns it `unfinished`, for the worker.
    void end_waiters_task(std::unique_ptr<Task> unfinished);
    enum class Interruptions { AreLookedFor, Wait };
    /// Helps until the worker must continue (false), or until operation n is finished (true).
    bool help_until(std::uint64_t n, Interruptions interruptions);
    /// Waits until operation n is finished, helping meanwhile. Throws what Context::wait_for throws.
    void finish(std::uint64_t n);
    void work();

    template <class F>
    void finish_here(std::uint64_t ticket, F&& work) {
        struct Complete {
            Timeline& timeline;
            std::uint64_t ticket;
            ~Complete() { timeline.complete(ticket); }
        } complete{*timeline_, ticket};
        if (may_run()) work();
    }

    std::shared_ptr<Context> context_;
    std::shared_ptr<GreenContext> green_;
    Kind kind_;
    std::atomic<bool> is_captured_{false};
    unsigned flags_;
    std::atomic<int> priority_;
    std::uint64_t id_;
    std::shared_ptr<Timeline> timeline_ = std::make_shared<Timeline>();
    Delay delay_;
    std::uint64_t submitted_ = 0;  ///< guarded by the context's submission lock

    std::mutex queue_mutex_;
    std::condition_variable arrived_;
    std::unique_ptr<Task> first_;
    Task* last_ = nullptr;
    std::atomic<std::uint64_t> arrivals_{0};
    bool sleeping_ = false, napping_ = false;
    bool has_waiters_task_ =
        false;  ///< a waiting thread runs the task before the first; the worker must not wait for it
    unsigned taken_by_waiters_ = 0;  ///< how many pieces of work waiting threads have run since the worker last ran one
    bool has_worker_ = false;
    bool closed_ = false;
};

/// True on a thread that is running a stream's host function, where driver calls are not permitted.
bool in_host_function() noexcept;

/// Marks the calling thread as running a host function for its lifetime.
class HostFunctionScope {
public:
    HostFunctionScope() noexcept;
    ~HostFunctionScope();
    HostFunctionScope(const HostFunctionScope&) = delete;
    HostFunctionScope& operator=(const HostFunctionScope&) = delete;
};

}  // namespace cpu::state
