#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <string>

#include "pycuda/constants/constants.hpp"
#include "pycuda/launching/kernel_args.hpp"
#include "pycuda/launching/launch.hpp"
#include "pycuda/launching/repeated_launches.hpp"

namespace pycuda {

class Kernel;
class Module;

/// The launch that keeps the device busiest: threads per block, and the fewest blocks that fill the device.
struct PotentialBlockSize {
    int min_grid_size;
    int block_size;
};

/// A kernel's parameter layout (cuFuncGetParamInfo) and name (cuFuncGetName), if the driver has these
/// calls.
ParameterLayout parameter_layout(CUfunction function);

/// A kernel of a module, which it keeps alive. Attributes work in any current
/// context; a launch needs the module's.
class Function {
public:
    const std::string& name() const noexcept { return name_; }
    const std::shared_ptr<Module>& module() const noexcept { return module_; }
    /// The layout of the kernel's parameter block, read once by get_function.
    const ParameterLayout& layout() const noexcept { return layout_; }

    /// Queue one grid (one cuLaunchKernel with CU_LAUNCH_PARAM_BUFFER_POINTER, or what costs less: RepeatedLaunches;
    /// with attributes cuLaunchKernelEx; nothing is allocated), after the module's launch preparations. The driver
    /// copies `arguments` before this returns. If it rejects the launch, the exception names the kernel and the
    /// geometry.
    void launch(const LaunchConfig& config, const void* arguments, std::size_t nbytes) const;
    /// Launch and wait; return the seconds of wall-clock time. Only on the default stream.
    double launch_timed(const LaunchConfig& config, const void* arguments, std::size_t nbytes) const;
    /// std::invalid_argument for another stream: for callers that copy arguments before they call launch_timed.
    static void require_timed_stream(CUstream stream);

    int get_attribute(FunctionAttribute attribute) const;        ///< cuFuncGetAttribute
    void set_attribute(FunctionAttribute attribute, int value);  ///< cuFuncSetAttribute
    void set_cache_config(FuncCache config);                     ///< cuFuncSetCacheConfig
    void set_shared_config(SharedConfig config);  ///< cuFuncSetSharedMemConfig; no effect from CUDA 13 on

    /// Load its code to the device now, instead of before its first launch, if modules are loaded lazily (cuFuncLoad).
    /// Needs a driver of CUDA 12.4.
    void load() const;
    bool is_loaded() const;  ///< cuFuncIsLoaded. Needs a driver of CUDA 12.4.

    /// The number of blocks, with this many threads and bytes of dynamic shared memory, that fit on a multiprocessor at
    /// a time (cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags). `flags`: occupancy_flags.
    int max_active_blocks_per_multiprocessor(int block_size, std::size_t dynamic_shared = 0, unsigned flags = 0) const;
    /// The block size of best occupancy, up to `block_size_limit` if that is not 0
    /// (cuOccupancyMaxPotentialBlockSizeWithFlags). `flags`: occupancy_flags.
    PotentialBlockSize max_potential_block_size(std::size_t dynamic_shared = 0, int block_size_limit = 0,
                                                unsigned flags = 0) const;
    /// The bytes of dynamic shared memory that each block can have, if `blocks` of them with `block_size` threads are
    /// to fit on a multiprocessor (cuOccupancyAvailableDynamicSMemPerBlock). LogicError if so many do not fit.
    std::size_t available_dynamic_shared(int blocks, int block_size) const;
    /// The number of clusters of a launch that run on the device at a time (cuOccupancyMaxActiveClusters). LogicError
    /// without clusters. Needs a driver of CUDA 11.8.
    int max_active_clusters(const LaunchConfig& config) const;
    /// The largest cluster, in blocks, that a launch can have (cuOccupancyMaxPotentialClusterSize); the size of
    /// clusters in `config` does not matter. Needs a driver of CUDA 11.8.
    int max_potential_cluster_size(const LaunchConfig& config) const;

    CUfunction handle() const;  ///< LogicError if the module is closed

private:
    friend class Kernel;
    friend class Module;
    Function(std::shared_ptr<Module> module, std::string name, CUfunction function);
    std::shared_ptr<Module> module_;
    std::string name_;
    CUfunction function_;
    ParameterLayout layout_;
    mutable RepeatedLaunches launches_;
};

}  // namespace pycuda
