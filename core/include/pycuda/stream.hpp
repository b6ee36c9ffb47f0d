#pragma once

#include <cuda.h>

#include "pycuda/handle.hpp"

namespace pycuda {

class Event;

struct StreamTraits {
    using type = CUstream;
    static constexpr const char* what = "stream";
    static void destroy(CUstream stream) noexcept;
};

/// A queue of operations carried out in order, in the context current at its creation. Exclusive owner; move-only.
/// Every method raises LogicError after close.
class Stream {
public:
    /// `flags`: stream_flags (cuStreamCreate).
    explicit Stream(unsigned flags = 0);
    /// `priority`: lower is more urgent (cuStreamCreateWithPriority).
    Stream(unsigned flags, int priority);

    void synchronize() const;  ///< cuStreamSynchronize
    bool is_done() const;      ///< cuStreamQuery; raises only for real failures, never for "not ready"
    void wait_for_event(const Event& event) const;  ///< cuStreamWaitEvent
    CUstream handle() const { return stream_.get(); }
    const std::shared_ptr<Context>& context() const noexcept { return stream_.owner(); }
    void close() noexcept { stream_.reset(); }

private:
    Handle<StreamTraits> stream_;
};

/// The driver's handle of an optional stream: null is the context's default stream.
inline CUstream stream_handle(const Stream* stream) {
    return stream ? stream->handle() : nullptr;
}

}  // namespace pycuda
