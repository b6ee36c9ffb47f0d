// How many blocks and clusters of a kernel run at a time.
#include "driver/driver_table.hpp"
#include "kernels/driver_config.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/modules/module.hpp"

namespace pycuda {
namespace {

std::string blocks_text(const std::string& kernel, int block_size) {
    return "kernel '" + kernel + "', blocks of " + std::to_string(block_size) + " threads";
}

/// Asks about clusters of a launch.
template <class Ask>
int ask_about_clusters(const Ask& ask, const std::string& kernel, CUfunction function, const LaunchConfig& config) {
    const CUlaunchConfig launch = driver_config(config);
    int answer = 0;
    if (const CUresult result = ask.try_call(&answer, function, &launch))
        ask.fail(result, blocks_text(kernel, static_cast<int>(config.block[0] * config.block[1] * config.block[2])) +
                             " and " + std::to_string(config.shared_bytes) + " bytes of dynamic shared memory");
    return answer;
}

}  // namespace

int Function::max_active_blocks_per_multiprocessor(int block_size, std::size_t dynamic_shared, unsigned flags) const {
    const auto module_in_use = module_->use();
    const ContextScope scope(*module_->context());
    int blocks = 0;
    const auto& ask = driver().cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags;
    if (const CUresult result = ask.try_call(&blocks, function_, block_size, dynamic_shared, flags))
        ask.fail(result, blocks_text(name_, block_size) + " and " + std::to_string(dynamic_shared) +
                             " bytes of dynamic shared memory");
    return blocks;
}

PotentialBlockSize Function::max_potential_block_size(std::size_t dynamic_shared, int block_size_limit,
                                                      unsigned flags) const {
    const auto module_in_use = module_->use();
    const ContextScope scope(*module_->context());
    PotentialBlockSize best{};
    const auto& ask = driver().cuOccupancyMaxPotentialBlockSizeWithFlags;
    if (const CUresult result = ask.try_call(&best.min_grid_size, &best.block_size, function_, nullptr, dynamic_shared,
                                             block_size_limit, flags))
        ask.fail(result, "kernel '" + name_ + "'");
    return best;
}

std::size_t Function::available_dynamic_shared(int blocks, int block_size) const {
    const auto module_in_use = module_->use();
    const ContextScope scope(*module_->context());
    std::size_t bytes = 0;
    const auto& ask = driver().cuOccupancyAvailableDynamicSMemPerBlock;
    if (const CUresult result = ask.try_call(&bytes, function_, blocks, block_size))
        ask.fail(result, blocks_text(name_, block_size) + ", " + std::to_string(blocks) + " on a multiprocessor");
    return bytes;
}

int Function::max_active_clusters(const LaunchConfig& config) const {
    const auto module_in_use = module_->use();
    const ContextScope scope(*module_->context());
    return ask_about_clusters(driver().cuOccupancyMaxActiveClusters, name_, function_, config);
}

int Function::max_potential_cluster_size(const LaunchConfig& config) const {
    const auto module_in_use = module_->use();
    const ContextScope scope(*module_->context());
    return ask_about_clusters(driver().cuOccupancyMaxPotentialClusterSize, name_, function_, config);
}

}  // namespace pycuda
