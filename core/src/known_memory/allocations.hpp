#pragma once

#include <cuda.h>

#include <cstdint>

#include "observing/observed_allocation.hpp"
#include "pycuda/observing/places.hpp"

namespace pycuda {

/// While it lives, allocations of this thread's driver calls are internal and not recorded.
class LibraryAllocation {
public:
    LibraryAllocation() noexcept : before_(active_) { active_ = true; }
    ~LibraryAllocation() { active_ = before_; }
    LibraryAllocation(const LibraryAllocation&) = delete;
    LibraryAllocation& operator=(const LibraryAllocation&) = delete;
    static bool is_active() noexcept { return active_; }

private:
    static inline thread_local bool active_ = false;
    const bool before_;
};

/// A block leaves a pool or returns to it. `kind` is static text.
void record_block_taken(const char* kind, std::uint64_t address, std::uint64_t bytes) noexcept;
void record_block_given(std::uint64_t address) noexcept;

struct MemoryPlaces {
    Place allocated = 0;
    Place freed = 0;
};
/// The lines of the program that allocated, and freed, the memory that contains this address: of what was freed last,
/// or of what is allocated. 0 where it is unknown, as always while allocations are not recorded.
MemoryPlaces places_of_memory(std::uint64_t address, bool is_freed) noexcept;

/// Drop the records of an ended context's objects.
void forget_allocations_of(CUcontext context) noexcept;

}  // namespace pycuda
