#include "pycuda/gpuarray/reduction.hpp"

#include <cmath>
#include <numeric>

#include "arrays.hpp"

namespace pycuda::gpuarray::test {
namespace {

using pycuda::test::message_of;

class ReductionTest : public ArrayTest {
protected:
    template <class R, class... In>
    std::vector<R> reduced(Reduction op, const Shape& shape, std::uint32_t axes, const In&... inputs) {
        const Layout layout(shape, sizeof(R));
        const Array<R> out(std::vector<R>(static_cast<std::size_t>(layout.size())), layout);
        const ArrayRef in[] = {inputs.ref()...};
        reduce(*kernels, op, out.ref(), in, axes, nullptr);
        return out.values();
    }
};

std::vector<std::int64_t> mixed(std::size_t n) {
    std::vector<std::int64_t> values(n);
    for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<std::int64_t>(k * 2654435761u % 1000) - 300;
    return values;
}

TEST_F(ReductionTest, SumsOfEverySize) {
    for (const std::size_t n : {1, 2, 31, 255, 256, 257, 1024, 5000, 100000}) {
        const auto values = mixed(n);
        const Array a(values);
        EXPECT_EQ(reduced<std::int64_t>(Reduction::sum, {}, all_axes, a)[0],
                  std::accumulate(values.begin(), values.end(), std::int64_t{0}))
            << n;
        EXPECT_EQ(reduced<std::int64_t>(Reduction::min, {}, all_axes, a)[0],
                  *std::min_element(values.begin(), values.end()));
        EXPECT_EQ(reduced<std::int64_t>(Reduction::argmax, {}, all_axes, a)[0],
                  std::max_element(values.begin(), values.end()) - values.begin());
    }
}

/// Every axis or pair of axes of C, Fortran and gapped arrays, in shapes that call for every team.
TEST_F(ReductionTest, SumsAlongAxesOfAnyLayout) {
    for (const Shape& shape :
         {Shape{3, 5, 7}, Shape{2, 3, 2000}, Shape{100, 3, 40}, Shape{1500, 2, 33}, Shape{40, 70, 2}}) {
        const Layout c(shape, 8), f(shape, 8, true);
        const Layout gaps(shape, Shape{-shape[1] * shape[2] * 16, shape[2] * 16, 16}, 8);
        for (const Layout& layout : {c, f, gaps}) {
            const auto values = mixed(static_cast<std::size_t>(2 * c.size()));
            const Array memory(values);
            const std::int64_t start = -layout.lowest();
            const ArrayRef in{memory.memory.pointer() + static_cast<std::uint64_t>(start), &layout, DType::Int64};
            for (const std::uint32_t axes : {1u, 2u, 4u, 3u, 5u, 6u, 7u, 0u}) {
                Shape kept;
                for (std::size_t k = 0; k < 3; ++k)
                    if (!(axes >> k & 1)) kept.push_back(shape[k]);
                std::vector<std::int64_t> expected(static_cast<std::size_t>(Layout(kept, 1).size()));
                for (std::int64_t x = 0; x < shape[0]; ++x)
                    for (std::int64_t y = 0; y < shape[1]; ++y)
                        for (std::int64_t z = 0; z < shape[2]; ++z) {
                            const std::int64_t at[] = {x, y, z};
                            std::int64_t offset = start, flat = 0;
                            for (std::size_t k = 0; k < 3; ++k) {
                                offset += at[k] * layout.strides()[k];
                                if (!(axes >> k & 1)) flat = flat * shape[k] + at[k];
                            }
                            expected[static_cast<std::size_t>(flat)] += values[static_cast<std::size_t>(offset / 8)];
                        }
                const Layout given(kept, 8);
                const Array<std::int64_t> out(std::vector<std::int64_t>(expected.size()), given);
                reduce(*kernels, Reduction::sum, out.ref(), {&in, 1}, axes, nullptr);
                ASSERT_EQ(out.values(), expected) << shape_text(shape) << ' ' << axes;
            }
        }
    }
}

TEST_F(ReductionTest, AccumulatesInTheResultsType) {
    const Array<std::uint8_t> bytes(std::vector<std::uint8_t>(1000, 200));
    EXPECT_EQ(reduced<std::uint8_t>(Reduction::sum, {}, all_axes, bytes)[0], static_cast<std::uint8_t>(200000));
    EXPECT_EQ(reduced<std::int64_t>(Reduction::sum, {}, all_axes, bytes)[0], 200000);
    EXPECT_EQ(reduced<double>(Reduction::mean, {}, all_axes, bytes)[0], 200.0);
    const Array<std::uint8_t> many(std::vector<std::uint8_t>(200000, 200));  // in two stages
    EXPECT_EQ(reduced<double>(Reduction::mean, {}, all_axes, many)[0], 200.0);
    const DType u8[] = {DType::UInt8};
    EXPECT_EQ(result_type(Reduction::sum, u8), DType::UInt8);
    EXPECT_EQ(result_type(Reduction::mean, u8), DType::Float64);
    const DType f16[] = {DType::Float16};
    EXPECT_EQ(result_type(Reduction::mean, f16), DType::Float16);
    EXPECT_EQ(result_type(Reduction::argmin, u8), DType::Int64);
}

TEST_F(ReductionTest, MultipliesAndSums) {
    const Array<float> x({1, 2, 3, 4});
    const Array<double> y({0.5, 0.25, 2, -1});
    EXPECT_EQ(reduced<double>(Reduction::dot, {}, all_axes, x, y)[0], 3.0);
    using C = std::complex<float>;
    const Array<C> z({C(0, 1), C(2, 0), C(0, 0), C(1, 1)});
    EXPECT_EQ(reduced<C>(Reduction::dot, {}, all_axes, z, x)[0], C(8, 5));
    EXPECT_EQ(reduced<C>(Reduction::prod, {}, 1, Array<C>({C(0, 1), C(2, 0)}))[0], C(0, 2));
}

TEST_F(ReductionTest, FindsIndicesAndTruth) {
    const float nan = std::nanf("");
    const Array<float> x({3, 1, 2, 1, 3}), y({3, nan, 0, nan, 9});
    EXPECT_EQ(reduced<std::int64_t>(Reduction::argmin, {}, all_axes, x)[0], 1);
    EXPECT_EQ(reduced<std::int64_t>(Reduction::argmax, {}, all_axes, x)[0], 0);
    EXPECT_EQ(reduced<std::int64_t>(Reduction::argmin, {}, all_axes, y)[0], 1);
    EXPECT_EQ(reduced<std::int64_t>(Reduction::argmax, {}, all_axes, y)[0], 1);
    EXPECT_TRUE(std::isnan(reduced<float>(Reduction::max, {}, all_axes, y)[0]));
    EXPECT_EQ(reduced<float>(Reduction::fmax, {}, all_axes, y)[0], 9);
    EXPECT_EQ(reduced<float>(Reduction::fmin, {}, all_axes, y)[0], 0);
    EXPECT_EQ(reduced<bool>(Reduction::any, {}, all_axes, y), std::vector<bool>{true});
    EXPECT_EQ(reduced<bool>(Reduction::all, {}, all_axes, y), std::vector<bool>{false});
    EXPECT_EQ(reduced<std::int64_t>(Reduction::count_nonzero, {}, all_axes, y)[0], 4);
    // Indices are flat in C order, whatever the layout.
    const Array<float> f({1, 2, 9, 4, 5, 6}, Layout(Shape{2, 3}, 4, true));  // [[1, 9, 5], [2, 4, 6]]
    EXPECT_EQ(reduced<std::int64_t>(Reduction::argmax, {}, all_axes, f)[0], 1);
    EXPECT_EQ(reduced<std::int64_t>(Reduction::argmax, {3}, 1, f), (std::vector<std::int64_t>{1, 0, 1}));
}

TEST_F(ReductionTest, EmptyGivesTheNeutralElement) {
    const Array<float> none(std::vector<float>{}, Shape{0, 3});
    EXPECT_EQ(reduced<float>(Reduction::sum, {}, all_axes, none)[0], 0);
    EXPECT_EQ(reduced<float>(Reduction::prod, {3}, 1, none), (std::vector<float>{1, 1, 1}));
    EXPECT_EQ(reduced<float>(Reduction::min, {}, all_axes, none)[0], INFINITY);
    EXPECT_EQ(reduced<std::int64_t>(Reduction::argmin, {}, all_axes, none)[0], -1);
    EXPECT_TRUE(reduced<float>(Reduction::sum, {0}, 2, none).empty());
}

TEST_F(ReductionTest, RejectsMismatches) {
    const Array<float> x({1, 2, 3});
    EXPECT_EQ(message_of<std::invalid_argument>([&] { reduced<float>(Reduction::sum, {2}, all_axes, x); }),
              "the result of this reduction has shape (), but the output has shape (2,)");
    const Array<std::complex<float>> z(std::vector<std::complex<float>>(1));
    EXPECT_EQ(message_of<ArgumentTypeError>([&] { reduced<float>(Reduction::min, {}, all_axes, z); }),
              "'min' is not defined for complex64");
    EXPECT_THROW(reduced<float>(Reduction::dot, {}, all_axes, x), std::invalid_argument);
}

TEST_F(ReductionTest, EveryReductionCompiles) {
#define X(name, arity, ...) {Reduction::name, arity},
    const std::pair<Reduction, int> all[] = {
#include "pycuda/gpuarray/reductions.def"
    };
#undef X
    const DeviceAllocation memory(1 << 20), out(64);
    memset_d8(memory.pointer(), 0, 1 << 20);
    for (const auto& [op, arity] : all)
        for (const DType dtype : {DType::Bool, DType::Float16, DType::Int64, DType::Complex64}) {
            const Layout layout(Shape{40000}, info(dtype).size);
            const std::vector<ArrayRef> in(static_cast<std::size_t>(arity), {memory.pointer(), &layout, dtype});
            const std::vector<DType> types(in.size(), dtype);
            DType result;
            try {
                result = result_type(op, types);
            } catch (const ArgumentTypeError&) {
                continue;
            }
            const Layout given(Shape{}, info(result).size);
            ASSERT_NO_THROW(reduce(*kernels, op, {out.pointer(), &given, result}, in, all_axes, nullptr))
                << static_cast<int>(op) << ' ' << name_of(dtype);
        }
    Context::synchronize();
}

}  // namespace
}  // namespace pycuda::gpuarray::test
