#pragma once

#include <cstdint>

namespace cpu::exec {

/// The position of an element in its matrix.
struct Place {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
};

/// How a matrix is distributed over the registers of a warp: A is M × K, B is K × N, the accumulators are M × N.
struct Fragment {
    enum class Matrix : std::uint8_t { A, B, Accumulator };
    Matrix matrix = Matrix::A;
    std::uint16_t rows = 0;
    std::uint16_t columns = 0;
    std::uint8_t bits = 32;        ///< of an element
    std::uint8_t registers = 0;    ///< registers of each lane: 64-bit registers for 64-bit elements, else 32-bit ones
    bool transposed = false;       ///< distributed like the transposed product's: A like its B, and so on
    bool quads = false;            ///< the four products of 8 × 8 × 4 halves, each computed by two groups of four lanes
    bool lane_is_column = false;   ///< quads: A is stored by columns, or B by rows
    bool quads_of_floats = false;  ///< quads: the accumulators have 32 bits

    constexpr std::uint32_t register_bytes() const { return bits == 64 ? 8 : 4; }
    /// The number of elements in one register.
    constexpr std::uint32_t elements() const { return bits == 64 ? 1 : 32u / bits; }
    constexpr std::uint32_t size() const { return std::uint32_t{rows} * columns; }
};

/// For m8n8k4 with halves. Lanes 4q to 4q + 3, and the lanes 16 above them, have product q. A's rows, B's columns and
/// the accumulators' rows are numbered consecutively through the four products.
constexpr Place place_in_quads(const Fragment& f, std::uint32_t lane, std::uint32_t index) {
    const std::uint32_t product = lane / 4 % 4 * 8, half = lane / 16 * 4, own = lane % 4;
    if (f.matrix == Fragment::Matrix::Accumulator) {
        if (!f.quads_of_floats) return {product + half + own, index};
        return {product + half + (lane & 1) + (index & 2), (index & 4) + (lane & 2) + (index & 1)};
    }
    // The four elements of a lane lie along K, or across it if the matrix is stored the other way.
    const Place p = f.lane_is_column ? Place{half + index, own} : Place{half + own, index};
    return f.matrix == Fragment::Matrix::A ? Place{product + p.row, p.column} : Place{p.column, product + p.row};
}

/// Lanes in groups of four: each has a row of A, a column of B and a row of the accumulators, and the rows that follow
/// at multiples of eight. The PTX manual draws the fragments of mma in this way; it does not specify those of wmma,
/// which on a GPU are the same for one block of rows after the other.
constexpr Place place_in_groups(const Fragment& f, std::uint32_t lane, std::uint32_t reg, std::uint32_t element) {
    const std::uint32_t each = f.elements(), group = lane / 4, own = lane % 4;
    const std::uint32_t along = own * each + element;  // for A and B: the position in K
    if (f.matrix == Fragment::Matrix::A) {
        const std::uint32_t blocks = f.rows < 16 ? 1 : 2, deep = f.columns / (4 * each), tile = blocks * deep;
        return {group + 8 * (reg % blocks) + 16 * (reg / tile % ((f.rows + 15u) / 16)),
                along + 4 * each * (reg / blocks % deep)};
    }
    if (f.matrix == Fragment::Matrix::B) {
        const std::uint32_t deep = f.rows / (4 * each), blocks = f.columns / 8u;
        return {along + 4 * each * (reg % deep), group + 8 * (reg / deep % blocks)};
    }
    const std::uint32_t index = reg * each + element, blocks = f.rows / 8u;
    return {group + 8 * (index / 2 % blocks), 2 * own + index % 2 + 8 * (index / 2 / blocks)};
}

constexpr Place place_of(const Fragment& f, std::uint32_t lane, std::uint32_t reg, std::uint32_t element) {
    if (f.quads) return place_in_quads(f, lane, reg * f.elements() + element);
    if (!f.transposed) return place_in_groups(f, lane, reg, element);
    using Matrix = Fragment::Matrix;
    Fragment other = f;
    other.matrix = f.matrix == Matrix::A ? Matrix::B : f.matrix == Matrix::B ? Matrix::A : Matrix::Accumulator;
    other.rows = f.columns;
    other.columns = f.rows;
    const Place p = place_in_groups(other, lane, reg, element);
    return {p.column, p.row};
}

}  // namespace cpu::exec
