#include "pycuda/start/init.hpp"

#include "contexts/interruptible_wait.hpp"
#include "driver/driver_messages.hpp"
#include "driver/driver_table.hpp"
#include "driver/log_of_failure.hpp"
#include "known_memory/memory_lines.hpp"
#include "known_memory/pool_lease.hpp"
#include "pycuda/threads/waiting.hpp"
#include "timeline/device_activity.hpp"
#include "timeline/timeline_samples.hpp"

namespace pycuda {

void init(unsigned flags) {
    if (is_forked_child()) driver().cuInit.fail(CUDA_ERROR_NOT_INITIALIZED, "");
    if (driver_if_initialised() && flags == 0) return;
    const DriverLibrary& library = choose_driver();
    if (const CUresult result = library.functions.cuInit.try_call(flags))
        library.functions.cuInit.fail(result, init_failure_causes(result));
    connect_interruption(library);
    connect_worker_lanes(library);
    connect_pool_leases(library);
    connect_memory_lines(library);
    use_driver(library);
    connect_device_activity(library);
    trace_driver_log();
}

}  // namespace pycuda
