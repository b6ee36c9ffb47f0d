#include "driver/driver_test.hpp"

#include <cuda.h>

TEST(DriverBeforeInit, NeedsCuInit) {
    // Under ctest it runs in its own process; in one where other tests ran before, it can observe nothing.
    int count = 0;
    if (cuDeviceGetCount(&count) == CUDA_SUCCESS) GTEST_SKIP() << "cuInit was called already";
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
    CUcontext context = nullptr;
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&context));
    CUdeviceptr pointer = 0;
    EXPECT_RESULT(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&pointer, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    int version = 0;
    EXPECT_OK(cuDriverGetVersion(&version));
    EXPECT_GE(version, 13000);
    const char* text = nullptr;
    EXPECT_OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    EXPECT_STREQ("out of memory", text);
}

class DeviceTest : public DriverTest {};

TEST_F(DeviceTest, CountsAndRefusesOrdinals) {
    int count = 0;
    EXPECT_OK(cuDeviceGetCount(&count));
    EXPECT_GE(count, 1);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetCount(nullptr));
    CUdevice device = -1;
    EXPECT_OK(cuDeviceGet(&device, 0));
    EXPECT_EQ(0, device);
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, count));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, -1));
    size_t bytes = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceTotalMem(&bytes, 99));
    EXPECT_OK(cuDeviceTotalMem(&bytes, 0));
    EXPECT_GT(bytes, 1u << 20);
}

TEST_F(DeviceTest, NameIsCutToFit) {
    char name[256] = "", shorter[5] = "";
    EXPECT_OK(cuDeviceGetName(name, sizeof name, 0));
    EXPECT_OK(cuDeviceGetName(shorter, sizeof shorter, 0));
    EXPECT_EQ(std::string(name).substr(0, 4), shorter);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(nullptr, 5, 0));
}

TEST_F(DeviceTest, AttributesAreThere) {
    int value = 0;
    for (int i = 1; i < CU_DEVICE_ATTRIBUTE_MAX; ++i)
        EXPECT_OK(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(i), 0)) << "attribute " << i;
    EXPECT_OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    EXPECT_EQ(9, value);
    EXPECT_OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    EXPECT_EQ(32, value);
    EXPECT_OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0));
    EXPECT_EQ(1024, value);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX), 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(0), 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
}

TEST_F(DeviceTest, IsFoundByItsBusId) {
    char id[32] = "";
    EXPECT_OK(cuDeviceGetPCIBusId(id, sizeof id, 0));
    int bus = 0;
    EXPECT_OK(cuDeviceGetAttribute(&bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0));
    CUdevice device = -1;
    EXPECT_OK(cuDeviceGetByPCIBusId(&device, id));
    EXPECT_EQ(0, device);
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetByPCIBusId(&device, "0000:01:1f.0"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&device, "no such thing"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetPCIBusId(nullptr, 0, 0));
}

TEST_F(DeviceTest, UuidIsItsOwn) {
    CUuuid uuid{};
    EXPECT_OK(cuDeviceGetUuid(&uuid, 0));
    CUuuid zero{};
    EXPECT_NE(0, std::memcmp(&uuid, &zero, sizeof uuid));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetUuid(&uuid, 99));
}
