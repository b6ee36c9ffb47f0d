#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace cpu::state {

class Function;
class Stream;
class Task;

/// What a launch call asks for.
struct LaunchRequest {
    std::array<std::uint32_t, 3> grid;
    std::array<std::uint32_t, 3> block;
    std::uint32_t shared_bytes = 0;
    void** parameters = nullptr;  ///< one pointer for each parameter
    void** extra = nullptr;       ///< or CU_LAUNCH_PARAM_* pairs
    bool cooperative = false;
    std::array<std::uint32_t, 3> cluster{};           ///< 0: the launch does not say
    int priority = 0;                                 ///< as a stream's
    unsigned threads = 0;                             ///< that it may use: a green context's; 0: all
    unsigned sms = 0;                                 ///< the same for checks: a green context's; 0: all
    std::span<const CUlaunchAttribute> attributes{};  ///< stored only to be reported
    bool programmatic = false;                        ///< may begin before the kernel before it has ended
};

/// A launch that can be queued, or be run any number of times.
struct PreparedLaunch {
    std::unique_ptr<Task> task;
    std::span<std::byte> parameters;  ///< the packed block, in the task
};

/// Checks the request as the driver does, and copies the parameters. Throws CUDA_ERROR_INVALID_VALUE,
/// CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, CUDA_ERROR_INVALID_CLUSTER_SIZE.
PreparedLaunch prepare(Function& function, const LaunchRequest& request);

/// The blocks of a cluster of such a launch: what it says, or the kernel; zeros where neither does. Throws
/// CUDA_ERROR_INVALID_CLUSTER_SIZE.
std::array<std::uint32_t, 3> cluster_of(const Function& function, const std::array<std::uint32_t, 3>& grid,
                                        const std::array<std::uint32_t, 3>& wanted);

/// Prepares and submits it, or adds it to the stream's capture. Throws CUDA_ERROR_INVALID_HANDLE (function and stream
/// of different contexts) too.
void launch(const std::shared_ptr<Function>& function, Stream& stream, LaunchRequest request);

}  // namespace cpu::state
