#include "api/abi.hpp"

#include "state/device.hpp"
#include "state/modules/launch.hpp"
#include "state/modules/library.hpp"
#include "state/modules/module.hpp"
#include "state/modules/occupancy.hpp"

#include <algorithm>
#include <array>

using namespace cpu::api;
using namespace cpu::state;

namespace {

constexpr unsigned occupancy_flags = CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE;
constexpr int warp_size = 32;

void active_blocks(int* out, CUfunction func, int block_size, std::size_t shared, unsigned flags) {
    require(out != nullptr && block_size > 0 && (flags & ~occupancy_flags) == 0);
    *out = resident_blocks(*function_of(func), static_cast<unsigned>(block_size), shared);
}

/// The block size with the most resident threads (the largest, if several have as many), and the grid that fills the
/// device.
void best_block(int* grid, int* block, CUfunction func, CUoccupancyB2DSize shared_of, std::size_t shared, int limit,
                unsigned flags) {
    require(grid != nullptr && block != nullptr && limit >= 0 && (flags & ~occupancy_flags) == 0);
    const auto function = function_of(func);
    int largest = static_cast<int>(function->info().max_threads);
    if (limit > 0) largest = std::min(largest, limit);
    int best_threads = 0, best_blocks = 0;
    *block = 0;
    const int start = (largest + warp_size - 1) / warp_size * warp_size;
    for (int candidate = start; candidate > 0; candidate -= warp_size) {
        const int size = std::min(candidate, largest);
        const std::size_t dynamic = shared_of ? shared_of(size) : shared;
        const int blocks = resident_blocks(*function, static_cast<unsigned>(size), dynamic);
        if (blocks * size > best_threads) {
            best_threads = blocks * size;
            best_blocks = blocks;
            *block = size;
        }
    }
    *grid = best_blocks * function->module()->context()->device().attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
}

}  // namespace

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize) {
    return entry("cuOccupancyMaxActiveBlocksPerMultiprocessor",
                 [&] { active_blocks(numBlocks, func, blockSize, dynamicSMemSize, 0); });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, CUfunction func, int blockSize,
                                                              size_t dynamicSMemSize, unsigned int flags) {
    return entry("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
                 [&] { active_blocks(numBlocks, func, blockSize, dynamicSMemSize, flags); });
}

CUresult cuOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                          int blockSizeLimit) {
    return entry("cuOccupancyMaxPotentialBlockSize", [&] {
        best_block(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit, 0);
    });
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, CUfunction func,
                                                   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                   size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags) {
    return entry("cuOccupancyMaxPotentialBlockSizeWithFlags", [&] {
        best_block(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit, flags);
    });
}

namespace {

/// The cluster size of a launch with `config`; 0 without clusters.
unsigned blocks_per_cluster(const Function& function, const CUlaunchConfig& config) {
    std::array<std::uint32_t, 3> wanted{};
    for (unsigned i = 0; i < config.numAttrs; ++i)
        if (config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            const auto& size = config.attrs[i].value.clusterDim;
            wanted = {size.x, size.y, size.z};
        }
    const auto size = cluster_of(function, {config.gridDimX, config.gridDimY, config.gridDimZ}, wanted);
    return size[0] * size[1] * size[2];
}

/// How many blocks of the launch that `config` describes are resident on each multiprocessor.
int resident_blocks(const Function& function, const CUlaunchConfig& config) {
    const std::size_t threads = std::size_t{config.blockDimX} * config.blockDimY * config.blockDimZ;
    require(threads > 0);
    return threads > limits::threads_per_block
               ? 0
               : cpu::state::resident_blocks(function, static_cast<unsigned>(threads), config.sharedMemBytes);
}

}  // namespace

CUresult cuOccupancyMaxPotentialClusterSize(int* clusterSize, CUfunction func, const CUlaunchConfig* config) {
    return entry("cuOccupancyMaxPotentialClusterSize", [&] {
        require(clusterSize != nullptr && config != nullptr);
        const auto function = function_of(func);
        blocks_per_cluster(*function, *config);
        *clusterSize =
            resident_blocks(*function, *config) > 0 ? static_cast<int>(function->attributes().largest_cluster()) : 0;
    });
}

CUresult cuOccupancyMaxActiveClusters(int* numClusters, CUfunction func, const CUlaunchConfig* config) {
    return entry("cuOccupancyMaxActiveClusters", [&] {
        require(numClusters != nullptr && config != nullptr);
        const auto function = function_of(func);
        const int each = resident_blocks(*function, *config);
        const unsigned blocks = blocks_per_cluster(*function, *config);
        const Device& device = function->module()->context()->device();
        const int all = each * device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
        // One cluster can always run: its blocks share a multiprocessor.
        *numClusters = blocks == 0 || all == 0 ? 0 : std::max(1, all / static_cast<int>(blocks));
    });
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, CUfunction func, int numBlocks,
                                                 int blockSize) {
    return entry("cuOccupancyAvailableDynamicSMemPerBlock", [&] {
        require(dynamicSmemSize != nullptr && numBlocks > 0 && blockSize > 0);
        const auto function = function_of(func);
        const int fitting = resident_blocks(*function, static_cast<unsigned>(blockSize), 0);
        require(numBlocks <= fitting);
        constexpr std::size_t unit = 128;
        const std::size_t each = limits::shared_per_multiprocessor / static_cast<unsigned>(numBlocks) / unit * unit;
        const std::size_t taken = function->info().static_shared_bytes;
        *dynamicSmemSize =
            std::min<std::size_t>(each > taken ? each - taken : 0, function->attributes().max_dynamic_shared());
    });
}
