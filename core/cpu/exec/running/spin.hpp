#pragma once

#include <chrono>

#include "exec/host_instructions.hpp"

namespace cpu::exec {

/// Spins until a condition holds, but no longer than a sleep and a wake-up would take.
template <class Condition>
void spin_until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    while (!condition() && std::chrono::steady_clock::now() < end)
        for (int n = 0; n < 8; ++n) spin_pause();
}

}  // namespace cpu::exec
