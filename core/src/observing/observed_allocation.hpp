#pragma once

#include <cuda.h>

#include <cstdint>
#include <span>
#include <type_traits>

#include "observing/observers.hpp"
#include "pycuda/observing/places.hpp"

namespace pycuda {

// What each driver call reports to the records of live objects (allocations.hpp), which implement it.

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
    void note_end(CUresult result) noexcept;

    const AllocationRule* rule_ = nullptr;  ///< null for calls that neither create nor free anything
    std::span<const std::uint64_t> arguments_;
    AllocationRecord
        record_;  ///< of what the call frees: removed first, as another thread may be given the address next
};

}  // namespace pycuda
