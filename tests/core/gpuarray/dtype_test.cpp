#include "pycuda/gpuarray/dtype.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/operation.hpp"

namespace pycuda::gpuarray::test {
namespace {

TEST(DType, KnowsItsRow) {
    EXPECT_STREQ(info(DType::UInt32).c_name, "unsigned");
    EXPECT_EQ(info(DType::Complex128).size, 16);
    EXPECT_STREQ(name_of(DType::BFloat16), "bfloat16");
    EXPECT_EQ(dtype_of_code('q'), DType::Int64);
    EXPECT_THROW(dtype_of_code('Z'), std::invalid_argument);
    EXPECT_THROW(info(DType::Opaque), std::invalid_argument);
    for (int k = 0; k < dtype_count; ++k)
        EXPECT_EQ(dtype_of_code(info(static_cast<DType>(k)).code), static_cast<DType>(k));
}

TEST(DType, PromotesAsNumPyDoes) {
    EXPECT_EQ(promote(DType::Int8, DType::UInt8), DType::Int16);
    EXPECT_EQ(promote(DType::Int64, DType::UInt64), DType::Float64);
    EXPECT_EQ(promote(DType::Int16, DType::Float16), DType::Float32);
    EXPECT_EQ(promote(DType::Int32, DType::Complex64), DType::Complex128);
    EXPECT_EQ(promote(DType::Float16, DType::BFloat16), DType::Float32);
    for (int a = 0; a < dtype_count; ++a)
        for (int b = 0; b < dtype_count; ++b) {
            const auto x = static_cast<DType>(a), y = static_cast<DType>(b);
            EXPECT_EQ(promote(x, y), promote(y, x)) << a << ' ' << b;
            EXPECT_GE(info(promote(x, y)).size, std::max(info(x).size, info(y).size));
        }
}

TEST(DType, WeakScalarsCountByKind) {
    const auto with = [](const Scalar& scalar, DType array) { return scalar.result_type(array); };
    EXPECT_EQ(with(Scalar::weak(std::int64_t{1}), DType::Int8), DType::Int8);
    EXPECT_EQ(with(Scalar::weak(std::int64_t{1}), DType::Bool), DType::Int64);
    EXPECT_EQ(with(Scalar::weak(2.0), DType::Float16), DType::Float16);
    EXPECT_EQ(with(Scalar::weak(2.0), DType::Int8), DType::Float64);
    EXPECT_EQ(with(Scalar::weak(std::complex<double>(1)), DType::Float32), DType::Complex64);
    EXPECT_EQ(with(Scalar::weak(std::complex<double>(1)), DType::Int32), DType::Complex128);
    const double two = 2;
    EXPECT_EQ(with(Scalar::typed(DType::Float64, &two), DType::Float32), DType::Float64);
}

TEST(DType, ScalarsKnowTheirRange) {
    EXPECT_TRUE(Scalar::weak(std::int64_t{255}).fits(DType::UInt8));
    EXPECT_FALSE(Scalar::weak(std::int64_t{256}).fits(DType::UInt8));
    EXPECT_FALSE(Scalar::weak(std::int64_t{-1}).fits(DType::UInt64));
    EXPECT_TRUE(Scalar::weak(std::int64_t{-128}).fits(DType::Int8));
    EXPECT_FALSE(Scalar::weak(std::int64_t{128}).fits(DType::Int8));
    EXPECT_TRUE(Scalar::weak_unsigned(1ull << 63).fits(DType::UInt64));
    EXPECT_FALSE(Scalar::weak_unsigned(1ull << 63).fits(DType::Int64));
    EXPECT_TRUE(Scalar::weak(1e300).fits(DType::Float32));
}

TEST(DType, StoresScalarsAsCConverts) {
    float f = 0;
    Scalar::weak(std::int64_t{3}).store(DType::Float32, &f);
    EXPECT_EQ(f, 3.0f);
    std::uint8_t byte = 0;
    Scalar::weak(std::int64_t{-1}).store(DType::UInt8, &byte);
    EXPECT_EQ(byte, 255);
    std::uint64_t wide = 0;
    Scalar::weak_unsigned(~0ull).store(DType::UInt64, &wide);
    EXPECT_EQ(wide, ~0ull);
    double real = 0;
    Scalar::weak(std::complex<double>(1.5, 2)).store(DType::Float64, &real);
    EXPECT_EQ(real, 1.5);
    Scalar::weak_unsigned(1ull << 63).store(DType::Float64, &real);
    EXPECT_EQ(real, 9223372036854775808.0);
    std::int32_t whole = 0;
    Scalar::weak(-7.9).store(DType::Int32, &whole);
    EXPECT_EQ(whole, -7);
}

TEST(DType, RoundsToHalfAsTheHardwareDoes) {
    // Every half is itself, and the middle between neighbours goes to the even one.
    for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
        const double here = float16_value(static_cast<std::uint16_t>(bits));
        ASSERT_EQ(float16_bits(here), bits);
        if (bits + 1 == 0x7c00) continue;
        const double next = float16_value(static_cast<std::uint16_t>(bits + 1));
        ASSERT_EQ(float16_bits((here + next) / 2), bits + (bits & 1)) << bits;
    }
    EXPECT_EQ(float16_bits(65520.0), 0x7c00);
    EXPECT_EQ(float16_bits(-1e-30), 0x8000);
    EXPECT_EQ(float16_bits(1.0 / 0.0), 0x7c00);
    EXPECT_TRUE(std::isnan(float16_value(float16_bits(std::nan("")))));
    EXPECT_EQ(bfloat16_value(bfloat16_bits(1.0 + 1.0 / 256)), 1.0);
    EXPECT_EQ(bfloat16_value(bfloat16_bits(3e38)), bfloat16_value(0x7f62));
}

TEST(Operation, HasASignature) {
    const OperandType f32{DType::Float32}, i32{DType::Int32}, u8{DType::UInt8}, c64{DType::Complex64};
    const auto of = [](Op op, std::initializer_list<OperandType> types) {
        return signature(op, {types.begin(), types.size()});
    };
    EXPECT_EQ(of(Op::lt, {f32, i32}).compute, DType::Float64);
    EXPECT_EQ(of(Op::lt, {f32, i32}).result, DType::Bool);
    EXPECT_EQ(of(Op::div, {i32, u8}).result, DType::Int32);
    EXPECT_EQ(of(Op::sin, {u8}).result, DType::Float16);
    EXPECT_EQ(of(Op::abs, {c64}).result, DType::Float32);
    EXPECT_EQ(of(Op::where, {c64, i32, u8}).result, DType::Int32);
    EXPECT_EQ(of(Op::add, {{DType::Float64, true}, f32}).result, DType::Float32);
    EXPECT_EQ(of(Op::ldexp, {f32, i32}).result, DType::Float32);
    EXPECT_THROW(of(Op::invert, {f32}), ArgumentTypeError);
    EXPECT_THROW(of(Op::if_positive, {c64, f32, f32}), ArgumentTypeError);
    EXPECT_THROW(of(Op::add, {{DType::Opaque}, f32}), ArgumentTypeError);
    EXPECT_THROW(of(Op::add, {f32}), std::invalid_argument);
    EXPECT_EQ(op_of_name("floor_div"), Op::floor_div);
    EXPECT_THROW(op_of_name("frobnicate"), std::invalid_argument);
}

}  // namespace
}  // namespace pycuda::gpuarray::test
