#pragma once

#include <memory>
#include <vector>

#include "pycuda/handles/device_ptr.hpp"

namespace pycuda {

class Stream;

/// An address that is used after the call which names it, and what keeps its memory until then: null for a number.
struct HeldAddress {
    DevicePtr address = 0;
    std::shared_ptr<void> owner;

    HeldAddress() = default;
    HeldAddress(DevicePtr number, std::shared_ptr<void> kept_by = nullptr)
        : address(number), owner(std::move(kept_by)) {}
};

#ifndef SWIG
/// The owners of addresses that an object holds for work it will queue.
class HeldOwners {
public:
    /// Null is nothing to keep.
    void add(std::shared_ptr<void> owner);
    /// Keep them until the work is complete that the stream has by now; with a capture, as long as its graph lives.
    void keep_until_done(const Stream* stream) const;
    /// All of them as one object; null if there are none.
    std::shared_ptr<void> all() const noexcept { return list_; }

private:
    std::shared_ptr<std::vector<std::shared_ptr<void>>> list_;  ///< work that is queued has it, too
};
#endif

}  // namespace pycuda
