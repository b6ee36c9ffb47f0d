#include "pycuda/gpuarray/gather.hpp"

#include "arrays.hpp"

namespace pycuda::gpuarray::test {
namespace {

class GatherTest : public ArrayTest {};

TEST_F(GatherTest, TakesByIndexOfAnyType) {
    const Array<double> in({10, 11, 12, 13, 14});
    const Array<std::int32_t> signed_indices({4, 0, -1, 2, 99, -99});
    const Array<std::uint64_t> wide_indices({1, 1, 3});
    const Array<double> six(std::vector<double>(6)), three(std::vector<double>(3));
    take(*kernels, six.ref(), in.ref(), signed_indices.ref(), nullptr);
    EXPECT_EQ(six.values(), (std::vector<double>{14, 10, 14, 12, 14, 10}));
    take(*kernels, three.ref(), in.ref(), wide_indices.ref(), nullptr);
    EXPECT_EQ(three.values(), (std::vector<double>{11, 11, 13}));
}

TEST_F(GatherTest, TakesManyAndStructures) {
    const std::size_t n = 3000;
    const auto values = counting(3 * n);
    std::vector<std::int32_t> backwards(n);
    for (std::size_t k = 0; k < n; ++k) backwards[k] = static_cast<std::int32_t>(n - 1 - k);
    const Array in(values), indices(backwards), out(std::vector<std::int32_t>(3 * n));
    const Layout triples(Shape{static_cast<std::int64_t>(n)}, 12);
    take(*kernels, {out.memory.pointer(), &triples, DType::Opaque}, {in.memory.pointer(), &triples, DType::Opaque},
         indices.ref(), nullptr);
    const auto got = out.values();
    for (std::size_t k = 0; k < 3 * n; ++k) ASSERT_EQ(got[k], values[3 * (n - 1 - k / 3) + k % 3]);
}

TEST_F(GatherTest, TakesAlongAnAxis) {
    const Array in(counting(24), Shape{2, 3, 4});
    const Array<std::int64_t> indices({2, -2});
    const Array out(std::vector<std::int32_t>(16), Shape{2, 2, 4}), rows(std::vector<std::int32_t>(24), Shape{2, 3, 4});
    take(*kernels, out.ref(), in.ref(), indices.ref(), 1, nullptr);
    EXPECT_EQ(out.values(), (std::vector<std::int32_t>{8, 9, 10, 11, 4, 5, 6, 7, 20, 21, 22, 23, 16, 17, 18, 19}));
    take(*kernels, rows.ref(), in.ref(), Array<std::int64_t>({1, 0}).ref(), 0, nullptr);
    EXPECT_EQ(rows.values()[0], 12);
    EXPECT_EQ(rows.values()[12], 0);
}

TEST_F(GatherTest, PutsByIndex) {
    const Array out(std::vector<std::int32_t>(6, -1)), values(counting(3));
    put(*kernels, out.ref(), Array<std::int16_t>({4, 0, -1}).ref(), values.ref(), nullptr);
    EXPECT_EQ(out.values(), (std::vector<std::int32_t>{1, -1, -1, -1, 0, 2}));
    take_put(*kernels, out.ref(), Array<std::int32_t>({1, 2}).ref(), values.ref(), Array<std::uint32_t>({0, 1}).ref(),
             1, nullptr);
    EXPECT_EQ(out.values(), (std::vector<std::int32_t>{1, 1, 2, -1, 0, 2}));
}

TEST_F(GatherTest, KeepsTriangles) {
    for (const std::int64_t diagonal : {-2, 0, 1})
        for (const bool upper : {false, true}) {
            const Shape shape{2, 30, 40};
            const Array in(counting(2400), shape), out(std::vector<std::int32_t>(2400, -1), shape);
            triangle(*kernels, out.ref(), in.ref(), diagonal, upper, nullptr);
            std::vector<std::int32_t> expected = counting(2400);
            for (std::int64_t k = 0; k < 2400; ++k) {
                const std::int64_t distance = k % 40 - k / 40 % 30;
                if (upper ? distance < diagonal : distance > diagonal) expected[static_cast<std::size_t>(k)] = 0;
            }
            EXPECT_EQ(out.values(), expected);
        }
}

TEST_F(GatherTest, RejectsMismatches) {
    const Array in(counting(6)), out(counting(2));
    const Array<float> floats({0, 1});
    const Array<std::int32_t> indices({0, 1});
    EXPECT_THROW(take(*kernels, out.ref(), in.ref(), floats.ref(), nullptr), ArgumentTypeError);
    EXPECT_THROW(take(*kernels, in.ref(), out.ref(), indices.ref(), nullptr), std::invalid_argument);
    EXPECT_THROW(take(*kernels, floats.ref(), in.ref(), indices.ref(), nullptr), std::invalid_argument);
    const Layout every_other(Shape{2}, Shape{8}, 4);
    EXPECT_THROW(take(*kernels, out.ref(), {in.memory.pointer(), &every_other, DType::Int32}, indices.ref(), nullptr),
                 std::invalid_argument);
    const Array<std::int32_t> none(std::vector<std::int32_t>{});
    EXPECT_THROW(take(*kernels, out.ref(), none.ref(), indices.ref(), nullptr), std::invalid_argument);
    EXPECT_NO_THROW(take(*kernels, none.ref(), in.ref(), none.ref(), nullptr));
}

}  // namespace
}  // namespace pycuda::gpuarray::test
