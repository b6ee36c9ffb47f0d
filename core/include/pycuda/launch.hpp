#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace pycuda {

class Module;

/// Geometry of a launch: blocks in the grid, threads in a block, dynamic shared bytes, stream (null: the default one);
/// and, where it has any, attributes. Without attributes a launch is one cuLaunchKernel, with them one
/// cuLaunchKernelEx.
struct LaunchConfig {
    unsigned grid[3] = {1, 1, 1};
    unsigned block[3] = {1, 1, 1};
    unsigned shared_bytes = 0;
    CUstream stream = nullptr;  ///< held by a Stream::use() until the launch returns, if another thread may close it
    std::span<const CUlaunchAttribute> attributes = {};  ///< the caller's, until the launch returns
};

/// What must be brought up to date before a kernel of a module runs: a texture bound anew, say. Registered with
/// Module::prepare_launches_with.
class LaunchPreparation {
public:
    virtual ~LaunchPreparation() = default;
    /// Called before every launch of a kernel of the module, on the thread that launches, with the context current that
    /// the launch goes to. What it queues on `stream` comes before the kernel. An exception stops the launch. Threads
    /// that launch at the same time call it at the same time.
    virtual void before_launch(CUstream stream) = 0;
    /// Called on the same thread when the launch has been queued, or has failed, after each before_launch that
    /// returned.
    virtual void after_launch(CUstream) noexcept {}
};

/// Held around a launch of a module that has preparations: calls them, the last one first in the end.
class PreparedLaunch {
public:
    PreparedLaunch(const Module& module, CUstream stream);
    ~PreparedLaunch() { end(); }
    PreparedLaunch(const PreparedLaunch&) = delete;
    PreparedLaunch& operator=(const PreparedLaunch&) = delete;

private:
    void end() noexcept;
    const CUstream stream_;
    std::vector<std::shared_ptr<LaunchPreparation>> begun_;
};

}  // namespace pycuda
