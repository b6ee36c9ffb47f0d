#pragma once

#include <cuda.h>

namespace pycuda {

class Stream;

/// Order work that is queued on `later` from now on after the present work of `earlier`, on the device. Null is the
/// default stream of the current context. No-op if the driver orders them by itself, or if `later` is closed; a closed
/// `earlier` stands for all work in the context.
///
/// Two streams are ordered by an event, which forks and joins captures as it does in CUDA. The default stream never
/// takes part in a capture: a captured stream waits for it on the host (not in another library's capture), and it does
/// not wait for captured work.
void order_streams(const Stream* later, const Stream* earlier);

/// Another library has queued work on its stream `producer` whose results are about to be used on `consumer`; null
/// handles are the default stream. `consumer` is ordered after the present work of `producer`. If `consumer` is being
/// captured, or is null because any stream may use the results, or a node, the host waits instead. LogicError if
/// `producer` is being captured, in another capture than `consumer`: the results do not exist before a launch.
void order_after_producer(const CUstream* consumer, CUstream producer);

}  // namespace pycuda
