#include "green_contexts/default_stream_order.hpp"

#include "contexts/converted_contexts.hpp"
#include "streams/stream_marker.hpp"
#include "streams/stream_order.hpp"

namespace pycuda {
namespace {

/// Order all future work on `later`'s default stream after the present work on `earlier`'s.
void order_default_streams(Context& earlier, const Context& later) {
    if (any_capture_is_open()) {  // which may be of a stream that the default stream waits for
        const ContextScope scope(earlier);
        return earlier.attachment<StreamOrder>()->wait_outside_captures();
    }
    const StreamMarker marker(earlier.shared_from_this(), nullptr);
    const ContextScope scope(later);
    marker.order(nullptr);
}

}  // namespace

void DefaultStreamOrder::is_pushed(Context& context) {
    if (const auto primary = primary_of(context)) order_default_streams(*primary, context);
}

void DefaultStreamOrder::is_popped(Context& context) {
    if (const auto primary = primary_of(context)) order_default_streams(context, *primary);
}

}  // namespace pycuda
