#pragma once

#include <cuda.h>

#include "exec/running/grid_run.hpp"
#include "state/memory/retired_pages.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace cpu::state {

class Function;
class Module;
class Stream;
class LaunchTask;

/// The arguments of a launch call.
struct LaunchRequest {
    std::array<std::uint32_t, 3> grid;
    std::array<std::uint32_t, 3> block;
    std::uint32_t shared_bytes = 0;
    void** parameters = nullptr;  ///< one pointer for each parameter
    void** extra = nullptr;       ///< or CU_LAUNCH_PARAM_* pairs
    bool cooperative = false;
    std::array<std::uint32_t, 3> cluster{};           ///< 0: not specified by the launch
    int priority = 0;                                 ///< like a stream's priority
    unsigned threads = 0;                             ///< maximum number of threads: a green context's; 0: all
    unsigned sms = 0;                                 ///< the number of SMs for checks: a green context's; 0: all
    std::span<const CUlaunchAttribute> attributes{};  ///< stored only to be reported
    bool programmatic = false;                        ///< may begin before the previous kernel has ended
};

/// A launch that can be queued, or run any number of times.
struct PreparedLaunch {
    PreparedLaunch(std::unique_ptr<LaunchTask> task, std::span<std::byte> parameters) noexcept;
    ~PreparedLaunch();
    std::unique_ptr<LaunchTask> task;
    std::span<std::byte> parameters;  ///< the packed block, in the task
};

/// One run of a launch. Several may be under way at once.
class KernelRun {
public:
    KernelRun(const LaunchTask& launch, const exec::QueuedAt& queued) noexcept;
    /// False if it has not ended by `leave_at`: then another call continues it. A fault becomes the context's.
    bool run(exec::Time leave_at) noexcept;

private:
    const retired_pages::RunningLaunch running_;
    const Module& module_;
    exec::GridRun grid_;
};

/// Checks the request as the driver does, and copies the parameters. Throws CUDA_ERROR_INVALID_VALUE,
/// CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, CUDA_ERROR_INVALID_CLUSTER_SIZE.
PreparedLaunch prepare(Function& function, const LaunchRequest& request);

/// The size in blocks of the launch's clusters, from the request or else from the kernel; zeros if neither specifies
/// it. Throws CUDA_ERROR_INVALID_CLUSTER_SIZE.
std::array<std::uint32_t, 3> cluster_of(const Function& function, const std::array<std::uint32_t, 3>& grid,
                                        const std::array<std::uint32_t, 3>& wanted);

/// Prepares and submits the launch, or adds it to the stream's capture. Also throws CUDA_ERROR_INVALID_HANDLE if
/// function and stream belong to different contexts.
void launch(const std::shared_ptr<Function>& function, Stream& stream, LaunchRequest request);

}  // namespace cpu::state
