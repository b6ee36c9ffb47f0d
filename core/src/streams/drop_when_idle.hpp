#pragma once

#include <memory>
#include <new>

#include "driver/driver_table.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "streams/kept_objects.hpp"

namespace pycuda {

/// Drop `last`, whose end frees something that work of `context` may still use, once that work is complete. Waits for
/// it, unless a stream is captured: waiting for the context would end the capture, so a thread of this library drops it
/// after the capture. For jobs of clean_up_unlocked.
inline void drop_when_idle(Context& context, std::shared_ptr<void> last) noexcept {
    if (!any_capture_is_open()) {
        if (const CleanupScope scope(context); scope)
            static_cast<void>(driver().cuCtxSynchronize.try_call());  // the call that caused a fault reports it
        return last.reset();
    }
    try {
        context.attachment<KeptObjects>()->keep_until_all_done(last);
    } catch (const Error&) {
        // The context has ended, and its work with it.
    } catch (...) {
        // Out of memory: leak it rather than break the capture.
        static_cast<void>(new (std::nothrow) std::shared_ptr<void>(std::move(last)));
    }
}

}  // namespace pycuda
