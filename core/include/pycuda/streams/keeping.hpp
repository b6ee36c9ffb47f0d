#pragma once

#include <memory>

namespace pycuda {

class Stream;

/// An object that is kept until the stream's work is complete, and to which more objects may be added until it is
/// sealed: these are kept for the work that was queued before they were added.
class GrowingObject {
public:
    virtual ~GrowingObject() = default;
    /// Nothing is added from now on. May be called on any thread, and more than once; no locks are held.
    virtual void seal() noexcept = 0;
    /// Whether seal() has returned.
    virtual bool is_sealed() const noexcept = 0;
};

/// Stream::keep_until_done; null is the default stream.
void keep_until_done(const Stream* stream, std::shared_ptr<void> object);

/// Stream::keep_until_done for an object that may grow.
void keep_until_done(const Stream& stream, std::shared_ptr<GrowingObject> object);

}  // namespace pycuda
