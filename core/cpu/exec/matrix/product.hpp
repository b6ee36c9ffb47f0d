#pragma once

#include <cstdint>
#include <vector>

#include "exec/matrix/fragment.hpp"
#include "ptx/modifiers.hpp"
#include "ptx/types.hpp"

namespace cpu::exec {

/// What mma and wmma.mma do: D = A × B + C.
///
/// Their code is some "operands", which name the registers of A, B and C, then the instruction itself, then some
/// "results" with those of D; six in each. All is read before anything is written.
struct MatrixProduct {
    ptx::Type type_a = ptx::Type::None, type_b = ptx::Type::None, type_c = ptx::Type::None, type_d = ptx::Type::None;
    std::uint16_t k = 0;
    std::uint16_t step = 0;  ///< how much of K is summed at once
    bool quads = false;      ///< four products, one below the other: Fragment::quads
    bool saturates = false;
    bool counts_common = false;  ///< b1: .and.popc, not .xor.popc
    ptx::Rounding rounding = ptx::Rounding::None;
    Fragment a, b, c, d;
    /// Of each element, by register, element in it and lane: its place in a matrix that is kept with K innermost (A
    /// and B) or in rows.
    std::vector<std::uint16_t> places_a, places_b, places_c, places_d;
};

/// The places of a fragment's elements; `by_columns`: the columns are kept one after the other.
std::vector<std::uint16_t> places_of(const Fragment& fragment, bool by_columns);

}  // namespace cpu::exec
