#pragma once

#include <memory>
#include <new>
#include <utility>

namespace pycuda {

/// Drop `last` soon, on a thread of this library. For callers that must not run arbitrary destructors: a driver
/// callback must not call the driver, nor wait for a lock whose holder waits for the driver. Allocates a little; if
/// that fails, the reference is leaked rather than dropped in the wrong place.
void release_later(std::shared_ptr<void> last) noexcept;

/// Never drop `last`: where memory has run out, and to drop it now would be wrong.
inline void leak(std::shared_ptr<void> last) noexcept {
    static_cast<void>(new (std::nothrow) std::shared_ptr<void>(std::move(last)));
}

}  // namespace pycuda
