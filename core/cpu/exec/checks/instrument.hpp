#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/checks/check_race.hpp"
#include "exec/checks/written_locals.hpp"

namespace cpu::exec {

class Kernel;

/// Adds the checks of PYCUDA_CPU_CHECK to every instruction that accesses memory. Code that is not instrumented runs at
/// full speed.
void instrument(Kernel& kernel);

/// The state of the checks for a running block; empty without instrumentation.
struct BlockChecks {
    std::vector<std::uint8_t> shared_written;  ///< check=init: one flag for each byte of shared memory
    std::unique_ptr<WrittenLocals> locals;     ///< check=init
    std::unique_ptr<RaceCheck> race;           ///< check=race
};

}  // namespace cpu::exec
