#include "streams/host_calls.hpp"

#include <cstdio>
#include <utility>

#include "captures/repeated_call.hpp"
#include "contexts/interruptible_wait.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/captures/captured_work.hpp"
#include "threads/deferred_release.hpp"
#include "threads/host_function_scope.hpp"

namespace pycuda {

void HostCall::run() noexcept {
    auto expected = State::Queued;
    if (!state_.compare_exchange_strong(expected, State::Running)) return;
    try {
        function_();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "[pycuda] a host function on a stream threw: %s\n", error.what());
    } catch (...) {
        std::fprintf(stderr, "[pycuda] a host function on a stream threw\n");
    }
    drop();
    state_ = State::Over;
}

bool HostCall::cancel() noexcept {
    auto expected = State::Queued;
    if (state_.compare_exchange_strong(expected, State::Running)) {
        drop();
        state_ = State::Over;
    }
    return expected != State::Running;
}

void HostCall::drop() noexcept {
    if (ends_ == FunctionEnds::OnAnyThread) {
        function_ = nullptr;
        return;
    }
    try {
        release_later(std::make_shared<std::function<void()>>(std::exchange(function_, nullptr)));
    } catch (...) {
        // Out of memory: the function stays here and ends with this object.
    }
}

/// The driver's argument, which keeps both alive until the function has run.
struct HostCalls::Turn {
    std::shared_ptr<HostCalls> calls;
    std::shared_ptr<HostCall> call;
};

void HostCalls::take_turn(void* argument) {
    const HostFunctionScope scope;  // covers the destruction of what is dropped here, too
    const std::unique_ptr<Turn> turn(static_cast<Turn*>(argument));
    turn->calls->forget(turn->call.get());
    turn->call->run();
}

std::shared_ptr<HostCall> HostCalls::queue(CUstream stream, std::function<void()> function, FunctionEnds ends) {
    if (any_capture_is_open() && is_captured(stream)) {
        const auto repeated = std::make_shared<RepeatedCall>(std::move(function));
        keep_in_graph(stream, repeated);
        driver().cuLaunchHostFunc(stream, RepeatedCall::run, repeated.get());
        return nullptr;
    }
    auto call = std::make_shared<HostCall>(std::move(function), ends);
    auto turn = std::make_unique<Turn>(Turn{shared_from_this(), call});
    {
        const std::lock_guard lock(mutex_);
        waiting_.emplace(call.get(), call);
    }
    note_long_work();
    // Not under the lock, which the driver's thread takes: a full queue waits for that thread.
    if (const CUresult result = driver().cuLaunchHostFunc.try_call(stream, take_turn, turn.get())) {
        forget(call.get());
        call->cancel();
        // After a fault the driver drops everything that is queued.
        if (result_info(result).error_class == ErrorClass::LaunchError) cancel_all();
        driver().cuLaunchHostFunc.fail(result, "");
    }
    static_cast<void>(turn.release());
    return call;
}

std::size_t HostCalls::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
}

std::shared_ptr<HostCall> HostCalls::forget(const HostCall* call) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(call);
    if (found == waiting_.end()) return nullptr;
    auto forgotten = std::move(found->second);
    waiting_.erase(found);
    return forgotten;
}

void HostCalls::context_ends(bool reachable) noexcept {
    if (reachable && waiting() != 0) static_cast<void>(driver().cuCtxSynchronize.try_call());
    cancel_all();
}

void HostCalls::cancel_all() noexcept {
    decltype(waiting_) left;
    {
        const std::lock_guard lock(mutex_);
        left.swap(waiting_);
    }
    for (const auto& [address, call] : left) call->cancel();
}

}  // namespace pycuda
