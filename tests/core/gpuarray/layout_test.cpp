#include "pycuda/gpuarray/layout.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace pycuda::gpuarray::test {
namespace {

using Shape = std::vector<std::int64_t>;

Shape strides_of(const Layout& layout) {
    return {layout.strides().begin(), layout.strides().end()};
}
Shape shape_of(const Layout& layout) {
    return {layout.shape().begin(), layout.shape().end()};
}

TEST(Layout, KnowsItsOrder) {
    const Layout c(Shape{2, 3, 4}, 4), f(Shape{2, 3, 4}, 4, true);
    EXPECT_EQ(strides_of(c), (Shape{48, 16, 4}));
    EXPECT_EQ(strides_of(f), (Shape{4, 8, 24}));
    EXPECT_TRUE(c.is_c_contiguous() && !c.is_f_contiguous() && c.is_dense());
    EXPECT_TRUE(!f.is_c_contiguous() && f.is_f_contiguous() && f.is_dense());
    const Layout permuted(Shape{2, 3, 4}, Shape{16, 32, 4}, 4), gap(Shape{2, 3}, Shape{32, 8}, 4);
    EXPECT_TRUE(permuted.is_dense() && !permuted.is_c_contiguous());
    EXPECT_FALSE(gap.is_dense());
    EXPECT_FALSE(Layout(Shape{4}, Shape{-4}, 4).is_dense());
    const Layout empty(Shape{0, 5}, Shape{1, 1}, 4), point;
    EXPECT_TRUE(empty.is_c_contiguous() && empty.is_f_contiguous());
    EXPECT_EQ(empty.size(), 0);
    EXPECT_EQ(point.size(), 1);
}

TEST(Layout, KnowsItsReach) {
    const Layout layout(Shape{3, 2}, Shape{-16, 4}, 4);
    EXPECT_EQ(layout.lowest(), -32);
    EXPECT_EQ(layout.highest(), 8);
}

TEST(Layout, RejectsOverflows) {
    EXPECT_THROW(Layout(Shape{1ll << 40, 1ll << 30}, 4), std::invalid_argument);
    EXPECT_THROW(Layout(Shape{1ll << 62}, 4), std::invalid_argument);
    EXPECT_THROW(Layout(Shape{3}, Shape{1ll << 62}, 4), std::invalid_argument);
    EXPECT_THROW(Layout(Shape{-1}, 4), std::invalid_argument);
    EXPECT_THROW(Layout(Shape{1, 2}, Shape{4}, 4), std::invalid_argument);
    EXPECT_THROW(Layout(Shape(33, 1), 4), std::invalid_argument);
}

TEST(Layout, Broadcasts) {
    const Layout row(Shape{4}, 8), column(Shape{3, 1}, 8), scalar(Shape{}, 8);
    const Layout* all[] = {&row, &column, &scalar};
    const Layout result = broadcast(all, 4);
    EXPECT_EQ(shape_of(result), (Shape{3, 4}));
    EXPECT_TRUE(result.is_c_contiguous());
    EXPECT_EQ(strides_of(row.broadcast_to(Shape{3, 4})), (Shape{0, 8}));
    EXPECT_EQ(strides_of(column.broadcast_to(Shape{3, 4})), (Shape{8, 0}));
    const Layout five(Shape{5}, 8);
    const Layout* bad[] = {&row, &five};
    try {
        broadcast(bad, 4);
        ADD_FAILURE();
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(), "operands could not be broadcast together with shapes (4,) (5,)");
    }
    EXPECT_THROW(row.broadcast_to(Shape{3}), std::invalid_argument);
    EXPECT_THROW(column.broadcast_to(Shape{3}), std::invalid_argument);
}

TEST(Layout, ResultsFollowTheOrderOfTheirOperands) {
    const Layout f(Shape{3, 4}, 8, true), permuted(Shape{2, 3, 4}, Shape{16, 32, 4}, 4);
    EXPECT_TRUE(f.packed_like(4).is_f_contiguous());
    EXPECT_EQ(strides_of(permuted.packed_like(8)), (Shape{32, 64, 8}));
    const Layout gap(Shape{2, 3}, Shape{80, 16}, 4);
    EXPECT_EQ(strides_of(gap.packed_like(4)), (Shape{12, 4}));
}

TEST(Layout, AxesOfLength1DoNotKeepTheOthersApart) {
    const Layout columns_first(Shape{2, 1, 2}, 4, true), permuted(Shape{2, 1, 3, 1, 4}, Shape{4, 8, 32, 8, 8}, 4);
    EXPECT_TRUE(columns_first.packed_like(4).is_f_contiguous());
    EXPECT_TRUE(permuted.is_dense());
    const Layout packed = permuted.packed_like(4);
    EXPECT_EQ(packed.strides()[0], 4);
    EXPECT_EQ(packed.strides()[4], 8);
    EXPECT_EQ(packed.strides()[2], 32);
}

TEST(Layout, CollapsesToFewAxes) {
    const Layout c(Shape{2, 3, 4}, 4), other(Shape{2, 3, 4}, 8);
    const Layout* both[] = {&c, &other};
    CollapsedLayouts walk = collapse(both);
    EXPECT_EQ(walk.ndim, 1);
    EXPECT_EQ(walk.size, 24);
    EXPECT_EQ(walk.strides[0][0], 4);
    EXPECT_EQ(walk.strides[1][0], 8);

    const Layout f(Shape{2, 3, 4}, 4, true);
    const Layout* mixed[] = {&f, &c, nullptr};
    walk = collapse(mixed);
    EXPECT_EQ(walk.ndim, 3);
    EXPECT_EQ(walk.strides[0][2], 4);  // the result's fastest axis is the last
    EXPECT_EQ(walk.strides[1][2], 48);
    EXPECT_TRUE(walk.is_single(2));

    const Layout back(Shape{2, 3}, Shape{-12, -4}, 4);
    const Layout* turned[] = {&back, &back};
    walk = collapse(turned);
    EXPECT_EQ(walk.ndim, 1);
    EXPECT_EQ(walk.offset[0], -20);
    EXPECT_EQ(walk.strides[0][0], 4);

    const Layout row = Layout(Shape{4}, 4).broadcast_to(Shape{2, 3, 4});
    const Layout* broadcast_row[] = {&c, &row};
    walk = collapse(broadcast_row);
    EXPECT_EQ(walk.ndim, 2);
    EXPECT_EQ(walk.shape[0], 6);
    EXPECT_EQ(walk.strides[1][0], 0);
}

TEST(Layout, SeesOverlaps) {
    const Layout ten(Shape{10}, 4), back(Shape{10}, Shape{-4}, 4), bytes(Shape{10}, 1);
    EXPECT_FALSE(overlaps_destructively(ten, 1000, ten, 1000));  // the very same view
    EXPECT_TRUE(overlaps_destructively(ten, 1004, ten, 1000));
    EXPECT_FALSE(overlaps_destructively(ten, 1040, ten, 1000));
    EXPECT_TRUE(overlaps_destructively(ten, 1000, back, 1036));
    EXPECT_FALSE(overlaps_destructively(ten, 1000, back, 996));
    EXPECT_TRUE(overlaps_destructively(ten, 1000, bytes, 1000));
}

}  // namespace
}  // namespace pycuda::gpuarray::test
