#include "contexts/converted_contexts.hpp"

#include "driver_table.hpp"
#include "stream_order.hpp"

namespace pycuda {

void order_default_streams(Context& earlier, const Context& later) {
    if (any_capture_is_open()) {  // which may be of a stream that the default stream waits for
        const ContextScope scope(earlier);
        return earlier.attachment<StreamOrder>()->wait_outside_captures();
    }
    struct Marker {
        CUevent event = nullptr;
        ~Marker() {
            if (event) driver().cuEventDestroy.clean_up(event);
        }
    } marker;
    {
        const ContextScope scope(earlier);
        driver().cuEventCreate(&marker.event, CU_EVENT_DISABLE_TIMING);
        driver().cuEventRecord(marker.event, nullptr);
    }
    const ContextScope scope(later);
    driver().cuStreamWaitEvent(nullptr, marker.event, 0);
}

}  // namespace pycuda
