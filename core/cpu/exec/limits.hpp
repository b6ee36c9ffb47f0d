#pragma once

#include <cstdint>

/// Limits of the device's architecture: ptxas or the driver rejects code that exceeds them.
namespace cpu::exec::limits {

constexpr unsigned threads_per_block = 1024;
constexpr unsigned shared_per_block = 48 * 1024;  ///< total size of variables; a launch may request more
constexpr unsigned constant_memory = 64 * 1024;
constexpr unsigned local_per_thread = 512 * 1024;
constexpr unsigned registers = 65536;  ///< registers of a block
constexpr unsigned registers_per_thread = 255;
constexpr unsigned fewest_registers_per_thread = 24;  ///< lower limits are raised to this
constexpr unsigned register_step = 8;

}  // namespace cpu::exec::limits
