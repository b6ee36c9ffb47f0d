#include "pycuda/gpuarray/views.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace pycuda::gpuarray::test {
namespace {

using Numbers = std::vector<std::int64_t>;
using views::ReadingOrder;

/// The address of each element, in C order of the indices, which a view must preserve.
Numbers offsets(const Layout& layout, std::int64_t offset = 0) {
    Numbers found;
    if (layout.size() == 0) return found;
    Numbers index(layout.shape().size());
    for (std::int64_t n = 0; n < layout.size(); ++n) {
        std::int64_t at = offset;
        for (std::size_t axis = 0; axis < index.size(); ++axis) at += index[axis] * layout.strides()[axis];
        found.push_back(at);
        for (std::size_t axis = index.size(); axis-- > 0 && ++index[axis] == layout.shape()[axis];) index[axis] = 0;
    }
    return found;
}

Numbers lengths_of(const Layout& layout) {
    return {layout.shape().begin(), layout.shape().end()};
}

IndexPart range(std::int64_t start, std::int64_t stop, std::int64_t step) {
    return {IndexPart::Kind::Range, true, true, start, stop, step};
}

/// Views of six by four elements in all kinds of order.
std::vector<Layout> layouts() {
    const Layout packed(Numbers{6, 4}, 4);
    const IndexPart every_second[] = {{}, {IndexPart::Kind::Range, false, false, 0, 0, 2}};
    const IndexPart backwards[] = {{IndexPart::Kind::Range, false, false, 0, 0, -1}};
    return {packed,
            Layout(Numbers{6, 4}, 4, true),
            views::transpose(packed),
            views::index(packed, every_second).layout,
            views::index(packed, backwards).layout,
            Layout(Numbers{1, 4}, 4).broadcast_to(Numbers{6, 4}),
            Layout(Numbers{0, 4}, 4),
            Layout(Numbers{}, 4)};
}

TEST(ViewsTest, ReshapingKeepsTheElementsInOrderOrSaysThatItCannot) {
    for (const Layout& layout : layouts()) {
        const std::int64_t n = layout.size();
        for (const Numbers& shape : {Numbers{-1}, Numbers{n}, Numbers{n, 1}, Numbers{1, -1, 1}, Numbers{2, -1},
                                     Numbers{3, 2, -1}, Numbers{-1, 2}, Numbers{2, 3, 2, -1}}) {
            std::optional<Layout> seen;
            try {
                seen = views::reshape(layout, shape);
            } catch (const std::invalid_argument&) {
                std::int64_t known = 1;
                for (const std::int64_t length : shape) known *= length == -1 ? 1 : length;
                EXPECT_TRUE(known == 0 || n % known != 0) << shape_text(shape) << " of " << shape_text(layout.shape());
                continue;
            }
            if (seen) {
                EXPECT_EQ(offsets(*seen), offsets(layout)) << shape_text(shape);
            }
            if (layout.is_c_contiguous()) {
                EXPECT_TRUE(seen) << shape_text(shape);
            }
        }
    }
}

TEST(ViewsTest, StridedArraysAreReshapedWhereTheirStridesAllowIt) {
    const IndexPart part[] = {range(0, 6, 2)};
    const Layout rows = views::index(Layout(Numbers{6, 4}, 4), part).layout;  // 3 rows with a gap between them
    ASSERT_TRUE(views::reshape(rows, Numbers{3, 2, 2}));
    EXPECT_EQ(offsets(*views::reshape(rows, Numbers{3, 2, 2})), offsets(rows));
    EXPECT_FALSE(views::reshape(rows, Numbers{12}));
}

TEST(ViewsTest, ReshapingInMemoryOrderTakesAnyPackedArrayAsItsMemory) {
    const Layout turned = views::transpose(Layout(Numbers{6, 4}, 4));
    EXPECT_FALSE(views::reshape(turned, Numbers{24}));
    EXPECT_EQ(*views::reshape(turned, Numbers{24}, ReadingOrder::MemoryC), Layout(Numbers{24}, 4));
    EXPECT_EQ(*views::reshape(turned, Numbers{24}, ReadingOrder::Fortran), Layout(Numbers{24}, 4));
    EXPECT_EQ(*views::reshape(turned, Numbers{3, 8}, ReadingOrder::MemoryFortran), Layout(Numbers{3, 8}, 4, true));
}

TEST(ViewsTest, ShapesThatDoNotFitAreRefused) {
    const Layout layout(Numbers{6, 4}, 4), empty(Numbers{0, 4}, 4);
    for (const Numbers& shape : {Numbers{-1, -1}, Numbers{7, -1}, Numbers{25}, Numbers{-2, -12},
                                 Numbers{std::int64_t{1} << 40, std::int64_t{1} << 40}, Numbers{0, -1}})
        EXPECT_THROW(views::reshape(layout, shape), std::invalid_argument) << shape_text(shape);
    EXPECT_THROW(views::reshape(empty, Numbers{0, -1}), std::invalid_argument);
    EXPECT_EQ(lengths_of(*views::reshape(empty, Numbers{2, -1})), (Numbers{2, 0}));
}

TEST(ViewsTest, RangesAreCutToTheAxis) {
    const Layout layout(Numbers{5}, 4);
    const auto seen = [&](const IndexPart& part) {
        const views::View view = views::index(layout, {&part, 1});
        return offsets(view.layout, view.offset);
    };
    EXPECT_EQ(seen(range(1, 100, 2)), (Numbers{4, 12}));
    EXPECT_EQ(seen(range(-100, -1, 3)), (Numbers{0, 12}));
    EXPECT_EQ(seen(range(100, -100, -2)), (Numbers{16, 8, 0}));
    EXPECT_EQ(seen(range(3, 1, 1)), Numbers{});
    EXPECT_EQ(seen(range(1, 4, INT64_MAX)), Numbers{4});
    EXPECT_EQ(seen(range(3, 0, INT64_MIN)), Numbers{12});
    EXPECT_THROW(seen(range(0, 1, 0)), std::invalid_argument);
}

TEST(ViewsTest, PartsOfAnIndexTakeTheAxesInOrder) {
    using Kind = IndexPart::Kind;
    const Layout layout(Numbers{2, 3, 4}, 4);
    const IndexPart at{Kind::At, false, false, -1, 0, 1}, rest{Kind::Rest}, added{Kind::NewAxis};
    const IndexPart parts[] = {at, added, rest, at};
    const views::View view = views::index(layout, parts);
    EXPECT_EQ(lengths_of(view.layout), (Numbers{1, 3}));
    EXPECT_EQ(view.offset, 4 * (12 + 3));
    EXPECT_THROW(views::index(layout, std::vector(4, at)), std::out_of_range);
    EXPECT_THROW(views::index(layout, std::vector(2, rest)), std::invalid_argument);
    EXPECT_THROW(views::index(layout, std::vector(max_axes, added)), std::invalid_argument);
    const IndexPart beyond{Kind::At, false, false, 2, 0, 1};
    EXPECT_THROW(views::index(layout, {&beyond, 1}), std::out_of_range);
}

TEST(ViewsTest, ViewsOfAnotherSizeDivideTheLastAxis) {
    EXPECT_EQ(lengths_of(views::view_as(Layout(Numbers{6, 4}, 4), 8)), (Numbers{6, 2}));
    EXPECT_THROW(views::view_as(Layout(Numbers{6, 4}, 4, true), 8), std::invalid_argument);
    EXPECT_EQ(lengths_of(views::view_as(Layout(Numbers{6, 4}, 4, true), 4)), (Numbers{6, 4}));
    EXPECT_EQ(lengths_of(views::view_as(Layout(Numbers{6, 1}, 4), 2)), (Numbers{6, 2}));
    EXPECT_EQ(lengths_of(views::view_as(Layout(Numbers{}, 4), 4)), Numbers{});
    EXPECT_THROW(views::view_as(Layout(Numbers{}, 4), 8), std::invalid_argument);
    EXPECT_THROW(views::view_as(Layout(Numbers{6, 3}, 4), 8), std::invalid_argument);
    EXPECT_THROW(views::view_as(Layout(Numbers{3}, Numbers{8}, 4), 2), std::invalid_argument);
}

TEST(ViewsTest, FieldsLieWithinTheirElement) {
    const Layout layout(Numbers{3}, 12);
    const views::View field = views::field(layout, 4, 8);
    EXPECT_EQ(offsets(field.layout, field.offset), (Numbers{4, 16, 28}));
    EXPECT_THROW(views::field(layout, 8, 8), std::invalid_argument);
    EXPECT_THROW(views::field(layout, -1, 4), std::invalid_argument);
}

TEST(ViewsTest, AxesCountFromBothEnds) {
    EXPECT_EQ(views::axis_mask(Numbers{0, -1}, 3), 0b101u);
    EXPECT_THROW(views::axis_mask(Numbers{0, -3}, 3), std::invalid_argument);
    EXPECT_THROW(views::axis_number(3, 3), std::out_of_range);
    EXPECT_THROW(views::axis_number(0, 0), std::out_of_range);
    const Layout layout(Numbers{1, 3, 1}, 4);
    EXPECT_EQ(lengths_of(views::squeeze(layout, views::single_axes(layout))), Numbers{3});
    EXPECT_EQ(lengths_of(views::squeeze(layout, 0b1)), (Numbers{3, 1}));
    EXPECT_THROW(views::squeeze(layout, 0b10), std::invalid_argument);
    EXPECT_EQ(lengths_of(views::transpose(layout, Numbers{1, -1, 0})), (Numbers{3, 1, 1}));
    EXPECT_THROW(views::transpose(layout, Numbers{0, 1}), std::invalid_argument);
    EXPECT_THROW(views::transpose(layout, Numbers{0, 1, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace pycuda::gpuarray::test
