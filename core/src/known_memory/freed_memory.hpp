#pragma once

#include <cstdint>
#include <deque>

#include "pycuda/observing/places.hpp"

namespace pycuda {

/// Memory that a program has freed, and which of its lines did so.
struct FreedMemory {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    Place allocated = 0;
    Place freed = 0;
};

/// The memory freed last, for reports of later accesses to it. Not safe between threads.
class FreedMemories {
public:
    /// Forgets the earliest if there are many; this one if memory runs out.
    void add(const FreedMemory& memory) noexcept;
    /// The one freed last that contains the address; null if none does.
    const FreedMemory* containing(std::uint64_t address) const noexcept;
    void clear() noexcept { freed_.clear(); }

private:
    std::deque<FreedMemory> freed_;
};

}  // namespace pycuda
