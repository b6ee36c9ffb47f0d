#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>

namespace cpu::state {

class Function;
class Stream;

/// What a launch call asks for.
struct LaunchRequest {
    std::array<std::uint32_t, 3> grid;
    std::array<std::uint32_t, 3> block;
    std::uint32_t shared_bytes = 0;
    void** parameters = nullptr;  ///< one pointer for each parameter
    void** extra = nullptr;       ///< or CU_LAUNCH_PARAM_* pairs
    bool cooperative = false;
    std::array<std::uint32_t, 3> cluster{};  ///< 0: the launch does not say
};

/// The blocks of a cluster of such a launch: what it says, or the kernel; zeros where neither does. Throws
/// CUDA_ERROR_INVALID_CLUSTER_SIZE.
std::array<std::uint32_t, 3> cluster_of(const Function& function, const std::array<std::uint32_t, 3>& grid,
                                        const std::array<std::uint32_t, 3>& wanted);

/// Checks the request as the driver does and submits it; parameters are copied before this returns.
/// Throws CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
/// CUDA_ERROR_INVALID_HANDLE (function and stream of different contexts).
void launch(Function& function, Stream& stream, const LaunchRequest& request);

}  // namespace cpu::state
