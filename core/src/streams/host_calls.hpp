#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "pycuda/contexts/context.hpp"

namespace pycuda {

/// Where a function may be destroyed: the driver's thread must not destroy objects of a program.
enum class FunctionEnds { OnOurThread, OnAnyThread };

/// A function on its way through a stream.
class HostCall {
public:
    HostCall(std::function<void()> function, FunctionEnds ends) : function_(std::move(function)), ends_(ends) {}

    /// Runs it, unless it was cancelled. For the driver's thread.
    void run() noexcept;
    /// Cancel it. False while it is running.
    bool cancel() noexcept;

private:
    enum class State { Queued, Running, Over };
    void drop() noexcept;
    std::atomic<State> state_{State::Queued};
    std::function<void()> function_;
    const FunctionEnds ends_;
};

/// The functions that wait in the streams of one context. The driver drops those behind a fault, or left when the
/// context ends, without notice: this remembers them, so that their objects are released. Thread-safe.
class HostCalls : public ContextAttachment, public std::enable_shared_from_this<HostCalls> {
public:
    /// Implements Stream::add_host_function in the current context. The result can cancel it.
    std::shared_ptr<HostCall> queue(CUstream stream, std::function<void()> function,
                                    FunctionEnds ends = FunctionEnds::OnOurThread);
    /// Those not begun yet.
    std::size_t waiting() const;

    /// Wait for the context's work, then cancel functions that have not run.
    void context_ends(bool reachable) noexcept override;

private:
    struct Turn;
    static void take_turn(void* argument);
    void cancel_all() noexcept;
    std::shared_ptr<HostCall> forget(const HostCall* call) noexcept;

    mutable std::mutex mutex_;
    std::unordered_map<const HostCall*, std::shared_ptr<HostCall>> waiting_;
};

}  // namespace pycuda
