#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/checks/check_race.hpp"
#include "exec/checks/written_locals.hpp"

namespace cpu::exec {

class Kernel;

/// Puts the checks of PYCUDA_CPU_CHECK around every instruction that accesses memory. Code that is not instrumented
/// runs as if there were no such checks.
void instrument(Kernel& kernel);

/// What the checks keep of a running block; none of it without instrumentation.
struct BlockChecks {
    std::vector<std::uint8_t> shared_written;  ///< check=init: one a byte of shared memory
    std::unique_ptr<WrittenLocals> locals;     ///< check=init
    std::unique_ptr<RaceCheck> race;           ///< check=race
};

}  // namespace cpu::exec
