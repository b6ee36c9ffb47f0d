#include "pycuda/kernels/tensor_map.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "pycuda/errors/error.hpp"
#include "support.hpp"

using namespace pycuda;
using namespace pycuda::test;

namespace {

class TensorMapObjectTest : public ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        if (!Device(0).get_attribute(DeviceAttribute::TENSOR_MAP_ACCESS_SUPPORTED)) GTEST_SKIP() << "no tensor maps";
    }
    TensorLayout matrix(DevicePtr address) const {
        TensorLayout layout;
        layout.address = address;
        layout.dtype = TensorMapDataType::FLOAT32;
        layout.shape = {16, 32};
        return layout;
    }
};

TEST_F(TensorMapObjectTest, ItKnowsItsAddress) {
    const DeviceAllocation memory(2048), other(2048);
    const TensorMap map = TensorMap::tiled(matrix(memory.pointer()), {4, 8});
    EXPECT_EQ(map.start(), memory.pointer());
    EXPECT_EQ(map.text(), "float32 (16, 32), box (4, 8)");
    EXPECT_NO_THROW(map.check_address(memory.pointer()));
    EXPECT_THROW(map.check_address(other.pointer()), LogicError);
    EXPECT_EQ(map.at_address(other.pointer()).start(), other.pointer());
    EXPECT_THROW(map.at_address(other.pointer() + 8), std::invalid_argument);
    EXPECT_EQ(map.start(), memory.pointer());
}

TEST_F(TensorMapObjectTest, StridesAreThoseOfDenseRowsUnlessGiven) {
    const DeviceAllocation memory(4096);
    TensorLayout tensor = matrix(memory.pointer());
    const TensorMap dense = TensorMap::tiled(tensor, {4, 8});
    tensor.strides = {128};
    const TensorMap same = TensorMap::tiled(tensor, {4, 8});
    EXPECT_EQ(std::memcmp(&dense.value(), &same.value(), sizeof(CUtensorMap)), 0);
    tensor.strides = {256};
    const TensorMap padded = TensorMap::tiled(tensor, {4, 8});
    EXPECT_NE(std::memcmp(&dense.value(), &padded.value(), sizeof(CUtensorMap)), 0);
}

TEST_F(TensorMapObjectTest, BrokenRulesAreInvalidArguments) {
    const DeviceAllocation memory(4096);
    EXPECT_THROW(TensorMap::tiled(matrix(memory.pointer() + 4), {4, 8}), std::invalid_argument);
    EXPECT_THROW(TensorMap::tiled(matrix(memory.pointer()), {4, 7}), std::invalid_argument);
    EXPECT_THROW(TensorMap::tiled(matrix(memory.pointer()), {4}), std::invalid_argument);
    TensorLayout point;
    point.address = memory.pointer();
    EXPECT_THROW(TensorMap::tiled(point, {}), std::invalid_argument);
}

}  // namespace
