#include "pycuda/driver/open_captures.hpp"

#include <optional>

#include "driver/driver_table.hpp"
#include "observing/untraced_thread.hpp"

namespace pycuda {

void RelaxedCapture::exchange() noexcept {
    const auto& call = driver().cuThreadExchangeStreamCaptureMode;
    if (!call.is_available()) return;
    std::optional<UntracedScope> untraced;
    if (untraced_) untraced.emplace();
    active_ = call.try_call(&mode_) == CUDA_SUCCESS;
}

}  // namespace pycuda
