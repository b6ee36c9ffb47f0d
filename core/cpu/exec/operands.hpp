#pragma once

#include <bit>
#include <cstdint>

#include "exec/warp.hpp"

/// Access to operands and lanes, for code that is compiled once. Instruction handlers have their own in handlers/,
/// because inline functions must not be shared between instruction sets.
namespace cpu::exec {

/// An operand's values, one for each lane; those of a result may be written.
template <class T>
T* lanes_of(const Warp& warp, std::uint32_t operand) noexcept {
    return reinterpret_cast<T*>(warp.bank[operand & 1] + operand);
}

/// A predicate: one bit per lane.
inline std::uint32_t& predicate_of(const Warp& warp, std::uint32_t operand) noexcept {
    return *lanes_of<std::uint32_t>(warp, operand);
}

/// The affine form of a register.
inline Affine& affine_at(const Warp& warp, std::uint32_t operand) noexcept {
    return *lanes_of<Affine>(warp, operand);
}

/// Calls f(lane) for the lanes of `mask`, in order.
template <class F>
void each_lane(std::uint32_t mask, F f) {
    for (; mask; mask &= mask - 1) f(std::countr_zero(mask));
}

}  // namespace cpu::exec
