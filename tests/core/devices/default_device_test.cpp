// The device of a program that does not say which.
#include "pycuda/devices/default_device.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "platform/process_environment.hpp"
#include "pycuda/driver/driver.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/start/init.hpp"

namespace pycuda::test {
namespace {

class DefaultDeviceTest : public ::testing::Test {
protected:
    DefaultDeviceTest() {
        home_ = make_temporary_folder("pycuda-home-");
        set_environment("HOME", home_.generic_string());
        unset_environment("CUDA_DEVICE");
    }
    ~DefaultDeviceTest() override {
        unset_environment("CUDA_DEVICE");
        if (old_home_.empty())
            unset_environment("HOME");
        else
            set_environment("HOME", old_home_.c_str());
        std::filesystem::remove_all(home_);
    }
    void write(const char* name, const char* text) { std::ofstream(home_ / name) << text; }

    std::filesystem::path home_;

private:
    const std::string old_home_ = std::getenv("HOME") ? std::getenv("HOME") : "";
};

TEST_F(DefaultDeviceTest, EnvironmentThenUnderscoreThenHyphen) {
    EXPECT_EQ(chosen_device(), -1);
    write(".cuda-device", "3\n");
    EXPECT_EQ(chosen_device(), 3);
    write(".cuda_device", " 2 \n");
    EXPECT_EQ(chosen_device(), 2);
    set_environment("CUDA_DEVICE", "1");
    EXPECT_EQ(chosen_device(), 1);
}

TEST_F(DefaultDeviceTest, FileThatCannotBeReadCountsAsNone) {
    std::filesystem::create_directory(home_ / ".cuda_device");
    EXPECT_EQ(chosen_device(), -1);
    write(".cuda-device", "4");
    EXPECT_EQ(chosen_device(), 4);
}

TEST_F(DefaultDeviceTest, RejectsNonNumbers) {
    for (const char* text : {"", "first", "1.5", "1 2", "-1", "99999999999"}) {
        set_environment("CUDA_DEVICE", text);
        EXPECT_THROW(chosen_device(), std::invalid_argument) << text;
    }
    unset_environment("CUDA_DEVICE");
    write(".cuda_device", "first\n");
    try {
        chosen_device();
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_NE(std::string(error.what()).find((home_ / ".cuda_device").generic_string()), std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what()).find("'first'"), std::string::npos) << error.what();
    }
}

TEST_F(DefaultDeviceTest, AllDevicesAreThereToTry) {
    init();
    EXPECT_GE(devices_to_try(), 1);
    EXPECT_THROW(raise_no_default_context("device 0: busy"), RuntimeError);
}

}  // namespace
}  // namespace pycuda::test
