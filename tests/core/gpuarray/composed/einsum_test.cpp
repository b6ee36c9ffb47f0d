#include "pycuda/gpuarray/composed/einsum.hpp"

#include <array>

#include "gpuarray/arrays.hpp"
#include "gpuarray/composed/subscripts.hpp"

namespace pycuda::gpuarray::test {
namespace {

TEST(Subscripts, AreReadWithAndWithoutAnOutput) {
    const std::array<int, 2> matrices{2, 2};
    const Subscripts product = read_subscripts(" ij, jk -> ik ", matrices);
    EXPECT_EQ(product.inputs, (std::vector<Labels>{{'i', 'j'}, {'j', 'k'}}));
    EXPECT_EQ(product.output, (Labels{'i', 'k'}));
    EXPECT_EQ(read_subscripts("jB,ja", matrices).output, (Labels{'B', 'a'}));
    const std::array<int, 2> stacks{4, 3};
    const Subscripts batch = read_subscripts("...ij,...j", stacks);
    EXPECT_EQ(batch.inputs, (std::vector<Labels>{{-2, -1, 'i', 'j'}, {-2, -1, 'j'}}));
    EXPECT_EQ(batch.output, (Labels{-2, -1, 'i'}));
}

TEST(Subscripts, AreRejectedWithTheReason) {
    const std::array<int, 1> matrix{2};
    const auto message = [&](std::string_view text) {
        return pycuda::test::message_of<std::invalid_argument>([&] { read_subscripts(text, matrix); });
    };
    EXPECT_EQ(message("ij,jk"), "einsum: 'ij,jk' names 2 operands, given 1");
    EXPECT_EQ(message("i"), "einsum: the subscripts 'i' do not match an operand of 2 axes");
    EXPECT_EQ(message("i.j"), "einsum: expected letters as subscripts, given 'i.j'");
    for (const char* const output : {"ij->k", "ij->ii", "ij->i...j...", "ij->i->j", "i...->i", "ij>i"})
        EXPECT_THROW(read_subscripts(output, matrix), std::invalid_argument) << output;
}

class EinsumTest : public ArrayTest {};

TEST_F(EinsumTest, ReturnsAViewOrACopy) {
    const std::array<std::int64_t, 2> shape{2, 3};
    const gpuarray::Array array = gpuarray::Array::empty(DType::Float32, Layout(shape, 4), nullptr);
    const gpuarray::Array view = einsum("ij->ji", {&array, 1}, std::nullopt, false, nullptr);
    EXPECT_EQ(view.address(), array.address());
    EXPECT_EQ(view.layout(), views::transpose(array.layout()));
    const gpuarray::Array copy = einsum("ij->ji", {&array, 1}, std::nullopt, true, nullptr);
    EXPECT_NE(copy.address(), array.address());
    EXPECT_TRUE(copy.layout().is_c_contiguous());
}

}  // namespace
}  // namespace pycuda::gpuarray::test
