#include "contexts/converted_contexts.hpp"

#include "stream_marker.hpp"
#include "stream_order.hpp"

namespace pycuda {

void order_default_streams(Context& earlier, const Context& later) {
    if (any_capture_is_open()) {  // which may be of a stream that the default stream waits for
        const ContextScope scope(earlier);
        return earlier.attachment<StreamOrder>()->wait_outside_captures();
    }
    const StreamMarker marker(earlier.shared_from_this(), nullptr);
    const ContextScope scope(later);
    marker.order(nullptr);
}

}  // namespace pycuda
