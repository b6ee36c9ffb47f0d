#include "pycuda/gpuarray/plan.hpp"

#include <gtest/gtest.h>

#include "pycuda/errors/error.hpp"

namespace pycuda::gpuarray::test {
namespace {

using Numbers = std::vector<std::int64_t>;

/// An operand of a plan, which has no address.
struct Of {
    Of(DType type, const Numbers& shape, bool fortran = false)
        : layout(shape, type == DType::Opaque ? 12 : info(type).size, fortran), dtype(type) {}
    operator Input() const { return ArrayRef{0, &layout, dtype}; }
    Layout layout;
    DType dtype;
};

DType type_of(Op op, std::initializer_list<Input> operands, ResultType type) {
    return plan(op, {operands.begin(), operands.size()}, type).result;
}

TEST(PlanTest, TheResultsTypeFollowsTheRuleThatIsAskedFor) {
    const Of i4(DType::Int32, {3}), f4(DType::Float32, {3}), b(DType::Bool, {3}), u1(DType::UInt8, {3});
    const Input half = Scalar::weak(0.5), two = Scalar::weak(std::int64_t{2});
    EXPECT_EQ(type_of(Op::add, {i4, f4}, ResultType::Usual), DType::Float64);
    EXPECT_EQ(type_of(Op::add, {i4, f4}, ResultType::First), DType::Int32);
    EXPECT_EQ(type_of(Op::add, {i4, half}, ResultType::Arrays), DType::Int32);
    EXPECT_EQ(type_of(Op::lt, {i4, f4}, ResultType::Usual), DType::Bool);
    EXPECT_EQ(type_of(Op::lt, {i4, f4}, ResultType::Arrays), DType::Float64);
    EXPECT_EQ(type_of(Op::lt, {i4, half}, ResultType::Arrays), DType::Int32);
    EXPECT_EQ(type_of(Op::lt, {half, i4}, ResultType::Arrays), DType::Int32);
    EXPECT_EQ(type_of(Op::sin, {i4}, ResultType::Usual), DType::Float64);
    EXPECT_EQ(type_of(Op::sin, {i4}, ResultType::Arrays), DType::Int32);
    EXPECT_EQ(type_of(Op::hypot, {i4, half}, ResultType::Common), DType::Float64);
    EXPECT_EQ(type_of(Op::hypot, {i4, two}, ResultType::Common), DType::Int32);
    EXPECT_EQ(type_of(Op::sin, {f4}, DType::Float16), DType::Float16);
    EXPECT_EQ(type_of(Op::floor_div, {b, b}, ResultType::Usual), DType::Int8);
    EXPECT_THROW(type_of(Op::sub, {b, b}, ResultType::Usual), ArgumentTypeError);
    EXPECT_THROW(type_of(Op::bit_and, {f4, i4}, ResultType::Usual), ArgumentTypeError);
    EXPECT_THROW(type_of(Op::add, {u1, Scalar::weak(std::int64_t{300})}, ResultType::Usual), OutOfBounds);
}

TEST(PlanTest, TheResultIsLikeTheFirstOperandOfItsShape) {
    const Of row(DType::Float32, {4}), grid(DType::Float32, {3, 4}, true);
    const Input inputs[] = {row, grid};
    const Plan made = plan(Op::add, inputs, ResultType::Usual);
    EXPECT_EQ(made.like, 1);
    EXPECT_TRUE(made.layout.is_f_contiguous());
    const Of column(DType::Float32, {3, 1});
    const Input outer[] = {row, column};
    EXPECT_EQ(plan(Op::add, outer, ResultType::Usual).like, -1);
    const Of other(DType::Float32, {5});
    const Input unequal[] = {row, other};
    EXPECT_THROW(plan(Op::add, unequal, ResultType::Usual), std::invalid_argument);
}

TEST(PlanTest, AGivenResultMustFit) {
    const Of a(DType::Int32, {3, 4});
    const Input inputs[] = {a, Scalar::weak(0.5)};
    const Plan made = plan(Op::add, inputs, ResultType::Usual);
    made.check_out(a.layout, DType::Float64, Casting::No);
    made.check_out(a.layout, DType::Int32, Casting::Unsafe);
    EXPECT_THROW(made.check_out(a.layout, DType::Int32, Casting::No), ArgumentTypeError);
    EXPECT_THROW(made.check_out(a.layout, DType::Opaque, Casting::Unsafe), ArgumentTypeError);
    EXPECT_THROW(made.check_out(Layout(Numbers{4}, 8), DType::Float64, Casting::No), std::invalid_argument);
    const Layout everywhere = Layout(Numbers{1, 4}, 8).broadcast_to(Numbers{3, 4});
    EXPECT_THROW(made.check_out(everywhere, DType::Float64, Casting::No), std::invalid_argument);
}

TEST(PlanTest, ChoicesMoveStructures) {
    const Of condition(DType::Bool, {3}), structures(DType::Opaque, {3});
    const Input inputs[] = {condition, structures, structures};
    const Plan made = plan(Op::where, inputs, ResultType::Usual);
    EXPECT_EQ(made.result, DType::Opaque);
    EXPECT_EQ(made.layout.itemsize(), 12);
    const Input mixed[] = {condition, structures, Scalar::weak(1.0)};
    EXPECT_THROW(plan(Op::where, mixed, ResultType::Usual), ArgumentTypeError);
    const Input sum[] = {structures, structures};
    EXPECT_THROW(plan(Op::add, sum, ResultType::Usual), ArgumentTypeError);
}

}  // namespace
}  // namespace pycuda::gpuarray::test
