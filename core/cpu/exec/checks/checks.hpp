#pragma once

#include <cstdint>

namespace cpu::exec {

/// The optional checks that PYCUDA_CPU_CHECK enables, beside those that are always made.
struct Checks {
    bool init = false;   ///< report reads of memory that was never written
    bool race = false;   ///< report conflicting accesses to shared memory without a barrier between them
    bool go_on = false;  ///< continue after an illegal access where hardware would
    bool any() const noexcept { return init || race || go_on; }
};

/// Read from the environment once. An unknown word is reported on standard error and ignored.
const Checks& enabled_checks();

/// A running instruction as the checks see it: its lanes, and the host addresses at which each lane accesses `size`
/// bytes. Address 0 means that the lane accesses nothing.
struct LaneAddresses {
    std::uint32_t mask = 0;
    const std::uint64_t* address = nullptr;
    std::uint32_t size = 0;
};

}  // namespace cpu::exec
