#include "exec/environment.hpp"
#include "platform/processors.hpp"
#include "platform/shared_file.hpp"
#include "state/device.hpp"
#include "state/error.hpp"
#include "state/initialization.hpp"
#include "state/log.hpp"

#include <algorithm>

namespace cpu::state {

namespace {

/// In kHz: the system's value, or 2 GHz if it gives none.
int clock_rate() {
    static const int rate = [] {
        const int khz = platform::clock_rate();
        return khz > 0 ? khz : 2000000;
    }();
    return rate;
}

int cache_size() {
    return static_cast<int>(std::min(platform::last_level_cache(), std::int64_t{2147483647}));
}

/// PYCUDA_CPU_MULTIPROCESSORS, for programs that expect as many as a GPU has; else one for each processor.
int multiprocessors() {
    static const int count =
        exec::environment_number("PYCUDA_CPU_MULTIPROCESSORS", 1, 1024, "a number of multiprocessors from 1 to 1024")
            .value_or(static_cast<int>(platform::usable_processors()));
    return count;
}

}  // namespace

// Properties of the machine are looked up. Limits that the executor shares with compute capability 9.0 have its values.
// Missing features are 0.
int Device::attribute(CUdevice_attribute which) const {
    switch (which) {
        case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
            return static_cast<int>(limits::threads_per_block);
        case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
            return static_cast<int>(limits::block[0]);
        case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
            return static_cast<int>(limits::block[1]);
        case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
            return static_cast<int>(limits::block[2]);
        case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
            return static_cast<int>(limits::grid[0]);
        case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
            return static_cast<int>(limits::grid[1]);
        case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
            return static_cast<int>(limits::grid[2]);
        case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
            return limits::shared_per_block;
        case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
            return limits::shared_per_block_optin;
        case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
            return limits::shared_per_multiprocessor;
        case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
            return limits::shared_reserved;
        case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
            return limits::constant_memory;
        case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
            return 32;
        case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
            return static_cast<int>(limits::maximum_pitch);
        case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
        case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
            return limits::registers;
        case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
            return clock_rate();
        case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
            return 64;
        case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
            return cache_size();
        case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
        case CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT:
            return static_cast<int>(limits::texture_alignment);
        case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT:
            return static_cast<int>(limits::texture_pitch_alignment);
        case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
            return multiprocessors();
        case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
            return limits::threads_per_multiprocessor;
        case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
            return limits::blocks_per_multiprocessor;
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
            return compute_major;
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
            return compute_minor;
        case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
            return 2;
        case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
            return 1;
        case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
            return CU_COMPUTEMODE_DEFAULT;
        case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
            return 0xC0 + ordinal_;
        case CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID:
            return 0;
        case CU_DEVICE_ATTRIBUTE_NUMA_ID:
            return -1;

        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH:
            return 131072;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH:
            return 131072;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT:
            return 65536;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH:
            return 16384;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE:
            return 8192;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE:
            return 32768;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH:
            return 32768;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS:
            return 2048;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS:
            return 2046;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH:
            return 131072;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT:
            return 65536;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT:
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH:
            return 16384;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH:
            return 1 << 28;
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH:
            return static_cast<int>(limits::linear_texture_width);
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT:
            return static_cast<int>(limits::linear_texture_height);
        case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH:
            return static_cast<int>(limits::linear_texture_pitch);

        // Where host and device share memory, the host may not touch managed memory while a kernel runs.
        case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
        case CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST:
            return integrated_ ? 0 : 1;
        case CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED:
            return !integrated_ && platform::can_map_files();
        case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
            return platform::has_file_descriptors;
        case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
            return platform::can_map_files();

        case CU_DEVICE_ATTRIBUTE_INTEGRATED:  // in both models: kernels run on the host's processors
        case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
        case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
        case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
        case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
        case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
        case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
        case CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
        case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
        case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
        case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
        case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
        case CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT:
            return 1;
        default:
            break;
    }
    // All other attributes in the header describe features that the CPU device does not have.
    if (which >= 1 && which < CU_DEVICE_ATTRIBUTE_MAX) return 0;
    log::explain("Invalid device attribute enum value");
    fail(CUDA_ERROR_INVALID_VALUE);
}

}  // namespace cpu::state
