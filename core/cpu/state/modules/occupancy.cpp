#include "state/modules/occupancy.hpp"

#include "state/device.hpp"
#include "state/modules/module.hpp"

#include <algorithm>

namespace cpu::state {

namespace {

constexpr unsigned warp_size = 32;
constexpr unsigned register_unit = 256;  ///< registers are allocated to a warp in these units
constexpr unsigned shared_unit = 128;

constexpr unsigned round_up(unsigned value, unsigned unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

int resident_blocks(const Function& function, unsigned threads, std::size_t dynamic_shared_bytes) {
    const exec::KernelInfo& info = function.info();
    // As in the driver, a kernel's own .maxntid is not considered here.
    if (threads == 0 || threads > limits::threads_per_block) return 0;
    if (dynamic_shared_bytes > function.attributes().max_dynamic_shared()) return 0;
    const unsigned warps = (threads + warp_size - 1) / warp_size;
    unsigned blocks =
        std::min(limits::blocks_per_multiprocessor, limits::threads_per_multiprocessor / (warps * warp_size));
    // The executor keeps registers in memory: beyond the hardware's 255 they count as spilled, and are never rejected.
    const unsigned registers = std::min(std::max(info.registers, 1u), 255u);
    const unsigned warps_by_registers = limits::registers / round_up(registers * warp_size, register_unit);
    blocks = std::min(blocks, std::max(1u, warps_by_registers / warps));
    const auto shared = round_up(
        static_cast<unsigned>(info.static_shared_bytes + dynamic_shared_bytes) + limits::shared_reserved, shared_unit);
    blocks = std::min(blocks, limits::shared_per_multiprocessor / shared);
    return static_cast<int>(blocks);
}

}  // namespace cpu::state
