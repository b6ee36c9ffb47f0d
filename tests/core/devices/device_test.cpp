#include "pycuda/devices/device.hpp"

#include <cuda.h>

#include <set>

#include "support.hpp"

namespace pycuda::test {
namespace {

class DeviceTest : public ::testing::Test {
protected:
    void SetUp() override { init(); }
};

TEST_F(DeviceTest, UnknownOrdinalIsALogicError) {
    const int count = Device::count();
    EXPECT_HAS(message_of<LogicError>([&] { Device device(count); }),
               "device " + std::to_string(count) + " of " + std::to_string(count));
    EXPECT_EQ(code_of<LogicError>([] { Device device(-1); }), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(DeviceTest, IsFoundAgainByItsPciBusId) {
    const Device device(0);
    const std::string id = device.pci_bus_id();
    EXPECT_EQ(id.size(), std::string("0000:00:00.0").size()) << id;
    EXPECT_TRUE(Device(id) == device);
}

TEST_F(DeviceTest, UnknownPciBusIdIsNamed) {
    EXPECT_HAS(message_of<LogicError>([] { Device device(std::string("ffff:ff:1f.7")); }), "ffff:ff:1f.7");
    EXPECT_THROW(Device(std::string("nonsense")), LogicError);
}

TEST_F(DeviceTest, DescribesItself) {
    const Device device(0);
    EXPECT_FALSE(device.name().empty());
    EXPECT_GE(device.compute_capability().major, 7);
    EXPECT_GT(device.total_memory(), std::size_t{1} << 20);
    EXPECT_EQ(device.get_attribute(DeviceAttribute::WARP_SIZE), 32);
}

TEST_F(DeviceTest, UnknownAttributeIsALogicError) {
    EXPECT_HAS(message_of<LogicError>([] { Device(0).get_attribute(static_cast<DeviceAttribute>(9999)); }),
               "attribute 9999");
}

TEST_F(DeviceTest, AllAttributesAreThoseThatCanBeAsked) {
    const Device device(0);
    std::set<DeviceAttribute> seen;
    for (const auto& [attribute, value] : device.get_attributes()) {
        EXPECT_TRUE(seen.insert(attribute).second) << static_cast<int>(attribute) << " is there twice";
        EXPECT_EQ(device.get_attribute(attribute), value);
    }
    EXPECT_GT(seen.size(), 80u);
    EXPECT_TRUE(seen.count(DeviceAttribute::MAX_THREADS_PER_BLOCK));
}

TEST_F(DeviceTest, CannotBeItsOwnPeer) {
    EXPECT_FALSE(Device(0).can_access_peer(Device(0)));
}

}  // namespace
}  // namespace pycuda::test
