#pragma once

#include <cstdint>

#include "ptx/types.hpp"

/// Sums of products as the tensor cores of an H100 compute them: products are exact; they and the accumulator are
/// shifted to the largest exponent among them, truncated after a fixed number of bits, and added exactly.
namespace cpu::exec::tensor_sum {

/// The maximum number of products in one sum.
inline constexpr unsigned max_products = 32;

/// A finite number is significand × 2^(exponent - fraction bits of its type). Zero has `no_exponent`.
struct Number {
    std::int32_t significand = 0;
    std::int32_t exponent = 0;
    bool finite = true;
};
inline constexpr std::int32_t no_exponent = -(1 << 20);

/// Decodes f16, bf16, tf32 (as the bits of an f32) and f32.
Number decode(ptx::Type type, std::uint32_t bits);

/// Rows and columns, decoded for loops over K.
struct Factors {
    const std::int32_t* significands;
    const std::int32_t* exponents;
};

/// a[0] b[0] + ... + c as bits of the type `to`, f32 or f16. All inputs must be finite. `type` is that of a and b. A
/// sum in f32 is truncated, one in f16 rounded to nearest; zero is positive.
std::uint32_t sum(ptx::Type type, Factors a, Factors b, unsigned count, ptx::Type type_c, Number c, ptx::Type to);

/// The same if an input is not finite.
std::uint32_t sum_of_infinities(ptx::Type type, const std::uint32_t* a, const std::uint32_t* b, unsigned count,
                                ptx::Type type_c, std::uint32_t c, ptx::Type to);

/// Round to nearest.
std::uint32_t f16_of_f32(std::uint32_t bits);
/// The value, for any of the types.
float value_of(ptx::Type type, std::uint32_t bits);

}  // namespace cpu::exec::tensor_sum
