#include "driver/driver_test.hpp"

#include <unistd.h>

#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

class MemoryTest : public InContext {};

TEST_F(MemoryTest, AllocatesAndFrees) {
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemAlloc(&pointer, 1000));
    EXPECT_EQ(0u, pointer % 256);
    EXPECT_OK(cuMemFree(pointer));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(pointer));
    EXPECT_OK(cuMemFree(0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&pointer, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(nullptr, 4));
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&pointer, size_t{1} << 50));
}

TEST_F(MemoryTest, FreeTakesOnlyTheStart) {
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemAlloc(&pointer, 4096));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(pointer + 256));
    EXPECT_OK(cuMemFree(pointer));
    void* host = nullptr;
    ASSERT_OK(cuMemAllocHost(&host, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(reinterpret_cast<CUdeviceptr>(host)));
    EXPECT_OK(cuMemFreeHost(host));
}

TEST_F(MemoryTest, ReportsRanges) {
    CUdeviceptr pointer = 0, base = 0;
    size_t size = 0;
    ASSERT_OK(cuMemAlloc(&pointer, 5000));
    EXPECT_OK(cuMemGetAddressRange(&base, &size, pointer + 4999));
    EXPECT_EQ(pointer, base);
    EXPECT_EQ(5000u, size);
    EXPECT_OK(cuMemGetAddressRange(nullptr, &size, pointer));
    EXPECT_OK(cuMemGetAddressRange(&base, nullptr, pointer));
    EXPECT_OK(cuMemFree(pointer));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&base, &size, pointer));
}

TEST_F(MemoryTest, CountsWhatIsFree) {
    size_t free = 0, total = 0, less = 0;
    EXPECT_OK(cuMemGetInfo(&free, &total));
    EXPECT_LE(free, total);
    size_t of_device = 0;
    EXPECT_OK(cuDeviceTotalMem(&of_device, 0));
    EXPECT_EQ(of_device, total);
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemAlloc(&pointer, 256 << 20));
    EXPECT_OK(cuMemGetInfo(&less, &total));
    EXPECT_LE(less + (256 << 20), free);
    EXPECT_OK(cuMemFree(pointer));
}

TEST_F(MemoryTest, PitchIsAligned) {
    CUdeviceptr pointer = 0;
    size_t pitch = 0;
    ASSERT_OK(cuMemAllocPitch(&pointer, &pitch, 100, 10, 4));
    EXPECT_EQ(512u, pitch);
    EXPECT_OK(cuMemFree(pointer));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&pointer, &pitch, 100, 10, 3));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&pointer, &pitch, 0, 10, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&pointer, &pitch, 100, 0, 4));
}

TEST_F(MemoryTest, HostMemory) {
    void* host = nullptr;
    ASSERT_OK(cuMemHostAlloc(&host, 1000, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_WRITECOMBINED));
    std::memset(host, 1, 1000);
    unsigned flags = 0;
    EXPECT_OK(cuMemHostGetFlags(&flags, host));
    EXPECT_EQ(
        static_cast<unsigned>(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_WRITECOMBINED | CU_MEMHOSTALLOC_DEVICEMAP),
        flags);
    CUdeviceptr pointer = 0;
    EXPECT_OK(cuMemHostGetDevicePointer(&pointer, static_cast<char*>(host) + 10, 0));
    EXPECT_EQ(reinterpret_cast<CUdeviceptr>(host) + 10, pointer);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer(&pointer, host, 1));
    EXPECT_OK(cuMemFreeHost(host));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(host));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc(&host, 8, 0x100));
    EXPECT_OK(cuMemHostAlloc(&host, 0, 0));
    EXPECT_EQ(nullptr, host);
    EXPECT_OK(cuMemFreeHost(nullptr));
    int on_stack = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer(&pointer, &on_stack, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetFlags(&flags, &on_stack));
}

TEST_F(MemoryTest, RegistersTheProgramsMemory) {
    std::vector<char> memory(1 << 16);
    char* const page = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 4095) / 4096 * 4096);
    ASSERT_OK(cuMemHostRegister(page, 8192, CU_MEMHOSTREGISTER_DEVICEMAP));
    EXPECT_RESULT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(page, 8192, 0));
    EXPECT_RESULT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(page + 4096, 8192, 0));
    CUdeviceptr pointer = 0;
    EXPECT_OK(cuMemHostGetDevicePointer(&pointer, page, 0));
    EXPECT_OK(cuMemsetD8(pointer, 7, 8192));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(7, page[8191]);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostUnregister(page + 16));
    unsigned flags = 0;
    EXPECT_OK(cuMemHostGetFlags(&flags, page));
    EXPECT_EQ(static_cast<unsigned>(CU_MEMHOSTALLOC_DEVICEMAP), flags);
    EXPECT_OK(cuMemHostUnregister(page));
    EXPECT_RESULT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(page));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister(page, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister(nullptr, 4096, 0));
}

TEST_F(MemoryTest, ManagedMemoryIsForBoth) {
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemAllocManaged(&pointer, 4096, CU_MEM_ATTACH_GLOBAL));
    auto* const values = reinterpret_cast<unsigned*>(pointer);
    values[0] = 5;
    EXPECT_OK(cuMemsetD32(pointer + 4, 6, 1));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(5u, values[0]);
    EXPECT_EQ(6u, values[1]);
    const CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    EXPECT_OK(cuMemAdvise(pointer, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    EXPECT_OK(cuMemPrefetchAsync(pointer, 4096, here, 0, nullptr));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_OK(cuMemFree(pointer));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&pointer, 4096, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&pointer, 0, CU_MEM_ATTACH_GLOBAL));
    ASSERT_OK(cuMemAlloc(&pointer, 4096));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(pointer, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    EXPECT_OK(cuMemFree(pointer));
}

namespace {

template <class T>
T attribute(CUpointer_attribute which, CUdeviceptr pointer) {
    T value{};
    EXPECT_OK(cuPointerGetAttribute(&value, which, pointer)) << "attribute " << which;
    return value;
}

}  // namespace

TEST_F(MemoryTest, PointersKnowWhatTheyAre) {
    CUdeviceptr device = 0;
    void* host = nullptr;
    ASSERT_OK(cuMemAlloc(&device, 1000));
    ASSERT_OK(cuMemAllocHost(&host, 1000));
    const auto of_host = reinterpret_cast<CUdeviceptr>(host);
    EXPECT_EQ(context, attribute<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, device));
    EXPECT_EQ(CU_MEMORYTYPE_DEVICE, attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device));
    EXPECT_EQ(CU_MEMORYTYPE_HOST, attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, of_host));
    EXPECT_EQ(device + 5, attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, device + 5));
    EXPECT_EQ(host, attribute<void*>(CU_POINTER_ATTRIBUTE_HOST_POINTER, of_host));
    EXPECT_EQ(device, attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, device + 5));
    EXPECT_EQ(1000u, attribute<size_t>(CU_POINTER_ATTRIBUTE_RANGE_SIZE, device + 5));
    EXPECT_EQ(0, attribute<int>(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, device));
    EXPECT_FALSE(attribute<bool>(CU_POINTER_ATTRIBUTE_IS_MANAGED, device));
    EXPECT_TRUE(attribute<bool>(CU_POINTER_ATTRIBUTE_MAPPED, device));
    EXPECT_NE(attribute<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, device),
              attribute<unsigned long long>(CU_POINTER_ATTRIBUTE_BUFFER_ID, of_host));
    EXPECT_EQ(nullptr, attribute<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, device));
    void* nothing = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&nothing, CU_POINTER_ATTRIBUTE_HOST_POINTER, device));
    int local = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuPointerGetAttribute(&nothing, CU_POINTER_ATTRIBUTE_CONTEXT, reinterpret_cast<CUdeviceptr>(&local)));
    unsigned on = 1;
    EXPECT_OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, device));
    EXPECT_OK(cuMemFree(device));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&nothing, CU_POINTER_ATTRIBUTE_CONTEXT, device));
    EXPECT_OK(cuMemFreeHost(host));
}

TEST_F(MemoryTest, ManyAttributesAtOnceAllowUnknownPointers) {
    int local = 0;
    CUcontext of = context;
    unsigned type = 9;
    int ordinal = 9;
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void* out[] = {&of, &type, &ordinal};
    EXPECT_OK(cuPointerGetAttributes(3, which, out, reinterpret_cast<CUdeviceptr>(&local)));
    EXPECT_EQ(nullptr, of);
    EXPECT_EQ(0u, type);
    EXPECT_EQ(-2, ordinal);
}

TEST_F(MemoryTest, BudgetIsEnforcedAndReturned) {
    size_t free = 0, total = 0, again = 0;
    EXPECT_OK(cuMemGetInfo(&free, &total));
    CUdeviceptr pointer = 0;
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&pointer, total + (1 << 20)));
    if (!on_cpu_device()) return;
    ASSERT_OK(cuMemAlloc(&pointer, free / 2));
    CUdeviceptr second = 0;
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&second, free / 2 + (1 << 20)));
    EXPECT_OK(cuMemFree(pointer));
    EXPECT_OK(cuMemGetInfo(&again, &total));
    EXPECT_EQ(free, again);
}

/// More allocations than a process may have mappings. Each is zero, and overlaps no other.
TEST_F(MemoryTest, AllocationsLeaveTheProcessMappings) {
    if (!on_cpu_device()) GTEST_SKIP() << "a GPU's allocations are no mappings of the process";
    constexpr std::size_t count = 80000, part = count / 2;
    std::vector<CUdeviceptr> taken(count);
    const auto take = [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n) {
            unsigned content = 1;
            ASSERT_OK(cuMemAlloc(&taken[n], 4 + n % 3 * 4096));
            if (n % 16) continue;  // pages that are touched take memory
            ASSERT_OK(cuMemcpyDtoH(&content, taken[n], 4));
            ASSERT_EQ(content, 0u) << n;
            content = static_cast<unsigned>(n);
            ASSERT_OK(cuMemcpyHtoD(taken[n], &content, 4));
            EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(taken[n] + n % 3 * 4096, &content, 5));
        }
    };
    take(0, count);
    CUdeviceptr large = 0;
    EXPECT_OK(cuMemAlloc(&large, 8 << 20));  // with mappings of its own
    EXPECT_OK(cuMemFree(large));
    std::vector<std::thread> threads;  // their stacks are mappings too
    EXPECT_NO_THROW(for (int i = 0; i < 8; ++i) threads.emplace_back([] {}));
    for (std::thread& thread : threads) thread.join();
    for (std::size_t n = part; n < count; ++n) EXPECT_OK(cuMemFree(taken[n]));
    take(part, count);  // again, where the others were
    for (std::size_t n = 0; n < count; n += 16) {
        unsigned content = 0;
        EXPECT_OK(cuMemcpyDtoH(&content, taken[n], 4));
        EXPECT_EQ(content, n);
    }
    for (const CUdeviceptr pointer : taken) EXPECT_OK(cuMemFree(pointer));
    CUdeviceptr again = 0;
    EXPECT_OK(cuMemAlloc(&again, 1));
    EXPECT_OK(cuMemFree(again));
}

class PoolTest : public InContext {};

TEST_F(PoolTest, AllocatesInStreamOrder) {
    CUstream stream = nullptr;
    ASSERT_OK(cuStreamCreate(&stream, 0));
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemAllocAsync(&pointer, 1000, stream));
    EXPECT_OK(cuMemsetD8Async(pointer, 3, 1000, stream));
    std::vector<unsigned char> out(1000);
    EXPECT_OK(cuMemcpyDtoHAsync(out.data(), pointer, 1000, stream));
    CUmemoryPool of = nullptr, current = nullptr;
    EXPECT_OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, pointer));
    EXPECT_OK(cuDeviceGetMemPool(&current, 0));
    EXPECT_EQ(current, of);
    EXPECT_OK(cuMemFreeAsync(pointer, stream));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(3, out[999]);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(pointer, stream));
    EXPECT_OK(cuMemAllocAsync(&pointer, 0, stream));
    EXPECT_OK(cuStreamDestroy(stream));
}

TEST_F(PoolTest, CountsAndTrims) {
    CUmemPoolProps props{};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    CUmemoryPool pool = nullptr;
    ASSERT_OK(cuMemPoolCreate(&pool, &props));
    cuuint64_t threshold = 9, used = 9, reserved = 0;
    EXPECT_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    EXPECT_EQ(0u, threshold);
    threshold = ~cuuint64_t{0};
    EXPECT_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    CUdeviceptr pointer = 0, again = 0;
    ASSERT_OK(cuMemAllocFromPoolAsync(&pointer, 1 << 20, pool, nullptr));
    EXPECT_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    EXPECT_EQ(1u << 20, used);
    EXPECT_OK(cuMemFreeAsync(pointer, nullptr));
    EXPECT_OK(cuStreamSynchronize(nullptr));
    EXPECT_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    EXPECT_EQ(0u, used);
    EXPECT_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
    EXPECT_GE(reserved, 1u << 20);
    ASSERT_OK(cuMemAllocFromPoolAsync(&again, 1 << 20, pool, nullptr));
    EXPECT_EQ(pointer, again);
    EXPECT_OK(cuMemFree(again));
    EXPECT_OK(cuMemPoolTrimTo(pool, 0));
    EXPECT_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
    EXPECT_EQ(0u, reserved);
    EXPECT_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &used));
    EXPECT_EQ(1u << 20, used);
    used = 0;
    EXPECT_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &used));
    int reuse = 0;
    EXPECT_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &reuse));
    EXPECT_EQ(1, reuse);
    CUmemAccess_flags access;
    CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    EXPECT_OK(cuMemPoolGetAccess(&access, pool, &here));
    EXPECT_EQ(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, access);
    EXPECT_OK(cuMemPoolDestroy(pool));
}

TEST_F(PoolTest, GivesUnusedBlocksBackForOtherSizes) {
    CUmemPoolProps props{};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    props.maxSize = size_t{128} << 20;
    CUmemoryPool pool = nullptr;
    ASSERT_OK(cuMemPoolCreate(&pool, &props));
    cuuint64_t threshold = ~cuuint64_t{0};
    EXPECT_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    for (const size_t megabytes : {40, 70, 100, 30, 120}) {
        CUdeviceptr pointer = 0;
        EXPECT_OK(cuMemAllocFromPoolAsync(&pointer, megabytes << 20, pool, nullptr)) << megabytes;
        EXPECT_OK(cuMemFreeAsync(pointer, nullptr));
        EXPECT_OK(cuStreamSynchronize(nullptr));
    }
    EXPECT_OK(cuMemPoolDestroy(pool));
}

TEST_F(PoolTest, DefaultPoolStays) {
    CUmemoryPool initial = nullptr, current = nullptr, own = nullptr;
    EXPECT_OK(cuDeviceGetDefaultMemPool(&initial, 0));
    EXPECT_OK(cuDeviceGetMemPool(&current, 0));
    EXPECT_EQ(initial, current);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(initial));
    CUmemPoolProps props{};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    ASSERT_OK(cuMemPoolCreate(&own, &props));
    EXPECT_OK(cuDeviceSetMemPool(0, own));
    EXPECT_OK(cuDeviceGetMemPool(&current, 0));
    EXPECT_EQ(own, current);
    EXPECT_OK(cuMemPoolDestroy(own));
    EXPECT_OK(cuDeviceGetMemPool(&current, 0));
    EXPECT_EQ(initial, current);
    props.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&own, &props));
}

TEST_F(PoolTest, IsSharedByItsFile) {
    CUmemPoolProps props{};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    const auto posix = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CUmemoryPool pool = nullptr, imported = nullptr;
    CUdeviceptr pointer = 0, there = 0;
    int descriptor = -1;
    ASSERT_OK(cuMemPoolCreate(&pool, &props));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&descriptor, pool, posix, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuMemPoolExportToShareableHandle(&descriptor, pool, CU_MEM_HANDLE_TYPE_FABRIC, 0));
    ASSERT_OK(cuMemPoolExportToShareableHandle(&descriptor, pool, posix, 0));
    ASSERT_OK(cuMemPoolImportFromShareableHandle(&imported, reinterpret_cast<void*>(intptr_t{descriptor}), posix, 0));
    ASSERT_OK(cuMemAllocFromPoolAsync(&pointer, 4096, pool, nullptr));
    ASSERT_OK(cuMemsetD32(pointer, 77, 1024));
    EXPECT_OK(cuCtxSynchronize());
    CUmemPoolPtrExportData data{};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportPointer(&data, pointer + 8));
    ASSERT_OK(cuMemPoolExportPointer(&data, pointer));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportPointer(&there, pool, &data));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&there, 64, imported, nullptr));
    ASSERT_OK(cuMemPoolImportPointer(&there, imported, &data));
    unsigned seen = 0;
    EXPECT_OK(cuMemcpyDtoH(&seen, there + 4, 4));
    EXPECT_EQ(77u, seen);
    EXPECT_OK(cuMemsetD32(there, 78, 1024));
    EXPECT_OK(cuMemcpyDtoH(&seen, pointer + 4092, 4));
    EXPECT_EQ(78u, seen);
    EXPECT_OK(cuMemFree(there));
    EXPECT_OK(cuMemFree(pointer));
    EXPECT_OK(cuMemPoolDestroy(imported));
    EXPECT_OK(cuMemPoolDestroy(pool));
    EXPECT_EQ(0, close(descriptor));
}
