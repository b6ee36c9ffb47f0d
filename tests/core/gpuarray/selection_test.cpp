#include "pycuda/gpuarray/selection.hpp"

#include "arrays.hpp"

namespace pycuda::gpuarray::test {
namespace {

class SelectionTest : public ArrayTest {};

TEST_F(SelectionTest, SelectsByMask) {
    const std::size_t n = 10000;
    const auto values = counting(n);
    std::vector<bool> set(n);
    std::vector<std::int32_t> kept;
    std::vector<std::int64_t> indices;
    for (std::size_t k = 0; k < n; ++k)
        if ((set[k] = k * 2654435761u % 5 < 2))
            kept.push_back(values[k]), indices.push_back(static_cast<std::int64_t>(k));
    const Array in(values);
    const Array<bool> mask(set);
    const Array<std::int32_t> out(std::vector<std::int32_t>(kept.size()));
    const Array<std::int64_t> where(std::vector<std::int64_t>(kept.size()));
    compress(*kernels, out.ref(), in.ref(), mask.ref(), nullptr);
    EXPECT_EQ(out.values(), kept);
    nonzero(*kernels, where.ref(), mask.ref(), nullptr);
    EXPECT_EQ(where.values(), indices);
    std::vector<std::int32_t> expected(values);
    for (std::size_t k = 0; k < indices.size(); ++k)
        expected[static_cast<std::size_t>(indices[k])] = -static_cast<int>(k);
    std::vector<std::int32_t> given(kept.size());
    for (std::size_t k = 0; k < given.size(); ++k) given[k] = -static_cast<int>(k);
    expand(*kernels, in.ref(), mask.ref(), Array(given).ref(), nullptr);
    EXPECT_EQ(in.values(), expected);
}

TEST_F(SelectionTest, DoesNotWriteBeyondTheOutput) {
    const Array in(counting(4)), mask(std::vector<std::int32_t>(4, 1)), memory(std::vector<std::int32_t>(4, -1));
    const Layout two(Shape{2}, 4);
    compress(*kernels, {memory.memory.pointer(), &two, DType::Int32}, in.ref(), mask.ref(), nullptr);
    EXPECT_EQ(memory.values(), (std::vector<std::int32_t>{0, 1, -1, -1}));
}

}  // namespace
}  // namespace pycuda::gpuarray::test
