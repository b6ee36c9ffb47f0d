#pragma once

#include <memory>

namespace pycuda {

/// Drop `last` soon, on a thread of this library. For callers that must not run arbitrary destructors: a driver
/// callback must not call the driver, nor wait for a lock whose holder waits for the driver. Allocates a little; if
/// that fails, the reference is leaked rather than dropped in the wrong place.
void release_later(std::shared_ptr<void> last) noexcept;

}  // namespace pycuda
