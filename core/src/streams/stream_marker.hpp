#pragma once

#include <cuda.h>

#include <memory>

#include "contexts/interruptible_wait.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/contexts/context.hpp"

namespace pycuda {

/// A point in a stream: reached when the work that the stream had at the marker's creation is complete.
class StreamMarker {
public:
    /// `context`: of the stream, or of this default stream.
    StreamMarker(std::shared_ptr<const Context> context, CUstream stream) : context_(std::move(context)) {
        const ContextScope scope(*context_);
        driver().cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING);
        if (const CUresult result = driver().cuEventRecord.try_call(event_, stream)) {
            destroy();
            driver().cuEventRecord.fail(result, "");
        }
    }
    ~StreamMarker() { destroy(); }
    StreamMarker(const StreamMarker&) = delete;
    StreamMarker& operator=(const StreamMarker&) = delete;

    /// Work queued on `later` from now on runs after it. For a default stream, its context is current.
    void order(CUstream later) const { driver().cuStreamWaitEvent(later, event_, 0); }
    /// Wait on the host.
    void wait() const {
        const ContextScope scope(*context_);
        wait_in_driver([this] { return driver().cuEventQuery.try_call(event_); }, driver().cuEventSynchronize, event_);
    }

private:
    void destroy() noexcept { driver().cuEventDestroy.clean_up(event_); }

    const std::shared_ptr<const Context> context_;
    CUevent event_ = nullptr;
};

}  // namespace pycuda
