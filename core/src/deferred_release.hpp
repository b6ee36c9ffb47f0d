#pragma once

#include <memory>

namespace pycuda {

/// Drops `last` on a thread of this library's own, soon. For whoever must not run strange destructors: a driver's
/// callback may call no driver function, and must not wait for a lock that somebody who waits for the driver holds.
/// Allocates a little; where even that fails, the reference is leaked rather than dropped in the wrong place.
void release_later(std::shared_ptr<void> last) noexcept;

}  // namespace pycuda
