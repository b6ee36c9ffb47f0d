// Memory: one bad argument per call.
#include "driver/arguments/arguments.hpp"

class MemoryArgumentsTest : public ArgumentsTest {
protected:
    CUdeviceptr pointer = 0;
    size_t size = 0;
    unsigned flags = 0;
    void* block = nullptr;
};

TEST_F(MemoryArgumentsTest, Device) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(nullptr, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&pointer, 0));
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&pointer, huge));
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&pointer, SIZE_MAX));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(nowhere));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(memory + 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(reinterpret_cast<CUdeviceptr>(host)));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(reinterpret_cast<CUdeviceptr>(&size)));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemFree(0));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemGetInfo(nullptr, &size));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemGetInfo(&size, nullptr));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemGetInfo(nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&pointer, &size, nowhere));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&pointer, &size, 0));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemGetAddressRange(nullptr, nullptr, memory));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemGetAddressRange(&pointer, &size, reinterpret_cast<CUdeviceptr>(host) + 8));
    EXPECT_EQ(reinterpret_cast<CUdeviceptr>(host), pointer);
}

TEST_F(MemoryArgumentsTest, Pitch) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(nullptr, &size, 64, 4, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&pointer, nullptr, 64, 4, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&pointer, &size, 0, 4, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&pointer, &size, 64, 0, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&pointer, &size, 64, 4, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&pointer, &size, 64, 4, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&pointer, &size, 64, 4, 12));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&pointer, &size, 64, 4, 32));
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocPitch(&pointer, &size, huge, 1, 4));
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocPitch(&pointer, &size, 512, huge, 4));
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocPitch(&pointer, &size, 512, SIZE_MAX, 4));
}

TEST_F(MemoryArgumentsTest, Host) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocHost(nullptr, 4));
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocHost(&block, huge));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemAllocHost(&block, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc(nullptr, 4, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc(&block, 4, 8));
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemHostAlloc(&block, huge, 0));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemFreeHost(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(host + 8));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(&block));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(reinterpret_cast<void*>(memory)));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer(nullptr, host, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer(&pointer, host, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer(&pointer, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer(&pointer, &block, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer(&pointer, reinterpret_cast<void*>(memory), 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetFlags(nullptr, host));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetFlags(&flags, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetFlags(&flags, &block));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemHostGetFlags(&flags, host + 8));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetFlags(&flags, reinterpret_cast<void*>(memory)));
}

TEST_F(MemoryArgumentsTest, Register) {
    alignas(4096) static char page[3 * 4096];
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister(nullptr, 4096, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister(page, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister(page, 4096, 0x10));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister(reinterpret_cast<void*>(nowhere), 4096, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister(host, 4096, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostUnregister(nullptr));
    EXPECT_RESULT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(page));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostUnregister(host));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemHostRegister(page + 100, 50, 0));
    EXPECT_RESULT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(page + 120, 10, 0));
    EXPECT_RESULT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(page, 4096, 0));
    // Bytes count, not pages.
    EXPECT_RESULT(CUDA_SUCCESS, cuMemHostRegister(page, 50, 0));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemHostRegister(page + 200, 8000, 0));
    EXPECT_RESULT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(page + 8192, 4096, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostUnregister(page + 110));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(page + 100));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemHostUnregister(page + 100));
    EXPECT_RESULT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(page + 100));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostUnregister(page + 8192));
    EXPECT_OK(cuMemHostUnregister(page));
    EXPECT_OK(cuMemHostUnregister(page + 200));
}

TEST_F(MemoryArgumentsTest, Managed) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(nullptr, 64, CU_MEM_ATTACH_GLOBAL));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&pointer, 0, CU_MEM_ATTACH_GLOBAL));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&pointer, 64, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&pointer, 64, CU_MEM_ATTACH_SINGLE));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&pointer, 64, 3));
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocManaged(&pointer, huge, CU_MEM_ATTACH_GLOBAL));
}

TEST_F(MemoryArgumentsTest, AdviseAndPrefetch) {
    const CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, {0}}, none{CU_MEM_LOCATION_TYPE_DEVICE, {99}};
    const CUmemLocation on_host{CU_MEM_LOCATION_TYPE_HOST, {0}}, wrong{value<CUmemLocationType>(77), {0}};
    const CUmem_advise read_mostly = CU_MEM_ADVISE_SET_READ_MOSTLY, prefer = CU_MEM_ADVISE_SET_PREFERRED_LOCATION;
    CUdeviceptr managed = 0;
    ASSERT_OK(cuMemAllocManaged(&managed, 8192, CU_MEM_ATTACH_GLOBAL));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(managed, 0, read_mostly, here));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(0, 4096, read_mostly, here));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(memory, 4096, read_mostly, here));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(managed, 4096, value<CUmem_advise>(0), here));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(managed, 4096, value<CUmem_advise>(7), here));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(managed, 4096, prefer, none));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemAdvise(managed, 4096, read_mostly, none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(managed, 4096, prefer, wrong));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemAdvise(managed, 4096, prefer, on_host));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemAdvise(managed, 4096, prefer, here));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemAdvise(managed, 4096, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, none));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemAdvise(managed, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, here));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(managed, 0, here, 0, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(0, 4096, here, 0, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(memory, 4096, here, 0, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(managed, 4096, here, 1, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuMemPrefetchAsync(managed, 4096, none, 0, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(managed, 4096, wrong, 0, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(managed, 1 << 30, here, 0, stream));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuMemPrefetchAsync(managed, 4096, here, 0, garbage<CUstream>()));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_OK(cuMemFree(managed));
}

TEST_F(MemoryArgumentsTest, RangeAttributes) {
    CUdeviceptr managed = 0;
    int number = 0;
    CUmem_range_attribute which[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION};
    void* out[] = {&number, &number};
    size_t sizes[] = {4, 4};
    ASSERT_OK(cuMemAllocManaged(&managed, 8192, CU_MEM_ATTACH_GLOBAL));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemRangeGetAttribute(&number, 4, which[0], managed, 4096));
    EXPECT_EQ(0, number);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(nullptr, 4, which[0], managed, 4096));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(&number, 2, which[0], managed, 4096));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(&number, 0, which[0], managed, 4096));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuMemRangeGetAttribute(&number, 4, value<CUmem_range_attribute>(99), managed, 4096));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(&number, 4, which[0], memory, 4096));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(&number, 4, which[0], managed, 0));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemRangeGetAttributes(out, sizes, which, 2, managed, 4096));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttributes(nullptr, sizes, which, 2, managed, 4096));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttributes(out, nullptr, which, 2, managed, 4096));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttributes(out, sizes, nullptr, 2, managed, 4096));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttributes(out, sizes, which, 0, managed, 4096));
    EXPECT_OK(cuMemFree(managed));
}

TEST_F(MemoryArgumentsTest, PointerAttributes) {
    char out[256];
    unsigned on = 1;
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
    CUpointer_attribute wrong[] = {value<CUpointer_attribute>(99)};
    void* outs[] = {out};
    void* no_outs[] = {nullptr};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(out, value<CUpointer_attribute>(0), memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(out, value<CUpointer_attribute>(99), memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(out, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, nowhere));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(out, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttributes(1, nullptr, outs, memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttributes(1, which, nullptr, memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttributes(1, which, no_outs, memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttributes(1, wrong, outs, memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttributes(0, which, outs, memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerSetAttribute(nullptr, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, nowhere));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuPointerSetAttribute(&on, value<CUpointer_attribute>(99), memory));
}

TEST_F(MemoryArgumentsTest, Ipc) {
    CUipcMemHandle handle{};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(nullptr, memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, nowhere));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, reinterpret_cast<CUdeviceptr>(host)));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle(&pointer, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    EXPECT_OK(cuIpcGetMemHandle(&handle, memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle(nullptr, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle(&pointer, handle, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle(&pointer, handle, 2));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenMemHandle(&pointer, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(nowhere));
}

TEST_F(MemoryArgumentsTest, NothingCurrent) {
    ASSERT_OK(cuCtxPopCurrent(nullptr));
    CUipcMemHandle handle{};
    unsigned type = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuMemAllocPitch(&pointer, &size, 64, 4, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuMemAllocManaged(&pointer, 64, CU_MEM_ATTACH_GLOBAL));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuMemAllocHost(&block, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuMemHostAlloc(&block, 64, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuMemHostRegister(&block, 8, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuMemGetInfo(&size, &size));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(nowhere));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(&block));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuMemHostGetDevicePointer(&pointer, host, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuMemGetAddressRange(&pointer, &size, memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuIpcGetMemHandle(&handle, memory));
    EXPECT_RESULT(CUDA_SUCCESS, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuMemAllocAsync(&pointer, 64, nullptr));
    EXPECT_OK(cuCtxPushCurrent(context));
}

class PoolArgumentsTest : public ArgumentsTest {
protected:
    void SetUp() override {
        ArgumentsTest::SetUp();
        properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
        ASSERT_OK(cuMemPoolCreate(&pool, &properties));
    }
    void TearDown() override {
        EXPECT_OK(cuMemPoolDestroy(pool));
        ArgumentsTest::TearDown();
    }
    CUmemPoolProps properties{};
    CUmemoryPool pool = nullptr;
    CUdeviceptr pointer = 0;
    cuuint64_t number = 0;
};

TEST_F(PoolArgumentsTest, Create) {
    CUmemoryPool made = nullptr, initial = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(nullptr, &properties));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&made, nullptr));
    CUmemPoolProps wrong = properties;
    wrong.allocType = value<CUmemAllocationType>(99);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&made, &wrong));
    wrong = properties;
    wrong.location.id = 99;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&made, &wrong));
    wrong = properties;
    wrong.location.type = CU_MEM_LOCATION_TYPE_INVALID;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&made, &wrong));
    wrong = properties;
    wrong.handleTypes = value<CUmemAllocationHandleType>(0x100);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&made, &wrong));
    wrong = properties;
    wrong.reserved[0] = 1;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&made, &wrong));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(nullptr));
    EXPECT_OK(cuDeviceGetDefaultMemPool(&initial, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(initial));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(garbage<CUmemoryPool>()));
}

TEST_F(PoolArgumentsTest, Allocate) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocAsync(nullptr, 64, stream));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemAllocAsync(&pointer, 0, stream));
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocAsync(&pointer, huge, stream));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuMemAllocAsync(&pointer, 64, garbage<CUstream>()));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(nullptr, 64, pool, stream));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemAllocFromPoolAsync(&pointer, 0, pool, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&pointer, 64, nullptr, stream));
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&pointer, huge, pool, stream));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE,
                         cuMemAllocFromPoolAsync(&pointer, 64, garbage<CUmemoryPool>(), stream));
}

TEST_F(PoolArgumentsTest, Free) {
    ASSERT_OK(cuMemAllocFromPoolAsync(&pointer, 4096, pool, stream));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemFreeAsync(0, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(nowhere, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(pointer + 8, stream));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuMemFreeAsync(pointer, garbage<CUstream>()));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemFreeAsync(pointer, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(pointer, stream));
    EXPECT_OK(cuMemAlloc(&pointer, 4096));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemFreeAsync(pointer, stream));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(pointer));
}

TEST_F(PoolArgumentsTest, Attributes) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolTrimTo(nullptr, 0));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuMemPoolTrimTo(garbage<CUmemoryPool>(), 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAttribute(nullptr, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &number));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAttribute(pool, value<CUmemPool_attribute>(0), &number));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAttribute(pool, value<CUmemPool_attribute>(99), &number));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(nullptr, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &number));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE,
                         cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, value<CUmemPool_attribute>(99), &number));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &number));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &number));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &number));
    number = 5;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &number));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &number));
}

TEST_F(PoolArgumentsTest, Access) {
    CUmemAccess_flags flags;
    CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, {0}}, none{CU_MEM_LOCATION_TYPE_DEVICE, {99}};
    CUmemAccessDesc description{here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAccess(nullptr, pool, &here));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAccess(&flags, nullptr, &here));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAccess(&flags, pool, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAccess(&flags, pool, &none));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAccess(nullptr, &description, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAccess(pool, nullptr, 1));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemPoolSetAccess(pool, &description, 0));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemPoolSetAccess(pool, &description, 1));
    description.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuMemPoolSetAccess(pool, &description, 1));
    description.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuMemPoolSetAccess(pool, &description, 1));
    description = {none, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuMemPoolSetAccess(pool, &description, 1));
}

TEST_F(PoolArgumentsTest, Sharing) {
    int descriptor = -1;
    CUmemoryPool imported = nullptr;
    CUmemPoolPtrExportData data{};
    ASSERT_OK(cuMemAllocFromPoolAsync(&pointer, 4096, pool, stream));
    const auto posix = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&descriptor, pool, posix, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(nullptr, pool, posix, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&descriptor, nullptr, posix, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportFromShareableHandle(&imported, nullptr, posix, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportPointer(&data, pointer));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportPointer(nullptr, pointer));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportPointer(&data, memory));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportPointer(&pointer, pool, &data));
    EXPECT_OK(cuMemFreeAsync(pointer, stream));
}
