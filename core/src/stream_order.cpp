#include "stream_order.hpp"

#include "driver_table.hpp"
#include "pycuda/waiting.hpp"

namespace pycuda {

void StreamOrder::context_ends(bool reachable) noexcept {
    const auto lock = lock_over_calls(mutex_);
    if (reachable) {
        for (const auto& [stream, known] : streams_)
            if (known.left) driver().cuEventDestroy.clean_up(known.left);
        if (marker_) driver().cuEventDestroy.clean_up(marker_);
    }
    streams_.clear();
    marker_ = nullptr;
}

void StreamOrder::created(CUstream stream, bool non_blocking) {
    const auto lock = lock_over_calls(mutex_);
    Known& known = streams_[stream];
    if (known.left) {
        driver().cuStreamWaitEvent(stream, known.left, 0);
        driver().cuEventDestroy.clean_up(known.left);
    }
    known = {true, non_blocking, ++lives_, nullptr};
}

void StreamOrder::ending(CUstream stream, bool matters) noexcept {
    auto lock = lock_over_calls(mutex_);
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return;
    Known& known = found->second;
    known.alive = false;
    // An error is a fault of the context: its work is over too.
    if (!matters || driver().cuStreamQuery.try_call(stream) != CUDA_ERROR_NOT_READY) return;
    if (driver().cuEventCreate.try_call(&known.left, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) known.left = nullptr;
    if (known.left && driver().cuEventRecord.try_call(known.left, stream) == CUDA_SUCCESS) return;
    // Without the event, nobody would know when the work is done.
    if (known.left) driver().cuEventDestroy.clean_up(known.left);
    known.left = nullptr;
    lock.unlock();
    static_cast<void>(driver().cuStreamSynchronize.try_call(stream));
}

bool StreamOrder::is_non_blocking(CUstream stream) const {
    if (!stream) return false;
    const auto lock = lock_over_calls(mutex_);
    const auto found = streams_.find(stream);
    return found == streams_.end() || found->second.non_blocking;
}

std::uint64_t StreamOrder::life_of(CUstream stream) const {
    const auto lock = lock_over_calls(mutex_);
    const auto found = streams_.find(stream);
    return found == streams_.end() || !found->second.alive ? 0 : found->second.life;
}

void StreamOrder::order(CUstream later, CUstream earlier) {
    const WaitScope unlocked;
    auto lock = lock_over_calls(mutex_);
    if (!earlier) {
        Known default_stream;
        return wait(later, earlier, default_stream);
    }
    const auto found = streams_.find(earlier);
    if (found == streams_.end()) {
        lock.unlock();
        return driver().cuCtxSynchronize();
    }
    wait(later, earlier, found->second);
}

void StreamOrder::order_after_all(CUstream later) {
    const WaitScope unlocked;
    const auto lock = lock_over_calls(mutex_);
    Known default_stream;
    if (later) wait(later, nullptr, default_stream);
    for (auto& [stream, known] : streams_)
        if (stream != later) wait(later, stream, known);
}

void StreamOrder::wait(CUstream later, CUstream earlier, Known& known) {
    if (known.alive) {
        driver().cuEventRecord(marker(), earlier);
        driver().cuStreamWaitEvent(later, marker_, 0);
    } else if (known.left) {
        const bool done = driver().cuEventQuery.try_call(known.left) != CUDA_ERROR_NOT_READY;
        if (!done) return driver().cuStreamWaitEvent(later, known.left, 0);
        driver().cuEventDestroy.clean_up(known.left);
        known.left = nullptr;
    }
}

CUevent StreamOrder::marker() {
    if (!marker_) driver().cuEventCreate(&marker_, CU_EVENT_DISABLE_TIMING);
    return marker_;
}

}  // namespace pycuda
