#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "pycuda/handles/handle.hpp"

namespace pycuda {

#ifndef SWIG
/// A driver handle that its owner can close while others still use it, for longer than a call: they share it, and the
/// last of them destroys it. Thread-safe.
template <class Traits>
class SharedHandle {
public:
    using Shared = std::shared_ptr<const Handle<Traits>>;

    /// Take over the first handle; it is destroyed if there is too little memory.
    void take(typename Traits::type value, std::shared_ptr<Context> owner) {
        handle_ = std::make_shared<const Handle<Traits>>(Handle<Traits>(value, std::move(owner)));
    }

    /// LogicError after close.
    Shared share() const {
        {
            const std::lock_guard lock(mutex_);
            if (handle_) return handle_;
        }
        raise_closed(Traits::what);
    }
    void close() noexcept {
        Shared last;  // destroyed after the lock ends
        const std::lock_guard lock(mutex_);
        last.swap(handle_);
    }

private:
    mutable std::mutex mutex_;
    Shared handle_;
};
#endif

}  // namespace pycuda
