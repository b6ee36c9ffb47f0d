#include "pycuda/gpuarray/elementwise.hpp"

#include <cmath>
#include <numeric>

#include "arrays.hpp"

namespace pycuda::gpuarray::test {
namespace {

using pycuda::test::message_of;

class ElementwiseTest : public ArrayTest {};

TEST_F(ElementwiseTest, AddsDenseArraysOfEverySize) {
    for (const std::size_t n : {1, 3, 127, 128, 129, 511, 512, 513, 1024, 5000}) {
        const auto x = counting<float>(n), y = counting<float>(n, 100);
        const auto sum = apply<float>(Op::add, {static_cast<std::int64_t>(n)}, Array(x), Array(y));
        for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(sum[k], x[k] + y[k]) << n << ' ' << k;
    }
}

TEST_F(ElementwiseTest, SmallElementsGoInPacksAndAtAnyAddress) {
    const std::size_t n = 5001;
    std::vector<std::uint8_t> x(n), y(n);
    for (std::size_t k = 0; k < n; ++k) x[k] = static_cast<std::uint8_t>(k * 7), y[k] = static_cast<std::uint8_t>(k);
    const Array a(x), b(y), out(std::vector<std::uint8_t>(n, 255));
    for (const std::uint64_t skip : {0, 1, 2, 3}) {
        const Layout layout(Shape{static_cast<std::int64_t>(n - 3)}, 1);
        const Input in[] = {ArrayRef{a.memory.pointer() + skip, &layout, DType::UInt8},
                            ArrayRef{b.memory.pointer(), &layout, DType::UInt8}};
        elementwise(*kernels, Op::add, {out.memory.pointer(), &layout, DType::UInt8}, in, nullptr);
        const auto sum = out.values();
        for (std::size_t k = 0; k < n - 3; ++k)
            ASSERT_EQ(sum[k], static_cast<std::uint8_t>(x[k + skip] + y[k])) << skip << ' ' << k;
        EXPECT_EQ(sum[n - 1], 255);
    }
}

TEST_F(ElementwiseTest, EmptyArraysLaunchNothing) {
    const Array<float> none(std::vector<float>{}, Shape{0, 3});
    EXPECT_TRUE(apply<float>(Op::add, {0, 3}, none, none).empty());
}

TEST_F(ElementwiseTest, ScalarsGoByValueAndSingleElementsByAddress) {
    const auto x = counting<float>(1000);
    const Array<float> single({3.0f}, Shape{});
    const auto product = apply<float>(Op::mul, {1000}, Array(x), Scalar::weak(2.5));
    const auto sum = apply<float>(Op::add, {1000}, single, Array(x));
    for (std::size_t k = 0; k < x.size(); ++k) {
        ASSERT_EQ(product[k], 2.5f * x[k]);
        ASSERT_EQ(sum[k], 3.0f + x[k]);
    }
    EXPECT_EQ(apply<float>(Op::sub, {}, single, Scalar::weak(std::int64_t{1})), std::vector<float>{2});
    EXPECT_EQ(apply<float>(Op::copy, {4}, Scalar::weak(7.5)), std::vector<float>(4, 7.5f));
}

TEST_F(ElementwiseTest, BroadcastsRowsAndColumns) {
    for (const std::int64_t width : {5, 700}) {
        const std::int64_t height = 6;
        const auto matrix = counting<double>(static_cast<std::size_t>(height * width));
        const auto row = counting<double>(static_cast<std::size_t>(width), 0.5);
        const auto column = counting<double>(static_cast<std::size_t>(height), 1000);
        const Array m(matrix, {height, width}), r(row, {width}), c(column, {height, 1});
        const auto by_row = apply<double>(Op::add, {height, width}, m, r);
        const auto by_column = apply<double>(Op::add, {height, width}, c, m);
        const auto outer = apply<double>(Op::sub, {height, width}, r, c);
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; ++x) {
                const auto at = static_cast<std::size_t>(y * width + x);
                const double ours = matrix[at], rs = row[static_cast<std::size_t>(x)],
                             cs = column[static_cast<std::size_t>(y)];
                ASSERT_EQ(by_row[at], ours + rs) << y << ' ' << x;
                ASSERT_EQ(by_column[at], ours + cs);
                ASSERT_EQ(outer[at], rs - cs);
            }
    }
}

TEST_F(ElementwiseTest, CombinesCOrderWithFortranOrder) {
    const std::int64_t h = 37, w = 41;
    const auto values = counting<float>(static_cast<std::size_t>(h * w));
    const Array c(values, {h, w}), f(values, Layout(Shape{h, w}, 4, true));
    const auto sum = apply<float>(Op::add, {h, w}, c, f);
    for (std::int64_t y = 0; y < h; ++y)
        for (std::int64_t x = 0; x < w; ++x)
            ASSERT_EQ(sum[static_cast<std::size_t>(y * w + x)], static_cast<float>((y * w + x) + (x * h + y)));
}

TEST_F(ElementwiseTest, WalksNegativeStridesAndGaps) {
    const auto values = counting<std::int32_t>(60);
    const Array a(values);
    const Layout view(Shape{4, 5}, Shape{-12 * 4, 2 * 4}, 4);  // rows from the last, every other column
    const Input in[] = {ArrayRef{a.memory.pointer() + 36 * 4, &view, DType::Int32}, Scalar::weak(std::int64_t{1})};
    const Array<std::int32_t> out(std::vector<std::int32_t>(20), Shape{4, 5});
    elementwise(*kernels, Op::add, out.ref(), in, nullptr);
    const auto got = out.values();
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 5; ++x) ASSERT_EQ(got[static_cast<std::size_t>(5 * y + x)], 36 - 12 * y + 2 * x + 1);
    // Both reversed: one stretch again, and the result lands where it belongs.
    const Layout back(Shape{60}, Shape{-4}, 4);
    const Array<std::int32_t> copy(std::vector<std::int32_t>(60));
    const Input last[] = {ArrayRef{a.memory.pointer() + 59 * 4, &back, DType::Int32}};
    elementwise(*kernels, Op::neg, {copy.memory.pointer() + 59 * 4, &back, DType::Int32}, last, nullptr);
    for (std::size_t k = 0; k < 60; ++k) ASSERT_EQ(copy.values()[k], -static_cast<int>(k));
}

TEST_F(ElementwiseTest, TakesMoreAxesThanAKernelHas) {
    const Shape shape(10, 2);
    Shape strides(10);
    for (std::size_t k = 0; k < 10; ++k) strides[k] = std::int64_t{2} << (2 * (k * 7 % 10));  // nothing joins
    const Layout view(shape, strides, 2);
    const std::size_t span = static_cast<std::size_t>(view.highest()) / 2;
    const Array a(counting<std::int16_t>(span));
    const Array<std::int16_t> out(std::vector<std::int16_t>(1024), shape);
    copy(*kernels, out.ref(), {a.memory.pointer(), &view, DType::Int16}, nullptr);
    const auto got = out.values();
    for (std::size_t flat = 0; flat < 1024; ++flat) {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < 10; ++axis) offset += (flat >> (9 - axis) & 1) ? strides[axis] : 0;
        ASSERT_EQ(got[flat], static_cast<std::int16_t>(offset / 2)) << flat;
    }
}

TEST_F(ElementwiseTest, ComputesInTheCommonTypeAndConvertsToTheResults) {
    const Array<std::int32_t> i({1, -2, 3});
    const Array<float> f({0.5f, 0.25f, 1e9f});
    const Array<std::uint8_t> u({250, 10, 20});
    EXPECT_EQ(result_type(Op::add, {{Input(i), Input(f)}}), DType::Float64);
    EXPECT_EQ(apply<double>(Op::add, {3}, i, f), (std::vector<double>{1.5, -1.75, 1000000003.0}));
    EXPECT_EQ(apply<std::uint8_t>(Op::add, {3}, u, Scalar::weak(std::int64_t{10})),
              (std::vector<std::uint8_t>{4, 20, 30}));
    EXPECT_EQ(apply<float>(Op::lt, {3}, i, Scalar::weak(2.5)), (std::vector<float>{1, 1, 0}));
    EXPECT_EQ(apply<bool>(Op::gt, {3}, u, Scalar::weak(std::int64_t{-1})), (std::vector<bool>{true, true, true}));
    EXPECT_EQ(apply<bool>(Op::lt, {3}, u, Scalar::weak(std::int64_t{300})), (std::vector<bool>{true, true, true}));
    EXPECT_THROW(result_type(Op::add, {{Input(u), Input(Scalar::weak(std::int64_t{300}))}}), std::invalid_argument);
}

TEST_F(ElementwiseTest, DividesIntegersLikeCAndLikePython) {
    const Array<std::int32_t> x({7, -7, 7, -7, 5, INT32_MIN}), y({2, 2, -2, -2, 0, -1});
    EXPECT_EQ(apply<std::int32_t>(Op::div, {6}, x, y), (std::vector<std::int32_t>{3, -3, -3, 3, 0, INT32_MIN}));
    EXPECT_EQ(apply<std::int32_t>(Op::floor_div, {6}, x, y), (std::vector<std::int32_t>{3, -4, -4, 3, 0, INT32_MIN}));
    EXPECT_EQ(apply<std::int32_t>(Op::mod, {6}, x, y), (std::vector<std::int32_t>{1, 1, -1, -1, 0, 0}));
    EXPECT_EQ(apply<std::int32_t>(Op::fmod, {6}, x, y), (std::vector<std::int32_t>{1, -1, 1, -1, 0, 0}));
    EXPECT_EQ(apply<std::int32_t>(Op::pow, {6}, y, Scalar::weak(std::int64_t{3})),
              (std::vector<std::int32_t>{8, 8, -8, -8, 0, -1}));
    const Array<double> p({7.5, -7.5, 7.5}), q({2, 2, -2});
    EXPECT_EQ(apply<double>(Op::floor_div, {3}, p, q), (std::vector<double>{3, -4, -4}));
    EXPECT_EQ(apply<double>(Op::mod, {3}, p, q), (std::vector<double>{1.5, 0.5, -0.5}));
}

TEST_F(ElementwiseTest, ComputesHalfPrecisionInFloat) {
    std::vector<double> values{0.1, -1.5, 65504, 1e-7, 3.14159, 100000, 1.0 / 0.0};
    std::vector<std::int16_t> halves, brains;
    for (const double value : values) {
        halves.push_back(static_cast<std::int16_t>(float16_bits(value)));
        brains.push_back(static_cast<std::int16_t>(bfloat16_bits(value)));
    }
    const Array h(halves), b(brains);
    const auto n = static_cast<std::int64_t>(values.size());
    const Layout doubles(Shape{n}, 8);
    const Array<double> wide(std::vector<double>(values.size()));
    const Input half[] = {ArrayRef{h.memory.pointer(), &h.layout, DType::Float16}};
    const Input brain[] = {ArrayRef{b.memory.pointer(), &b.layout, DType::BFloat16}};
    elementwise(*kernels, Op::copy, wide.ref(), half, nullptr);
    auto got = wide.values();
    for (std::size_t k = 0; k < values.size(); ++k)
        EXPECT_EQ(got[k], float16_value(static_cast<std::uint16_t>(halves[k])));
    elementwise(*kernels, Op::copy, wide.ref(), brain, nullptr);
    got = wide.values();
    for (std::size_t k = 0; k < values.size(); ++k)
        EXPECT_EQ(got[k], bfloat16_value(static_cast<std::uint16_t>(brains[k])));
    // x * 3 is rounded once, from float.
    for (const DType dtype : {DType::Float16, DType::BFloat16}) {
        const Input in[] = {dtype == DType::Float16 ? half[0] : brain[0], Scalar::weak(3.0)};
        EXPECT_EQ(result_type(Op::mul, in), dtype);
        const Array<std::int16_t> out(std::vector<std::int16_t>(values.size()));
        elementwise(*kernels, Op::mul, {out.memory.pointer(), &out.layout, dtype}, in, nullptr);
        const auto bits = out.values();
        for (std::size_t k = 0; k < values.size(); ++k) {
            const bool is_half = dtype == DType::Float16;
            const auto raw = static_cast<std::uint16_t>(is_half ? halves[k] : brains[k]);
            const float product = static_cast<float>(is_half ? float16_value(raw) : bfloat16_value(raw)) * 3.0f;
            EXPECT_EQ(static_cast<std::uint16_t>(bits[k]), is_half ? float16_bits(product) : bfloat16_bits(product))
                << k;
        }
    }
}

TEST_F(ElementwiseTest, ComputesWithComplexNumbers) {
    using C = std::complex<float>;
    const Array<C> z({C(1, 2), C(-3, 0.5f), C(0, 0)});
    const Array<float> x({2, 3, 4});
    EXPECT_EQ(apply<C>(Op::mul, {3}, z, x), (std::vector<C>{C(2, 4), C(-9, 1.5f), C(0, 0)}));
    EXPECT_EQ(apply<float>(Op::imag, {3}, z), (std::vector<float>{2, 0.5f, 0}));
    EXPECT_EQ(apply<C>(Op::conj, {3}, z), (std::vector<C>{C(1, -2), C(-3, -0.5f), C(0, 0)}));
    EXPECT_EQ(result_type(Op::abs, {{Input(z)}}), DType::Float32);
    EXPECT_FLOAT_EQ(apply<float>(Op::abs, {3}, z)[0], std::sqrt(5.0f));
    EXPECT_EQ(apply<bool>(Op::lt, {3}, z, Scalar::weak(0.0)), (std::vector<bool>{false, true, false}));
    EXPECT_EQ(apply<float>(Op::copy, {3}, z), (std::vector<float>{1, -3, 0}));
    EXPECT_EQ(apply<bool>(Op::copy, {3}, z), (std::vector<bool>{true, true, false}));
    EXPECT_EQ(apply<C>(Op::add, {3}, x, Scalar::weak(std::complex<double>(0, 1))),
              (std::vector<C>{C(2, 1), C(3, 1), C(4, 1)}));
}

TEST_F(ElementwiseTest, ChoosesByACondition) {
    const Array<std::int32_t> c({0, 1, -1});
    const Array<float> x({1, 2, 3}), y({10, 20, 30});
    EXPECT_EQ(apply<float>(Op::where, {3}, c, x, y), (std::vector<float>{10, 2, 3}));
    EXPECT_EQ(apply<float>(Op::if_positive, {3}, c, x, y), (std::vector<float>{10, 2, 30}));
    EXPECT_EQ(apply<float>(Op::where, {3}, c, Scalar::weak(0.0), x), (std::vector<float>{1, 0, 0}));
    const Array<std::uint8_t> u({1, 2, 3});
    EXPECT_EQ(apply<std::uint8_t>(Op::where, {3}, Scalar::weak(std::int64_t{1000}), u, u),
              (std::vector<std::uint8_t>{1, 2, 3}));
    EXPECT_EQ(apply<float>(Op::clip, {3}, y, Scalar::weak(15.0), Scalar::weak(25.0)), (std::vector<float>{15, 20, 25}));
    EXPECT_EQ(apply<float>(Op::mul_add, {3}, Scalar::weak(2.0), x, Scalar::weak(0.5), y),
              (std::vector<float>{7, 14, 21}));
}

TEST_F(ElementwiseTest, MinimumKeepsNaNAndFminDrops) {
    const float nan = std::nanf("");
    const Array<float> x({nan, 1, nan, 4}), y({2, nan, nan, 3});
    const auto kept = apply<float>(Op::minimum, {4}, x, y), dropped = apply<float>(Op::fmin, {4}, x, y);
    EXPECT_TRUE(std::isnan(kept[0]) && std::isnan(kept[1]) && std::isnan(kept[2]) && kept[3] == 3);
    EXPECT_TRUE(dropped[0] == 2 && dropped[1] == 1 && std::isnan(dropped[2]) && dropped[3] == 3);
}

TEST_F(ElementwiseTest, FillsRangesAndStructures) {
    EXPECT_EQ(apply<std::int64_t>(Op::arange, {4}, Scalar::weak(std::int64_t{5}), Scalar::weak(std::int64_t{-2})),
              (std::vector<std::int64_t>{5, 3, 1, -1}));
    // Structures of 12 bytes, every other one.
    const Array<std::int32_t> a(counting<std::int32_t>(18));
    const Layout view(Shape{3}, Shape{24}, 12), packed(Shape{3}, 12);
    const Array<std::int32_t> out(std::vector<std::int32_t>(9));
    copy(*kernels, {out.memory.pointer(), &packed, DType::Opaque}, {a.memory.pointer(), &view, DType::Opaque}, nullptr);
    EXPECT_EQ(out.values(), (std::vector<std::int32_t>{0, 1, 2, 6, 7, 8, 12, 13, 14}));
}

TEST_F(ElementwiseTest, WritesInPlace) {
    const Array a(counting<float>(2000));
    const Input in[] = {a, a};
    elementwise(*kernels, Op::add, a.ref(), in, nullptr);
    const auto got = a.values();
    for (std::size_t k = 0; k < got.size(); ++k) ASSERT_EQ(got[k], 2.0f * static_cast<float>(k));
}

TEST_F(ElementwiseTest, RejectsUndefinedOperations) {
    const Array<float> x({1, 2, 3});
    const Array<std::int32_t> two({1, 2});
    EXPECT_EQ(message_of<ArgumentTypeError>([&] { apply<float>(Op::bit_and, {3}, x, x); }),
              "'bit_and' is not defined for float32");
    EXPECT_EQ(message_of<std::invalid_argument>([&] { apply<double>(Op::add, {3}, x, two); }),
              "could not broadcast an array of shape (2,) into shape (3,)");
    const std::vector<Input> five(5, Input(x));
    EXPECT_EQ(message_of<std::invalid_argument>([&] { elementwise(*kernels, Op::mul_add, x.ref(), five, nullptr); }),
              "'mul_add' takes 4 operands, not 5");
    const Layout nothing(Shape{3}, 0);  // structures without members
    EXPECT_NO_THROW(copy(*kernels, {x.memory.pointer(), &nothing, DType::Opaque},
                         {x.memory.pointer(), &nothing, DType::Opaque}, nullptr));
    const Layout odd(Shape{2}, 4);
    const Input in[] = {ArrayRef{x.memory.pointer() + 1, &odd, DType::Float32}};
    EXPECT_EQ(message_of<std::invalid_argument>([&] { elementwise(*kernels, Op::neg, two.ref(), in, nullptr); }),
              "an array of float32 must be aligned to 4 bytes");
}

TEST_F(ElementwiseTest, TheHotPathFindsItsKernelByIndex) {
    const Array a(counting<float>(1024)), b(counting<float>(1024, 5));
    EXPECT_EQ(kernels->dense(Op::add, DType::Float32, Kernels::array_index(DType::Float32)), nullptr);
    const auto expected = apply<float>(Op::add, {1024}, a, b);
    const Kernel* kernel = kernels->dense(Op::add, DType::Float32, Kernels::array_index(DType::Float32));
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->name, "add_f32_f32_dense");
    EXPECT_EQ(kernel->result, DType::Float32);
    const Array<float> out(std::vector<float>(1024));
    PlainCall sum, product;
    sum.a = product.a = a.ref();
    sum.b = b.ref();
    EXPECT_TRUE(sum.find(*kernels, Op::add, ResultType::Usual));
    EXPECT_EQ(sum.kernel, kernel);
    EXPECT_TRUE(sum.launch(*kernels, out.memory.pointer(), nullptr));
    EXPECT_EQ(out.values(), expected);
    EXPECT_FALSE(sum.launch(*kernels, out.memory.pointer() + 2, nullptr)) << "not aligned";
    const auto scaled = apply<float>(Op::mul, {1024}, a, Scalar::weak(2.0));
    kernel = kernels->dense(Op::mul, DType::Float32, Kernels::scalar_index(DType::Float64, true));
    ASSERT_NE(kernel, nullptr);
    const Scalar two = Scalar::weak(2.0);
    product.scalar = &two;
    EXPECT_TRUE(product.find(*kernels, Op::mul, ResultType::Usual));
    EXPECT_EQ(product.kernel, kernel);
    EXPECT_TRUE(product.launch(*kernels, out.memory.pointer(), nullptr));
    EXPECT_EQ(out.values(), scaled);
}

TEST_F(ElementwiseTest, TheHotPathWritesOverOperandsOnlyWhereItReadsThem) {
    const Array a(counting<float>(1024)), b(counting<float>(1024, 5));
    apply<float>(Op::add, {1024}, a, b);
    PlainCall sum;
    sum.a = a.ref();
    sum.b = b.ref();
    ASSERT_TRUE(sum.find(*kernels, Op::add, ResultType::Usual));
    EXPECT_TRUE(sum.fits(a.ref()));
    EXPECT_TRUE(sum.fits(b.ref()));
    ArrayRef behind = b.ref();
    behind.address += sizeof(float);
    EXPECT_FALSE(sum.fits(behind));
    ArrayRef integers = a.ref();
    integers.dtype = DType::Int32;
    EXPECT_FALSE(sum.fits(integers));
    const Layout square(Shape{32, 32}, 4);
    EXPECT_FALSE(sum.fits({a.ref().address, &square, DType::Float32}));
}

TEST_F(ElementwiseTest, KernelsEndWithTheirContext) {
    const Array<float> x({1, 2, 3});
    apply<float>(Op::neg, {3}, x);
    context->detach();
    const Input in[] = {ArrayRef{4096, &x.layout, DType::Float32}};
    const ArrayRef out{4096, &x.layout, DType::Float32};
    EXPECT_THROW(elementwise(*kernels, Op::neg, out, in, nullptr), LogicError);
    EXPECT_THROW(elementwise(*kernels, Op::sin, out, in, nullptr), LogicError);
}

/// Every operation compiles, and runs, for a type of each class that it is defined for, and for doubles.
TEST_F(ElementwiseTest, EveryOperationCompiles) {
    for (int k = 0; k < op_count; ++k) {
        const Op op = static_cast<Op>(k);
        for (const DType dtype :
             {DType::Bool, DType::Int16, DType::UInt32, DType::Float32, DType::Float64, DType::Complex64}) {
            if (!info(op).expression[static_cast<std::size_t>(info(dtype).kind)] || op == Op::arange) continue;
            if (op == Op::if_positive && is_complex(dtype)) continue;
            const DeviceAllocation memory(16 * 8), out(16 * 8);
            memset_d8(memory.pointer(), 1, 16 * 8);
            const Layout layout(Shape{8}, info(dtype).size);
            const std::vector<Input> in(static_cast<std::size_t>(info(op).arity),
                                        Input(ArrayRef{memory.pointer(), &layout, dtype}));
            const DType result = result_type(op, in);
            const Layout given(Shape{8}, info(result).size);
            ASSERT_NO_THROW(elementwise(*kernels, op, {out.pointer(), &given, result}, in, nullptr))
                << info(op).name << ' ' << name_of(dtype);
        }
    }
    Context::synchronize();
}

}  // namespace
}  // namespace pycuda::gpuarray::test
