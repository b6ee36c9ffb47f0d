// Where NVIDIA's driver and toolkits lie on servers and on Jetsons.
#include "platform/host_platform.hpp"

#include <gtest/gtest.h>

namespace pycuda::test {
namespace {

const HostPlatform server{"aarch64", "6.8.0-64-generic-64k", "Linux"}, jetson{"aarch64", "5.15.148-tegra", "Linux"},
    pc{"x86_64", "6.1.0-18-amd64", "Linux"};
using Paths = std::vector<std::string>;

TEST(HostPlatform, AJetsonIsKnownByItsKernel) {
    EXPECT_TRUE(jetson.is_jetson());
    EXPECT_FALSE(server.is_jetson());
    EXPECT_FALSE(pc.is_jetson());
    EXPECT_FALSE(HostPlatform::of_this_machine().machine.empty());
}

TEST(HostPlatform, DriversOfJetsonsAreLookedForOnJetsons) {
    EXPECT_EQ(driver_folders(jetson, "/root"),
              (Paths{"/root/usr/local/cuda/compat", "/root/usr/lib/aarch64-linux-gnu/nvidia",
                     "/root/usr/lib/aarch64-linux-gnu/tegra", "/root/usr/lib/wsl/lib"}));
    for (const HostPlatform& host : {server, pc})
        EXPECT_EQ(driver_folders(host), (Paths{"/usr/local/cuda/compat", "/usr/lib/wsl/lib"}));
}

TEST(HostPlatform, TheFirstTargetIsThisMachines) {
    EXPECT_EQ(toolkit_targets(pc), Paths{"targets/x86_64-linux"});
    EXPECT_EQ(toolkit_targets(server), (Paths{"targets/sbsa-linux", "targets/aarch64-linux"}));
    EXPECT_EQ(toolkit_targets(jetson), (Paths{"targets/aarch64-linux", "targets/sbsa-linux"}));
}

}  // namespace
}  // namespace pycuda::test
