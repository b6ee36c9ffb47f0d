#pragma once

#include <memory>
#include <utility>

#include "pycuda/contexts/context.hpp"
#include "streams/kept_objects.hpp"
#include "streams/pending_waits.hpp"
#include "threads/deferred_release.hpp"

namespace pycuda {

/// Drop `last`, whose end frees something that work of `context` may still use, once that work is complete. Waits for
/// it, unless a stream is captured, or waits for what this thread may do: then a thread of this library drops it. For
/// jobs of clean_up_unlocked.
inline void drop_when_idle(Context& context, std::shared_ptr<void> last) noexcept {
    try {
        const CleanupScope scope(context);
        if (!scope) return last.reset();
        if (PendingWaits::run_when_idle(context, [&last] { last.reset(); })) return;
        context.attachment<KeptObjects>()->keep_until_all_done(last);
    } catch (const Error&) {
        // The context has ended, and its work with it.
    } catch (...) {
        leak(std::move(last));  // dropped here, it would break the capture
    }
}

}  // namespace pycuda
