// mma and wmma.mma over the lanes of a warp.
#include "exec/matrix/product.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "exec/matrix/tensor_sum.hpp"
#include "exec/operands.hpp"
#include "exec/running/block.hpp"

namespace cpu::exec {

namespace {

using ptx::Type;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

/// The largest matrices; those of bits are m16n8k256's.
constexpr std::size_t max_elements = 32 * 16;
constexpr std::size_t max_bits = 16 * 256;

/// The registers of a matrix, named by the instructions around the product.
class Registers {
public:
    Registers(const Warp& warp, const Insn* carriers, uint32_t first) : warp_(warp), at_(carriers), first_(first) {}
    template <class T>
    T* lanes(uint32_t reg) const {
        const uint32_t number = first_ + reg, operand = at_[number / 6].op[number % 6];
        return lanes_of<T>(warp_, operand);
    }

private:
    const Warp& warp_;
    const Insn* at_;
    uint32_t first_;
};

/// The bits of a fragment's elements, each at its position.
template <class To>
void gather(const Registers& from, const Fragment& f, const std::vector<uint16_t>& indices, To* to) {
    const uint16_t* index = indices.data();
    const uint32_t mask = f.bits >= 32 ? ~0u : (1u << f.bits) - 1;
    for (uint32_t r = 0; r < f.registers; ++r) {
        if (f.bits == 64) {
            const uint64_t* value = from.lanes<uint64_t>(r);
            for (unsigned lane = 0; lane < warp_size; ++lane) to[*index++] = static_cast<To>(value[lane]);
            continue;
        }
        const uint32_t* value = from.lanes<uint32_t>(r);
        for (uint32_t e = 0; e < f.elements(); ++e)
            for (unsigned lane = 0; lane < warp_size; ++lane)
                to[*index++] = static_cast<To>(value[lane] >> e * f.bits & mask);
    }
}

template <class From>
void scatter(const Warp& warp, const Registers& to, const Fragment& f, const std::vector<uint16_t>& indices,
             const From* from) {
    const uint16_t* index = indices.data();
    for (uint32_t r = 0; r < f.registers; ++r, index += warp_size * f.elements()) {
        each_lane(warp.mask, [&](int lane) {
            if (f.bits == 64) {
                to.lanes<uint64_t>(r)[lane] = static_cast<uint64_t>(from[index[lane]]);
                return;
            }
            uint32_t value = 0;
            for (uint32_t e = 0; e < f.elements(); ++e)
                value |= static_cast<uint32_t>(from[index[e * warp_size + static_cast<unsigned>(lane)]]) << e * f.bits;
            to.lanes<uint32_t>(r)[lane] = value;
        });
    }
}

/// Calls f(row of A, column of B, index of the accumulator).
template <class F>
void each_result(const MatrixProduct& p, F f) {
    const uint32_t rows = p.d.rows, columns = p.d.columns;
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t column = 0; column < columns; ++column)
            f(row, p.quads ? row / 8 * 8 + column : column, row * columns + column);
}

struct Operands {
    Registers a, b, c, d;
};

/// For halves, bf16 and tf32: rows or columns of numbers, both as bits and decoded. `finite`: for every `step` numbers,
/// whether all are.
struct Taken {
    uint32_t bits[max_elements];
    std::int32_t significands[max_elements], exponents[max_elements];
    bool finite[max_elements / 4];

    Taken(Type type, const Registers& from, const Fragment& f, const std::vector<uint16_t>& indices, uint32_t step) {
        gather(from, f, indices, bits);
        std::ranges::fill(finite, true);
        for (uint32_t n = 0; n < f.size(); ++n) {
            const tensor_sum::Number number = tensor_sum::decode(type, bits[n]);
            significands[n] = number.significand;
            exponents[n] = number.exponent;
            finite[n / step] &= number.finite;
        }
    }
};

void multiply_floats(const MatrixProduct& p, const Warp& warp, const Operands& o) {
    const Taken a(p.type_a, o.a, p.a, p.indices_a, p.step), b(p.type_b, o.b, p.b, p.indices_b, p.step);
    // An accumulator of 32 bits keeps its precision until the end.
    const Type sums = p.type_c == Type::F32 ? Type::F32 : p.type_d;
    uint32_t c[max_elements], d[max_elements];
    gather(o.c, p.c, p.indices_c, c);
    each_result(p, [&](uint32_t row, uint32_t column, uint32_t at) {
        uint32_t total = c[at];
        Type type = p.type_c;
        for (uint32_t k = 0; k < p.k; k += p.step) {
            const uint32_t i = row * p.k + k, j = column * p.k + k;
            const tensor_sum::Number own = tensor_sum::decode(type, total);
            total = a.finite[i / p.step] && b.finite[j / p.step] && own.finite
                        ? tensor_sum::sum(p.type_a, {a.significands + i, a.exponents + i},
                                          {b.significands + j, b.exponents + j}, p.step, type, own, sums)
                        : tensor_sum::sum_of_infinities(p.type_a, a.bits + i, b.bits + j, p.step, type, total, sums);
            type = sums;
        }
        d[at] = sums == p.type_d ? total : tensor_sum::f16_of_f32(total);
    });
    scatter(warp, o.d, p.d, p.indices_d, d);
}

/// For halves in quads, which newer GPUs have no hardware for. Computes in f32. C is added to the sum of all products;
/// if D is f16, to the sum of the first two, before that of the last two is.
void multiply_quads(const MatrixProduct& p, const Warp& warp, const Operands& o) {
    uint32_t a[max_elements], b[max_elements], c[max_elements], d[max_elements];
    gather(o.a, p.a, p.indices_a, a);
    gather(o.b, p.b, p.indices_b, b);
    gather(o.c, p.c, p.indices_c, c);
    each_result(p, [&](uint32_t row, uint32_t column, uint32_t at) {
        const auto value = [](const uint32_t* from, uint32_t n) { return tensor_sum::value_of(Type::F16, from[n]); };
        const uint32_t i = row * p.k, j = column * p.k;
        const float own = tensor_sum::value_of(p.type_c, c[at]);
        float total = 0;
        if (p.type_d == Type::F16) {
            const float first = std::fma(value(a, i + 1), value(b, j + 1), value(a, i) * value(b, j));
            const float second = std::fma(value(a, i + 3), value(b, j + 3), value(a, i + 2) * value(b, j + 2));
            total = first + own + second;
        } else {
            for (uint32_t k = 0; k < p.k; ++k) total = std::fma(value(a, i + k), value(b, j + k), total);
            total += own;
        }
        const uint32_t bits = std::isnan(total) ? 0x7fffffff : std::bit_cast<uint32_t>(total);
        d[at] = p.type_d == Type::F16 ? tensor_sum::f16_of_f32(bits) : bits;
    });
    scatter(warp, o.d, p.d, p.indices_d, d);
}

int rounding_mode(ptx::Rounding rounding) {
    switch (rounding) {
        case ptx::Rounding::Rz:
            return FE_TOWARDZERO;
        case ptx::Rounding::Rm:
            return FE_DOWNWARD;
        case ptx::Rounding::Rp:
            return FE_UPWARD;
        default:
            return FE_TONEAREST;
    }
}

/// Of several NaNs, B's takes precedence, then the sum's, then A's.
double fused(double a, double b, double sum) {
    for (const double value : {b, sum, a})
        if (std::isnan(value)) return value + value;
    // A NaN that this operation creates is the GPU's, whatever the host's is.
    const double result = std::fma(a, b, sum);
    return std::isnan(result) ? std::bit_cast<double>(0xfff8000000000000ull) : result;
}

/// For doubles: a sequence of fused multiply-adds.
void multiply_doubles(const MatrixProduct& p, const Warp& warp, const Operands& o) {
    uint64_t a[max_elements], b[max_elements], c[max_elements], d[max_elements];
    gather(o.a, p.a, p.indices_a, a);
    gather(o.b, p.b, p.indices_b, b);
    gather(o.c, p.c, p.indices_c, c);
    const int rounding = std::fegetround();
    std::fesetround(rounding_mode(p.rounding));
    each_result(p, [&](uint32_t row, uint32_t column, uint32_t at) {
        double total = std::bit_cast<double>(c[at]);
        for (uint32_t k = 0; k < p.k; ++k)
            total = fused(std::bit_cast<double>(a[row * p.k + k]), std::bit_cast<double>(b[column * p.k + k]), total);
        d[at] = std::bit_cast<uint64_t>(total);
    });
    std::fesetround(rounding);
    scatter(warp, o.d, p.d, p.indices_d, d);
}

std::int32_t extended(uint32_t bits, const Fragment& f, Type type) {
    const unsigned unused = 32u - f.bits;
    return ptx::is_signed(type) ? static_cast<std::int32_t>(bits << unused) >> unused : static_cast<std::int32_t>(bits);
}

void multiply_integers(const MatrixProduct& p, const Warp& warp, const Operands& o) {
    std::int32_t a[16 * 64], b[32 * 64];
    uint32_t c[max_elements], d[max_elements];
    gather(o.a, p.a, p.indices_a, a);
    gather(o.b, p.b, p.indices_b, b);
    gather(o.c, p.c, p.indices_c, c);
    for (uint32_t n = 0; n < p.a.size(); ++n) a[n] = extended(static_cast<uint32_t>(a[n]), p.a, p.type_a);
    for (uint32_t n = 0; n < p.b.size(); ++n) b[n] = extended(static_cast<uint32_t>(b[n]), p.b, p.type_b);
    each_result(p, [&](uint32_t row, uint32_t column, uint32_t at) {
        std::int32_t products = 0;
        for (uint32_t k = 0; k < p.k; ++k) products += a[row * p.k + k] * b[column * p.k + k];
        using Limits = std::numeric_limits<std::int32_t>;
        std::int64_t total = std::int64_t{static_cast<std::int32_t>(c[at])} + products;
        if (p.saturates) total = std::clamp<std::int64_t>(total, Limits::min(), Limits::max());
        d[at] = static_cast<uint32_t>(total);
    });
    scatter(warp, o.d, p.d, p.indices_d, d);
}

void multiply_bits(const MatrixProduct& p, const Warp& warp, const Operands& o) {
    std::uint8_t a[max_bits], b[max_bits];
    uint32_t c[max_elements], d[max_elements];
    gather(o.a, p.a, p.indices_a, a);
    gather(o.b, p.b, p.indices_b, b);
    gather(o.c, p.c, p.indices_c, c);
    each_result(p, [&](uint32_t row, uint32_t column, uint32_t at) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < p.k; ++k) {
            const auto x = a[row * p.k + k], y = b[column * p.k + k];
            count += p.counts_common ? x & y : x ^ y;
        }
        d[at] = c[at] + count;
    });
    scatter(warp, o.d, p.d, p.indices_d, d);
}

}  // namespace

std::vector<uint16_t> indices_of(const Fragment& f, bool by_columns) {
    std::vector<uint16_t> indices;
    for (uint32_t r = 0; r < f.registers; ++r)
        for (uint32_t e = 0; e < f.elements(); ++e)
            for (uint32_t lane = 0; lane < warp_size; ++lane) {
                const Place p = place_of(f, lane, r, e);
                indices.push_back(
                    static_cast<uint16_t>(by_columns ? p.column * f.rows + p.row : p.row * f.columns + p.column));
            }
    return indices;
}

void run_matrix_product(Warp& warp, const Insn& insn) {
    const MatrixProduct& p = warp.block->grid.kernel.products[insn.product];
    const uint32_t inputs = p.a.registers + p.b.registers + p.c.registers;
    const Insn* const carriers = &insn - (inputs + 5u) / 6u;
    const Operands o{{warp, carriers, 0},
                     {warp, carriers, p.a.registers},
                     {warp, carriers, uint32_t{p.a.registers} + p.b.registers},
                     {warp, &insn + 1, 0}};
    switch (p.type_a) {
        case Type::F64:
            return multiply_doubles(p, warp, o);
        case Type::B1:
            return multiply_bits(p, warp, o);
        case Type::S4:
        case Type::U4:
        case Type::S8:
        case Type::U8:
            return multiply_integers(p, warp, o);
        default:
            return p.quads ? multiply_quads(p, warp, o) : multiply_floats(p, warp, o);
    }
}

}  // namespace cpu::exec
