#pragma once

#include <memory>

#include "pycuda/stream.hpp"

namespace pycuda {

/// Something that is kept until a stream is done, and to which more may be added until then: what is added before it is
/// sealed is kept for work that had been queued by then.
class GrowingObject {
public:
    virtual ~GrowingObject() = default;
    /// Nothing is added from now on. Called on any thread, without locks; not always only once.
    virtual void seal() noexcept = 0;
    /// Whether seal() has returned.
    virtual bool is_sealed() const noexcept = 0;
};

/// Stream::keep_until_done for what may grow.
void keep_until_done(const Stream& stream, std::shared_ptr<GrowingObject> object);

}  // namespace pycuda
