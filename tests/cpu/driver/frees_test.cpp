// Which calls that free something do not return while a stream waits for a word, as measured on an H200 (driver 580).
#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

constexpr std::size_t nbytes = 1 << 21;

/// One of everything that can be freed.
struct Things {
    CUdeviceptr memory = 0, managed = 0, stream_ordered = 0, addresses = 0;
    void* page_locked = nullptr;
    void* registered = nullptr;
    CUarray array = nullptr, image = nullptr;
    CUmipmappedArray mipmapped = nullptr;
    CUtexObject texture = 0;
    CUmodule module = nullptr;
    CUlibrary library = nullptr;
    CUstream stream = nullptr;
    CUevent event = nullptr;
    CUmemoryPool pool = nullptr;
    CUmemGenericAllocationHandle physical = 0;
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
};

struct Free {
    const char* name;
    bool waits;
    CUresult (*run)(Things&);
    bool cpu_device_waits = waits;  ///< where it waits for all work of the context, which a program may still get wrong
};

const Free frees[] = {
    {"cuMemFree", true, [](Things& t) { return cuMemFree(t.memory); }},
    {"cuMemFreeOfManagedMemory", true, [](Things& t) { return cuMemFree(t.managed); }},
    {"cuMemFreeHost", true, [](Things& t) { return cuMemFreeHost(t.page_locked); }},
    {"cuMemHostUnregister", true, [](Things& t) { return cuMemHostUnregister(t.registered); }},
    {"cuArrayDestroy", true, [](Things& t) { return cuArrayDestroy(t.array); }},
    {"cuMipmappedArrayDestroy", true, [](Things& t) { return cuMipmappedArrayDestroy(t.mipmapped); }},
    {"cuModuleUnload", true, [](Things& t) { return cuModuleUnload(t.module); }},
    {"cuMemFreeOfStreamOrderedMemory", false, [](Things& t) { return cuMemFree(t.stream_ordered); }, true},
    {"cuMemFreeAsync", false, [](Things& t) { return cuMemFreeAsync(t.stream_ordered, t.stream); }},
    {"cuMemPoolDestroy", false, [](Things& t) { return cuMemPoolDestroy(t.pool); }},
    {"cuMemUnmap", false, [](Things& t) { return cuMemUnmap(t.addresses, nbytes); }, true},
    {"cuMemRelease", false, [](Things& t) { return cuMemRelease(t.physical); }},
    {"cuTexObjectDestroy", false, [](Things& t) { return cuTexObjectDestroy(t.texture); }},
    {"cuLibraryUnload", false, [](Things& t) { return cuLibraryUnload(t.library); }, true},
    {"cuEventDestroy", false, [](Things& t) { return cuEventDestroy(t.event); }},
    {"cuStreamDestroy", false, [](Things& t) { return cuStreamDestroy(t.stream); }},
    {"cuGraphDestroy", false, [](Things& t) { return cuGraphDestroy(t.graph); }},
    {"cuGraphExecDestroy", false, [](Things& t) { return cuGraphExecDestroy(t.executable); }},
};

}  // namespace

/// A context of its own ends with what a test has left.
class FreesTest : public InContext, public testing::WithParamInterface<Free> {
protected:
    FreesTest() : InContext(NotShared{}) {}
    void SetUp() override {
        InContext::SetUp();
        int has_virtual_memory = 0;
        ASSERT_OK(
            cuDeviceGetAttribute(&has_virtual_memory, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
        make_memory();
        make_arrays();
        make_code();
        if (has_virtual_memory) make_mapping();
        has_mapping = has_virtual_memory != 0;
        ASSERT_OK(cuStreamCreate(&waiting, CU_STREAM_NON_BLOCKING));
        void* host = nullptr;
        ASSERT_OK(cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_DEVICEMAP));
        word = static_cast<std::atomic<unsigned>*>(host);
        *word = 0;
    }
    void TearDown() override {
        InContext::TearDown();
        std::free(things.registered);
    }

    Things things;
    CUstream waiting = nullptr;
    std::atomic<unsigned>* word = nullptr;
    bool has_mapping = false;

private:
    void make_memory() {
        ASSERT_OK(cuMemAlloc(&things.memory, 64));
        ASSERT_OK(cuMemAllocManaged(&things.managed, 64, CU_MEM_ATTACH_GLOBAL));
        ASSERT_OK(cuMemHostAlloc(&things.page_locked, 64, 0));
        things.registered = std::aligned_alloc(4096, 4096);
        ASSERT_OK(cuMemHostRegister(things.registered, 4096, 0));
        ASSERT_OK(cuStreamCreate(&things.stream, CU_STREAM_NON_BLOCKING));
        ASSERT_OK(cuMemAllocAsync(&things.stream_ordered, 64, things.stream));
        ASSERT_OK(cuStreamSynchronize(things.stream));
        CUmemPoolProps properties{};
        properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        ASSERT_OK(cuMemPoolCreate(&things.pool, &properties));
    }
    void make_arrays() {
        CUDA_ARRAY_DESCRIPTOR shape{};
        shape.Width = shape.Height = 8;
        shape.Format = CU_AD_FORMAT_FLOAT;
        shape.NumChannels = 1;
        ASSERT_OK(cuArrayCreate(&things.array, &shape));
        ASSERT_OK(cuArrayCreate(&things.image, &shape));
        CUDA_ARRAY3D_DESCRIPTOR levels{};
        levels.Width = levels.Height = 8;
        levels.Format = CU_AD_FORMAT_FLOAT;
        levels.NumChannels = 1;
        ASSERT_OK(cuMipmappedArrayCreate(&things.mipmapped, &levels, 2));
        CUDA_RESOURCE_DESC resource{};
        resource.resType = CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = things.image;
        const CUDA_TEXTURE_DESC settings{};
        ASSERT_OK(cuTexObjectCreate(&things.texture, &resource, &settings, nullptr));
    }
    void make_code() {
        ASSERT_OK(cuModuleLoadData(&things.module, kernels::all));
        ASSERT_OK(cuLibraryLoadData(&things.library, kernels::all, nullptr, nullptr, 0, nullptr, nullptr, 0));
        ASSERT_OK(cuEventCreate(&things.event, CU_EVENT_DISABLE_TIMING));
        ASSERT_OK(cuGraphCreate(&things.graph, 0));
        ASSERT_OK(cuGraphInstantiateWithFlags(&things.executable, things.graph, 0));
    }
    void make_mapping() {
        CUmemAllocationProp properties{};
        properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        ASSERT_OK(cuMemCreate(&things.physical, nbytes, &properties, 0));
        ASSERT_OK(cuMemAddressReserve(&things.addresses, nbytes, 0, 0, 0));
        ASSERT_OK(cuMemMap(things.addresses, nbytes, 0, things.physical, 0));
    }
};

TEST_P(FreesTest, ReturnWhileAStreamWaits) {
    const Free& call = GetParam();
    const std::string name = call.name;
    if (!has_mapping && (name == "cuMemUnmap" || name == "cuMemRelease")) GTEST_SKIP() << "no virtual memory";
    ASSERT_OK(cuStreamWaitValue32(waiting, reinterpret_cast<CUdeviceptr>(word), 1, CU_STREAM_WAIT_VALUE_GEQ));
    std::atomic<bool> has_returned = false;
    std::thread thread([&] {
        EXPECT_OK(cuCtxSetCurrent(context));
        EXPECT_OK(call.run(things));
        has_returned = true;
    });
    const bool waits = on_cpu_device() ? call.cpu_device_waits : call.waits;
    // One that returns does so at once; for one that waits, a moment shows it.
    const auto longest = std::chrono::milliseconds(waits ? 50 : 10000);
    for (const auto begin = std::chrono::steady_clock::now();
         !has_returned && std::chrono::steady_clock::now() - begin < longest;)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(waits, !has_returned);
    *word = 1;
    thread.join();
}

INSTANTIATE_TEST_SUITE_P(EveryFree, FreesTest, testing::ValuesIn(frees),
                         [](const auto& row) { return row.param.name; });
