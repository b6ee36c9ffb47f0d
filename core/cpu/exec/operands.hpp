#pragma once

#include <bit>
#include <cstdint>

#include "exec/warp.hpp"

/// Operands and lanes for what is compiled once; instruction handlers have their own in handlers/, as inline functions
/// must not be shared between instruction sets.
namespace cpu::exec {

/// An operand's elements, one a lane; those of a result may be written.
template <class T>
T* lanes_of(const Warp& warp, std::uint32_t operand) noexcept {
    return reinterpret_cast<T*>(warp.bank[operand & 1] + operand);
}

/// A predicate: one bit a lane.
inline std::uint32_t& predicate_of(const Warp& warp, std::uint32_t operand) noexcept {
    return *lanes_of<std::uint32_t>(warp, operand);
}

/// What affine code keeps of a register.
inline Affine& affine_at(const Warp& warp, std::uint32_t operand) noexcept {
    return *lanes_of<Affine>(warp, operand);
}

/// f(lane) for the lanes of `mask`, in their order.
template <class F>
void each_lane(std::uint32_t mask, F f) {
    for (; mask; mask &= mask - 1) f(std::countr_zero(mask));
}

}  // namespace cpu::exec
