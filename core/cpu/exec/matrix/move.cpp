// The work of ldmatrix, stmatrix, movmatrix, wmma.load and wmma.store besides loads and stores: which lane has which
// row or element. All sources are read before any result is written.
#include "exec/matrix/move.hpp"

#include <array>
#include <cstring>

#include "exec/operands.hpp"
#include "exec/running/block.hpp"

namespace cpu::exec {

namespace {

using std::uint32_t;
using std::uint64_t;

using Word = std::array<uint32_t, warp_size>;

Word word_of(const Warp& warp, uint32_t operand) {
    Word word;
    std::memcpy(word.data(), lanes_of<uint32_t>(warp, operand), sizeof word);
    return word;
}

template <class T>
void put(const Warp& warp, uint32_t operand, const std::array<T, warp_size>& values) {
    T* d = lanes_of<T>(warp, operand);
    each_lane(warp.mask, [&](int lane) { d[lane] = values[static_cast<std::size_t>(lane)]; });
}

/// Lane 4 r + c has the halves 2 c and 2 c + 1 of row r.
uint32_t half(const Word& matrix, uint32_t row, uint32_t column) {
    return matrix[4 * row + column / 2] >> 16 * (column % 2) & 0xffffu;
}

/// The two halves from `row` and `column` on of the transposed matrix.
uint32_t transposed_pair(const Word& matrix, uint32_t row, uint32_t column) {
    return half(matrix, column, row) | half(matrix, column + 1, row) << 16;
}

template <class T>
std::array<T, warp_size> rows_repeated(const Warp& warp, const Insn& insn) {
    std::array<T, warp_size> out;
    for (uint32_t lane = 0; lane < warp_size; ++lane) out[lane] = lanes_of<T>(warp, insn.op[1])[lane & insn.mode];
    return out;
}

}  // namespace

/// op[0] = op[1] of the lanes that hold row addresses, repeated. mode: the number of these lanes, minus one.
void run_row_addresses(Warp& warp, const Insn& insn) {
    if (insn.wide_address)
        put(warp, insn.op[0], rows_repeated<uint64_t>(warp, insn));
    else
        put(warp, insn.op[0], rows_repeated<uint32_t>(warp, insn));
}

/// op[0..3]: the words of each lane's row. The results are in the next instruction: one register for each matrix of
/// eight rows.
void run_rows_to_matrices(Warp& warp, const Insn& insn) {
    const std::array<Word, 4> rows{word_of(warp, insn.op[0]), word_of(warp, insn.op[1]), word_of(warp, insn.op[2]),
                                   word_of(warp, insn.op[3])};
    const Insn& results = (&insn)[1];
    for (uint32_t n = 0; n < 4 && results.op[n] != no_operand; ++n) {
        Word matrix, turned;
        for (uint32_t lane = 0; lane < warp_size; ++lane) matrix[lane] = rows[lane % 4][8 * n + lane / 4];
        for (uint32_t lane = 0; lane < warp_size; ++lane)
            turned[lane] = transposed_pair(matrix, lane / 4, lane % 4 * 2);
        put(warp, results.op[n], insn.mode ? turned : matrix);
    }
}

/// The reverse: op[0..3] hold up to four matrices, and the results are the words of rows: lane l has row l % 8 of
/// matrix l / 8.
void run_matrices_to_rows(Warp& warp, const Insn& insn) {
    std::array<Word, 4> matrices;
    uint32_t count = 0;
    for (; count < 4 && insn.op[count] != no_operand; ++count) matrices[count] = word_of(warp, insn.op[count]);
    for (uint32_t word = 0; word < 4; ++word) {
        Word out;
        for (uint32_t lane = 0; lane < warp_size; ++lane) {
            const Word& matrix = matrices[lane / 8 % count];
            const uint32_t row = lane % 8;
            out[lane] = insn.mode ? transposed_pair(matrix, row, 2 * word) : matrix[4 * row + word];
        }
        put(warp, (&insn)[1].op[word], out);
    }
}

/// movmatrix: op[0] = op[1] transposed.
void run_transpose(Warp& warp, const Insn& insn) {
    const Word matrix = word_of(warp, insn.op[1]);
    Word out;
    for (uint32_t lane = 0; lane < warp_size; ++lane) out[lane] = transposed_pair(matrix, lane / 4, lane % 4 * 2);
    put(warp, insn.op[0], out);
}

/// op[0]: the address of element `mode` of each lane's fragment, for the matrix at op[1] with the stride op[2].
void run_element_addresses(Warp& warp, const Insn& insn) {
    const FragmentInMemory& in = warp.block->grid.kernel.fragments[insn.fragment];
    const Fragment& f = in.fragment;
    std::array<uint64_t, warp_size> out;
    for (uint32_t lane = 0; lane < warp_size; ++lane) {
        const uint64_t base =
            insn.wide_address ? lanes_of<uint64_t>(warp, insn.op[1])[lane] : lanes_of<uint32_t>(warp, insn.op[1])[lane];
        const std::int64_t stride = lanes_of<std::int32_t>(warp, insn.op[2])[lane];
        const Place p = place_of(f, lane, insn.mode / f.elements(), insn.mode % f.elements());
        const std::int64_t index = in.by_columns ? p.column * stride + p.row : p.row * stride + p.column;
        out[lane] = base + static_cast<uint64_t>(index * f.bits / 8);
    }
    put(warp, insn.op[0], out);
}

/// op[0]: the elements op[1..], of `mode` bits each, packed into one register, the first one lowest.
void run_pack(Warp& warp, const Insn& insn) {
    Word out{};
    for (uint32_t n = 0; n < 32u / insn.mode; ++n) {
        const Word element = word_of(warp, insn.op[1 + n]);
        for (uint32_t lane = 0; lane < warp_size; ++lane) out[lane] |= element[lane] << n * insn.mode;
    }
    put(warp, insn.op[0], out);
}

}  // namespace cpu::exec
