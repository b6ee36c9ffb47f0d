#pragma once

#include <cstdint>
#include <vector>

#include "exec/matrix/fragment.hpp"
#include "ptx/modifiers.hpp"
#include "ptx/types.hpp"

namespace cpu::exec {

/// What mma and wmma.mma do: D = A × B + C.
///
/// The code consists of "operands" instructions, which name the registers of A, B and C, then the instruction itself,
/// then "results" instructions with the registers of D; each holds six. All sources are read before any result is
/// written.
struct MatrixProduct {
    ptx::Type type_a = ptx::Type::None, type_b = ptx::Type::None, type_c = ptx::Type::None, type_d = ptx::Type::None;
    std::uint16_t k = 0;
    std::uint16_t step = 0;  ///< how much of K is summed in one step
    bool quads = false;      ///< four products, stacked vertically: Fragment::quads
    bool saturates = false;
    bool counts_common = false;  ///< b1: .and.popc instead of .xor.popc
    ptx::Rounding rounding = ptx::Rounding::None;
    Fragment a, b, c, d;
    /// For each element, by register, element in the register, and lane: its index in a matrix that is stored with K
    /// innermost (A and B) or by rows.
    std::vector<std::uint16_t> indices_a, indices_b, indices_c, indices_d;
};

/// The indices of a fragment's elements; `by_columns`: the matrix is stored column by column.
std::vector<std::uint16_t> indices_of(const Fragment& fragment, bool by_columns);

}  // namespace cpu::exec
