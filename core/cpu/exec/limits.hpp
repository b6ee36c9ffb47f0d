#pragma once

#include <cstdint>

/// What hardware of the device's architecture has, so that ptxas or the driver refuses code that wants more.
namespace cpu::exec::limits {

constexpr unsigned threads_per_block = 1024;
constexpr unsigned shared_per_block = 48 * 1024;  ///< bytes of variables; a launch may ask for more
constexpr unsigned constant_memory = 64 * 1024;
constexpr unsigned local_per_thread = 512 * 1024;
constexpr unsigned registers = 65536;  ///< of a block
constexpr unsigned registers_per_thread = 255;
constexpr unsigned fewest_registers_per_thread = 24;  ///< what a lower limit is raised to
constexpr unsigned register_step = 8;

}  // namespace cpu::exec::limits
