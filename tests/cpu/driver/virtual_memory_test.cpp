// Reserved addresses, and memory that is mapped there.
#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

#include <unistd.h>

#include <vector>

namespace {

class VirtualMemoryTest : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
        properties.requestedHandleTypes = posix;
        ASSERT_OK(cuMemGetAllocationGranularity(&step, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
        ASSERT_OK(cuMemAddressReserve(&base, 4 * step, 0, 0, 0));
        access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    }
    void TearDown() override {
        EXPECT_OK(cuMemAddressFree(base, 4 * step));
        InContext::TearDown();
    }
    /// New memory of a step.
    CUmemGenericAllocationHandle memory() {
        CUmemGenericAllocationHandle handle = 0;
        EXPECT_OK(cuMemCreate(&handle, step, &properties, 0));
        return handle;
    }
    void map(std::size_t at, CUmemGenericAllocationHandle handle) {
        ASSERT_OK(cuMemMap(base + at * step, step, 0, handle, 0));
        ASSERT_OK(cuMemSetAccess(base + at * step, step, &access, 1));
    }

    static constexpr auto posix = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CUmemAllocationProp properties{};
    CUmemAccessDesc access{};
    std::size_t step = 0;
    CUdeviceptr base = 0;
};

TEST_F(VirtualMemoryTest, NeighboursAreOneRange) {
    for (std::size_t i = 0; i < 3; ++i) {
        const auto handle = memory();
        map(i, handle);
        EXPECT_OK(cuMemRelease(handle));  // the mapping keeps it
    }
    EXPECT_OK(cuMemsetD32(base, 5, 3 * step / 4));
    std::vector<unsigned> seen(3 * step / 4);
    EXPECT_OK(cuMemcpyDtoH(seen.data(), base, 3 * step));
    EXPECT_EQ(std::vector<unsigned>(3 * step / 4, 5), seen);
    EXPECT_OK(cuMemUnmap(base + step, step));
    EXPECT_OK(cuMemUnmap(base + step, step));  // nothing is mapped there
    EXPECT_OK(cuMemcpyDtoH(seen.data(), base, step));
    EXPECT_OK(cuMemcpyDtoH(seen.data(), base + 2 * step, step));
    if (on_cpu_device()) {
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(seen.data(), base + step, 4));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(seen.data(), base + step - 4, 8));
    }
    EXPECT_OK(cuMemUnmap(base, step));
    EXPECT_OK(cuMemUnmap(base + 2 * step, step));
}

TEST_F(VirtualMemoryTest, TheSameMemoryAtTwoAddresses) {
    const auto handle = memory();
    map(0, handle);
    map(2, handle);
    EXPECT_OK(cuMemsetD32(base, 5, 1));
    unsigned seen = 0;
    EXPECT_OK(cuMemcpyDtoH(&seen, base + 2 * step, 4));
    EXPECT_EQ(5u, seen);
    CUmemGenericAllocationHandle again = 0;
    EXPECT_OK(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(base + 2 * step)));
    EXPECT_EQ(handle, again);
    EXPECT_OK(cuMemRelease(handle));
    EXPECT_OK(cuMemRelease(again));
    EXPECT_OK(cuMemUnmap(base, step));
    EXPECT_OK(cuMemUnmap(base + 2 * step, step));
}

TEST_F(VirtualMemoryTest, IsSharedByADescriptor) {
    const auto handle = memory();
    int descriptor = -1;
    ASSERT_OK(cuMemExportToShareableHandle(&descriptor, handle, posix, 0));
    CUmemGenericAllocationHandle imported = 0;
    ASSERT_OK(cuMemImportFromShareableHandle(&imported, reinterpret_cast<void*>(intptr_t{descriptor}), posix));
    close(descriptor);
    CUmemAllocationProp seen{};
    EXPECT_OK(cuMemGetAllocationPropertiesFromHandle(&seen, imported));
    EXPECT_EQ(CU_MEM_LOCATION_TYPE_DEVICE, seen.location.type);
    map(0, handle);
    map(1, imported);
    EXPECT_OK(cuMemsetD32(base, 5, 1));
    unsigned word = 0;
    EXPECT_OK(cuMemcpyDtoH(&word, base + step, 4));
    EXPECT_EQ(5u, word);
    EXPECT_OK(cuMemUnmap(base, 2 * step));
    EXPECT_OK(cuMemRelease(imported));
    EXPECT_OK(cuMemRelease(handle));
}

TEST_F(VirtualMemoryTest, BadArguments) {
    const auto handle = memory();
    CUdeviceptr none = 0;
    unsigned long long flags = 0;
    CUmemGenericAllocationHandle other = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&none, 0, 0, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&none, step + 1, 0, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(base, step));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&other, step + 1, &properties, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemCreate(nullptr, step, &properties, 0));
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemCreate(&other, std::size_t{1} << 46, &properties, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuMemMap(base, 2 * step, 0, handle, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemMap(base + 8 * step, step, 0, handle, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemSetAccess(base, step, &access, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemGetAccess(&flags, &access.location, base));
    map(1, handle);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemMap(base + step, step, 0, handle, 0));
    EXPECT_OK(cuMemGetAccess(&flags, &access.location, base + step));
    EXPECT_EQ(unsigned{CU_MEM_ACCESS_FLAGS_PROT_READWRITE}, flags);
    EXPECT_OK(cuMemUnmap(base, 2 * step));  // a range with a gap
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemGetAccess(&flags, &access.location, base + step));
    EXPECT_OK(cuMemRelease(handle));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemRelease(handle));
}

}  // namespace
