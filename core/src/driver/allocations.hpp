#pragma once

#include <cuda.h>

#include <cstdint>
#include <span>
#include <type_traits>

#include "observers.hpp"
#include "pycuda/observing/places.hpp"

namespace pycuda {

struct AllocationRule;

/// The record of a live object.
struct AllocationRecord {
    const char* kind = nullptr;  ///< static text
    CUcontext context = nullptr;
    Place place = 0;
    std::uint64_t bytes = 0;
};

/// An argument of a driver call as a number: pointers, handles, addresses and sizes.
template <class T>
std::uint64_t word_of(const T& argument) noexcept {
    if constexpr (std::is_pointer_v<T>)
        return reinterpret_cast<std::uintptr_t>(argument);
    else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
        return static_cast<std::uint64_t>(argument);
    else
        return 0;
}

/// A driver call while allocations are recorded, from its construction to end(): updates the records of live objects.
class ObservedAllocation {
public:
    ObservedAllocation(const char* call, std::span<const std::uint64_t> arguments) noexcept {
        if (is_observed_by(allocation_observer)) begin(call, arguments);
    }
    void end(CUresult result) noexcept {
        if (rule_) note(result);
    }

private:
    void begin(const char* call, std::span<const std::uint64_t> arguments) noexcept;
    void note(CUresult result) noexcept;

    const AllocationRule* rule_ = nullptr;  ///< null for calls that neither create nor free anything
    std::span<const std::uint64_t> arguments_;
    AllocationRecord
        record_;  ///< of what the call frees: removed first, as another thread may be given the address next
};

/// While it lives, allocations of this thread's driver calls are internal and not recorded.
class LibraryAllocation {
public:
    LibraryAllocation() noexcept : before_(active_) { active_ = true; }
    ~LibraryAllocation() { active_ = before_; }
    LibraryAllocation(const LibraryAllocation&) = delete;
    LibraryAllocation& operator=(const LibraryAllocation&) = delete;
    static bool is_this() noexcept { return active_; }

private:
    static inline thread_local bool active_ = false;
    const bool before_;
};

/// A block leaves a pool or returns to it. `kind` is static text.
void record_block_taken(const char* kind, std::uint64_t address, std::uint64_t bytes) noexcept;
void record_block_given(std::uint64_t address) noexcept;

/// Drop the records of an ended context's objects.
void forget_allocations_of(CUcontext context) noexcept;

}  // namespace pycuda
