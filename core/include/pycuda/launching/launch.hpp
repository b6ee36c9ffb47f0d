#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace pycuda {

class Module;

/// Geometry of a launch: blocks in the grid, threads in a block, dynamic shared bytes, stream (null: the default one);
/// and attributes. A launch is one cuLaunchKernel without attributes, one
/// cuLaunchKernelEx with them.
struct LaunchConfig {
    unsigned grid[3] = {1, 1, 1};
    unsigned block[3] = {1, 1, 1};
    unsigned shared_bytes = 0;
    CUstream stream = nullptr;  ///< if another thread may close it, a Stream::use() must hold it during the launch
    std::span<const CUlaunchAttribute> attributes = {};  ///< must live until the launch returns
};

/// Work before each launch of a module's kernels, such as binding a texture again. Registered with
/// Module::prepare_launches_with.
class LaunchPreparation {
public:
    virtual ~LaunchPreparation() = default;
    /// Called before every launch of a kernel of the module, on the launching thread, with the launch's context
    /// current. Work that it queues on `stream` precedes the kernel. An exception cancels the
    /// launch. Threads that launch at the same time call it at the same time.
    virtual void before_launch(CUstream stream) = 0;
    /// Called on the same thread after the launch was queued or failed, once for each before_launch
    /// that returned.
    virtual void after_launch(CUstream) noexcept {}
};

/// Held during a launch of a module with preparations: calls before_launch of each, and after_launch in reverse order.
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
