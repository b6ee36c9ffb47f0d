#include "arrays.hpp"
#include "pycuda/gpuarray/array.hpp"
#include "pycuda/pools/memory_pool.hpp"

namespace pycuda::gpuarray::test {
namespace {

class ArrayMemoryTest : public ArrayTest {
protected:
    static gpuarray::Array numbers(const std::vector<std::int32_t>& values) {
        const std::int64_t shape[] = {static_cast<std::int64_t>(values.size())};
        gpuarray::Array array = gpuarray::Array::empty(DType::Int32, Layout(shape, 4), nullptr);
        memcpy_htod(array.address(), values.data(), values.size() * 4);
        return array;
    }
    static std::unique_ptr<gpuarray::Array> sum(const gpuarray::Array& a, std::int64_t number) {
        const Operand operands[] = {&a, Scalar::weak(number)};
        return gpuarray::apply(Op::add, operands, ResultType::Usual, nullptr);
    }
    static std::int32_t first(const gpuarray::Array& array) {
        std::int32_t value = 0;
        memcpy_dtoh(&value, sizeof value, array.address());
        return value;
    }
    static std::size_t active() { return DeviceMemoryPool::of_current_context().active_blocks(); }
};

TEST_F(ArrayMemoryTest, WhatIsRetiredServesTheNextArrayAndHasGivenItsMemoryBack) {
    const auto a = numbers({1, 2, 3}), long_one = numbers({1, 2, 3, 4, 5});
    const std::size_t before = active();
    for (std::int64_t i = 0; i < 50; ++i) {
        auto b = sum(a, i), c = sum(long_one, 2 * i);
        EXPECT_EQ(first(*b), 1 + i);
        EXPECT_EQ(first(*c), 1 + 2 * i);
        EXPECT_EQ(b->layout().size(), 3);
        EXPECT_EQ(c->layout().size(), 5);
        EXPECT_EQ(active(), before + 2);
        gpuarray::Array::retire(std::move(b));
        gpuarray::Array::retire(std::move(c));
        EXPECT_EQ(active(), before);
    }
}

TEST_F(ArrayMemoryTest, ViewsOfWhatIsRetiredStayClosed) {
    const auto a = numbers({1, 2, 3});
    auto b = sum(a, 1);
    const gpuarray::Array view = b->view(b->layout());
    gpuarray::Array::retire(std::move(b));
    const auto next = sum(a, 5), after = sum(a, 6);
    EXPECT_THROW(static_cast<void>(view.address()), LogicError);
    EXPECT_EQ(first(*next), 6);
    EXPECT_EQ(first(*after), 7);
}

TEST_F(ArrayMemoryTest, WhatWasClosedOrIsNotThePoolsMayBeRetired) {
    const auto a = numbers({1, 2, 3});
    const std::size_t before = active();
    auto closed = sum(a, 1);
    closed->close();
    gpuarray::Array::retire(std::move(closed));
    gpuarray::Array::retire(
        std::make_unique<gpuarray::Array>(gpuarray::Array::wrap(a.address(), DType::Int32, a.layout())));
    EXPECT_EQ(active(), before);
    EXPECT_EQ(first(*sum(a, 3)), 4);
}

}  // namespace
}  // namespace pycuda::gpuarray::test
