#pragma once

#include <cstdint>

namespace cpu::exec {

/// What PYCUDA_CPU_CHECK asks for besides the checks that are always made.
struct Checks {
    bool init = false;   ///< reads of memory that nothing wrote
    bool race = false;   ///< conflicting accesses to shared memory without a barrier between them
    bool go_on = false;  ///< after illegal accesses where hardware would
    bool any() const noexcept { return init || race || go_on; }
};

/// Read from the environment once. A word that it does not know is said on standard error and ignored.
const Checks& enabled_checks();

/// What the checks see of a running instruction: its lanes, and the host addresses at which each of them accesses
/// `size` bytes. Address 0: the lane accesses nothing.
struct LaneAddresses {
    std::uint32_t mask = 0;
    const std::uint64_t* address = nullptr;
    std::uint32_t size = 0;
};

}  // namespace cpu::exec
