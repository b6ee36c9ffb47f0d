#include "pycuda/gpuarray/composed/rearranging.hpp"

#include <array>
#include <initializer_list>
#include <numeric>
#include <span>

#include "gpuarray/arrays.hpp"
#include "pycuda/gpuarray/composed/indexing.hpp"
#include "pycuda/gpuarray/composed/sets.hpp"
#include "pycuda/memory/memcpy.hpp"

namespace pycuda::gpuarray::test {
namespace {

using Values = std::vector<std::int32_t>;

class RearrangingTest : public ArrayTest {
protected:
    /// An array of the engine, with these elements in C order.
    static gpuarray::Array made(const Values& values, const Shape& shape) {
        gpuarray::Array array = gpuarray::Array::empty(DType::Int32, Layout(shape, 4), nullptr);
        if (!values.empty()) memcpy_htod(array.address(), values.data(), values.size() * 4);
        return array;
    }
    static gpuarray::Array made(const Values& values) {
        return made(values, {static_cast<std::int64_t>(values.size())});
    }
    /// With its axes reversed.
    static gpuarray::Array turned(const gpuarray::Array& array) { return array.view(views::transpose(array.layout())); }
    /// The elements in C order.
    template <class T = std::int32_t>
    static std::vector<T> of(const gpuarray::Array& array) {
        const gpuarray::Array packed = converted(array, array.dtype(), Order::C, nullptr);
        std::vector<T> values(static_cast<std::size_t>(array.layout().size()));
        if (!values.empty()) memcpy_dtoh(values.data(), values.size() * sizeof(T), packed.address());
        return values;
    }
};

TEST_F(RearrangingTest, TakesFromArraysWithGapsIntoThemselvesAndFromBeyondTheirEnds) {
    const auto grid = turned(made({0, 1, 2, 3, 4, 5}, {2, 3}));
    EXPECT_EQ(of(take(grid, made({1, -1, 99}), nullptr)), (Values{3, 5, 5}));
    const auto row = made({10, 11, 12, 13});
    take_into(row, row, made({3, 2, 1, 0}), nullptr);
    EXPECT_EQ(of(row), (Values{13, 12, 11, 10}));
    put_into(grid, made({1, -2}), made({-1, -2}), nullptr);
    EXPECT_EQ(of(grid), (Values{0, -1, 1, 4, -2, 5}));
    EXPECT_THROW(take_into(row, row, made({1}), nullptr), std::invalid_argument);
}

TEST_F(RearrangingTest, ReadsIndicesWithArraysAmongTheirParts) {
    const auto grid = made({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {3, 4});
    constexpr long long all[] = {1, 0, 0, 0, 1}, indices[] = {4, 0, 0, 0, 1}, mask[] = {5, 0, 0, 0, 1};
    const auto parts = [&](std::initializer_list<std::span<const long long>> given, const gpuarray::Array& array) {
        std::vector<long long> numbers;
        for (const auto part : given) numbers.insert(numbers.end(), part.begin(), part.end());
        return gather_parts(numbers, {&array, 1});
    };
    const auto wanted = made({-1, 0});
    EXPECT_EQ(of(elements_at(grid, parts({indices, all}, wanted), nullptr)), (Values{8, 9, 10, 11, 0, 1, 2, 3}));
    EXPECT_EQ(of(elements_at(turned(grid), parts({all, indices}, wanted), nullptr)),
              of(turned(grid.view(
                  views::View{Layout(std::array<std::int64_t, 2>{2, 4}, std::array<std::int64_t, 2>{-32, 4}, 4), 32},
                  DType::Int32))));
    EXPECT_EQ(of(elements_at(grid, parts({mask, all}, made({0, 1, 0})), nullptr)), (Values{4, 5, 6, 7}));
    put_at(grid, parts({all, mask}, made({0, 0, 1, 1})), made({-1, -2}), nullptr);
    EXPECT_EQ(of(grid), (Values{0, 1, -1, -2, 4, 5, -1, -2, 8, 9, -1, -2}));
    EXPECT_THROW(elements_at(grid, parts({mask, all}, made({0, 1})), nullptr), std::out_of_range);
    EXPECT_THROW(elements_at(grid, parts({all, all, indices}, wanted), nullptr), std::out_of_range);
    EXPECT_THROW(put_at(grid, parts({all, indices}, wanted), made({1, 2, 3}), nullptr), std::invalid_argument);
}

TEST_F(RearrangingTest, SelectsByMasksOfAnyLayout) {
    const auto grid = made({0, 5, 0, 7, 9, 0}, {2, 3});
    EXPECT_EQ(count_nonzero(grid, nullptr), 3);
    EXPECT_EQ(of<std::int64_t>(flatnonzero(grid, nullptr)), (std::vector<std::int64_t>{1, 3, 4}));
    EXPECT_EQ(of(selected(turned(grid), turned(grid), nullptr)), (Values{7, 5, 9}));
    assign_selected(turned(grid), turned(grid), made({1, 2, 3}), nullptr);  // the mask is what is written
    EXPECT_EQ(of(grid), (Values{0, 2, 0, 1, 3, 0}));
    assign_selected(grid, grid, made({8}), nullptr);
    EXPECT_EQ(of(grid), (Values{0, 8, 0, 8, 8, 0}));
    EXPECT_THROW(assign_selected(grid, grid, made({1, 2}), nullptr), std::invalid_argument);
    EXPECT_THROW(selected(grid, made({1}), nullptr), std::invalid_argument);
    EXPECT_EQ(selected(made({}), made({}), nullptr).layout().size(), 0);
}

TEST_F(RearrangingTest, SortsAlongEveryAxis) {
    const auto grid = made({3, 1, 2, 9, 7, 8}, {2, 3});
    EXPECT_EQ(of(sorted(grid, -1, nullptr)), (Values{1, 2, 3, 7, 8, 9}));
    EXPECT_EQ(of(sorted(turned(grid), 0, nullptr)), (Values{1, 7, 2, 8, 3, 9}));
    EXPECT_EQ(of<std::int64_t>(argsort(grid, 1, nullptr)), (std::vector<std::int64_t>{1, 2, 0, 1, 2, 0}));
    EXPECT_EQ(of(unique(made({5, 1, 5, 1}), nullptr)), (Values{1, 5}));
    EXPECT_EQ(of(scanned(Scan::sum, ScanKind::Inclusive, grid, 0, nullptr)), (Values{3, 1, 2, 12, 8, 10}));
    EXPECT_THROW(sorted(grid, 2, nullptr), std::out_of_range);
}

TEST_F(RearrangingTest, MultipliesMatricesAndVectors) {
    Values numbers(6);
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto a = made(numbers, {2, 3}), v = made({1, 0, 2});
    EXPECT_EQ(of(matmul(a, turned(a), nullptr)), (Values{5, 14, 14, 50}));
    EXPECT_EQ(of(matmul(a, v, nullptr)), (Values{4, 13}));
    EXPECT_EQ(matmul(v, v, nullptr).layout().ndim(), 0);
    const auto square = made({1, 2, 3, 4}, {2, 2});
    matmul_into(square, square, square, nullptr);
    EXPECT_EQ(of(square), (Values{7, 10, 15, 22}));
    EXPECT_THROW(matmul(a, a, nullptr), std::invalid_argument);
    EXPECT_THROW(matmul_into(square, a, v, nullptr), std::invalid_argument);
}

TEST_F(RearrangingTest, ResultsComeFromTheAllocatorOfTheFirstArray) {
    struct Counting : ArrayAllocator {
        std::size_t bytes = 0;
        std::shared_ptr<DeviceMemory> allocate(std::size_t nbytes, CUstream) override {
            bytes += nbytes;
            return std::make_shared<DeviceAllocation>(nbytes);
        }
    };
    const auto counting = std::make_shared<Counting>();
    const std::int64_t shape[] = {4};
    const auto a = gpuarray::Array::empty(DType::Int32, Layout(shape, 4), nullptr, counting);
    fill(a, Scalar::weak(std::int64_t{3}), nullptr);
    const Operand operands[] = {&a, Scalar::weak(std::int64_t{1})};
    EXPECT_EQ(of(*gpuarray::apply(Op::add, operands, ResultType::Usual, nullptr)), (Values{4, 4, 4, 4}));
    EXPECT_EQ(counting->bytes, 48u);  // with the copy that `of` makes
    EXPECT_EQ(take(a, made({0}), nullptr).allocator(), counting);
    EXPECT_EQ(sorted(a, 0, nullptr).allocator(), counting);
}

}  // namespace
}  // namespace pycuda::gpuarray::test
