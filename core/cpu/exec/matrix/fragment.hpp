#pragma once

#include <cstdint>

namespace cpu::exec {

/// Where in its matrix an element lies.
struct Place {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
};

/// How a matrix is spread over the registers of a warp: A is M × K, B is K × N, the accumulators are M × N.
struct Fragment {
    enum class Matrix : std::uint8_t { A, B, Accumulator };
    Matrix matrix = Matrix::A;
    std::uint16_t rows = 0;
    std::uint16_t columns = 0;
    std::uint8_t bits = 32;        ///< of an element
    std::uint8_t registers = 0;    ///< of each lane: of 64 bits if the elements have them, else of 32
    bool transposed = false;       ///< spread as the transposed product's: A as its B, and so on
    bool quads = false;            ///< the four products of 8 × 8 × 4 halves, each of two groups of four lanes
    bool lane_is_column = false;   ///< quads: A is written in columns, or B in rows
    bool quads_of_floats = false;  ///< quads: accumulators of 32 bits

    constexpr std::uint32_t register_bytes() const { return bits == 64 ? 8 : 4; }
    /// In one register.
    constexpr std::uint32_t elements() const { return bits == 64 ? 1 : 32u / bits; }
    constexpr std::uint32_t size() const { return std::uint32_t{rows} * columns; }
};

/// Of m8n8k4 with halves. Lanes 4q to 4q + 3 and those 16 after them have product q; A's rows, B's columns and the
/// accumulators' rows are numbered through the four of them.
constexpr Place place_in_quads(const Fragment& f, std::uint32_t lane, std::uint32_t index) {
    const std::uint32_t product = lane / 4 % 4 * 8, half = lane / 16 * 4, own = lane % 4;
    if (f.matrix == Fragment::Matrix::Accumulator) {
        if (!f.quads_of_floats) return {product + half + own, index};
        return {product + half + (lane & 1) + (index & 2), (index & 4) + (lane & 2) + (index & 1)};
    }
    // The four elements of a lane lie along K, or, if the matrix is written the other way, across it.
    const Place p = f.lane_is_column ? Place{half + index, own} : Place{half + own, index};
    return f.matrix == Fragment::Matrix::A ? Place{product + p.row, p.column} : Place{p.column, product + p.row};
}

/// Lanes in groups of four: each has a row of A, a column of B and a row of the accumulators, and of rows further
/// down those that are a multiple of eight away. So the PTX manual draws the fragments of mma; those of wmma, which it
/// leaves open, are on a GPU the same of two rows of blocks after the other.
constexpr Place place_in_groups(const Fragment& f, std::uint32_t lane, std::uint32_t reg, std::uint32_t element) {
    const std::uint32_t each = f.elements(), group = lane / 4, own = lane % 4;
    const std::uint32_t along = own * each + element;  // of A and B: in K
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
