#pragma once

#include <atomic>
#include <string>

namespace pycuda {

/// The number of handles of each kind in this process, by the name in their traits ("stream", "event", "module",
/// "device allocation", ...; "context" counts those not yet detached). For tests that assert that nothing leaks.
long live_handles(const std::string& what);
/// The counter behind live_handles. `what` must be static text.
std::atomic<long>& live_handle_counter(const char* what);

}  // namespace pycuda
