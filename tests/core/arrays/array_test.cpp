#include "pycuda/arrays/array.hpp"

#include <array>
#include <numeric>

#include "pycuda/arrays/memcpy_array.hpp"
#include "pycuda/arrays/memcpy_nd.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

class ArrayTest : public ContextTest {
protected:
    void TearDown() override {
        for (const char* kind : {"array", "mipmapped array"}) EXPECT_EQ(live_handles(kind), 0) << kind;
        ContextTest::TearDown();
    }
    static std::shared_ptr<Array> make(const ArrayDescriptor3D& descriptor) {
        return std::make_shared<Array>(descriptor);
    }
};

TEST_F(ArrayTest, DescriptorIsTheOneItWasMadeWith) {
    const Array array(ArrayDescriptor{17, 5, ArrayFormat::SIGNED_INT16, 2});
    const ArrayDescriptor two = array.get_descriptor();
    EXPECT_EQ(two.width, 17u);
    EXPECT_EQ(two.height, 5u);
    EXPECT_EQ(two.format, ArrayFormat::SIGNED_INT16);
    EXPECT_EQ(two.num_channels, 2u);
    EXPECT_EQ(array.get_descriptor_3d().depth, 0u);
}

TEST_F(ArrayTest, DescriptorOfThreeDimensionsAndFlags) {
    const unsigned cube = Array3dFlags::CUBEMAP | Array3dFlags::LAYERED | Array3dFlags::SURFACE_LDST;
    for (const ArrayDescriptor3D& wanted : {ArrayDescriptor3D{4, 3, 2, ArrayFormat::FLOAT, 4, 0},
                                            ArrayDescriptor3D{4, 0, 7, ArrayFormat::HALF, 1, Array3dFlags::LAYERED},
                                            ArrayDescriptor3D{4, 4, 12, ArrayFormat::UNSIGNED_INT8, 4, cube}}) {
        const ArrayDescriptor3D got = Array(wanted).get_descriptor_3d();
        EXPECT_EQ(got.width, wanted.width);
        EXPECT_EQ(got.height, wanted.height);
        EXPECT_EQ(got.depth, wanted.depth);
        EXPECT_EQ(got.format, wanted.format);
        EXPECT_EQ(got.num_channels, wanted.num_channels);
        EXPECT_EQ(got.flags, wanted.flags);
    }
}

TEST_F(ArrayTest, ARefusedShapeIsNamed) {
    const std::string message = message_of<LogicError>([] { Array(ArrayDescriptor{0, 3, ArrayFormat::FLOAT, 3}); });
    EXPECT_HAS(message, "0 x 3");
    EXPECT_HAS(message, "3 channels");
}

TEST_F(ArrayTest, AnyUseAfterFreeRaisesButClose) {
    Array array(ArrayDescriptor{4, 4, ArrayFormat::FLOAT, 1});
    EXPECT_EQ(live_handles("array"), 1);
    array.free();
    array.close();
    EXPECT_EQ(live_handles("array"), 0);
    EXPECT_HAS(message_of<LogicError>([&] { array.free(); }), "array was freed");
    EXPECT_HAS(message_of<LogicError>([&] { array.get_descriptor(); }), "array was freed");
    EXPECT_HAS(message_of<LogicError>([&] { memcpy_dtoa(array, 0, 0, 4); }), "array was freed");
}

TEST_F(ArrayTest, EqualIsTheSameArray) {
    const Array one(ArrayDescriptor{4, 4, ArrayFormat::FLOAT, 1}), other(ArrayDescriptor{4, 4, ArrayFormat::FLOAT, 1});
    EXPECT_TRUE(one == one);
    EXPECT_FALSE(one == other);
}

TEST_F(ArrayTest, OutlivesItsContext) {
    Array array(ArrayDescriptor{4, 4, ArrayFormat::FLOAT, 1});
    context->detach();
    EXPECT_HAS(message_of<LogicError>([&] { array.handle(); }), "context that is gone");
}

TEST_F(ArrayTest, LevelsOfAMipmappedArrayHalve) {
    const auto pyramid = std::make_shared<MipmappedArray>(ArrayDescriptor3D{16, 8, 0, ArrayFormat::FLOAT, 1, 0}, 4);
    const auto level = pyramid->get_level(2);
    EXPECT_EQ(level->get_descriptor().width, 4u);
    EXPECT_EQ(level->get_descriptor().height, 2u);
    EXPECT_TRUE(*level == *pyramid->get_level(2));
    EXPECT_HAS(message_of<LogicError>([&] { pyramid->get_level(99); }), "level 99");
    pyramid->free();
    EXPECT_HAS(message_of<LogicError>([&] { level->handle(); }), "mipmapped array was freed");
}

TEST_F(ArrayTest, LinearCopiesToAndFrom) {
    std::array<int, 8> given{}, got{};
    std::iota(given.begin(), given.end(), 1);
    const Array one(ArrayDescriptor{8, 0, ArrayFormat::SIGNED_INT32, 1}),
        other(ArrayDescriptor{8, 0, ArrayFormat::SIGNED_INT32, 1});
    const DeviceAllocation memory(sizeof given);
    memcpy_htoa(one, 0, given.data(), sizeof given);
    memcpy_atoa(other, 0, one, 16, 16);
    memcpy_atoa(other, 16, one, 0, 16);
    memcpy_atod(memory.pointer(), other, 8, 8);
    memcpy_dtoa(one, 24, memory.pointer(), 8);
    memcpy_atoh(got.data(), sizeof got, one, 0);
    EXPECT_EQ(got, (std::array<int, 8>{1, 2, 3, 4, 5, 6, 7, 8}));
    memcpy_atoh(got.data(), sizeof got, other, 0);
    EXPECT_EQ(got, (std::array<int, 8>{5, 6, 7, 8, 1, 2, 3, 4}));
    EXPECT_HAS(message_of<LogicError>([&] { memcpy_atoh(got.data(), sizeof got, one, 4); }), "32 bytes");
}

}  // namespace
}  // namespace pycuda::test
