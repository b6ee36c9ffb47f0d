#include "driver/checks/checks.hpp"

// PYCUDA_CPU_CHECK=init: reads of memory that nothing wrote.

using namespace checked;

class InitCheckTest : public CheckTest {};

TEST_F(InitCheckTest, FreshMemoryIsNotWritten) {
    EXPECT_AS_PLANNED(Checked c("init"); c.fails({"uninitialised read of 4 bytes, at 0x", "thread (0, 0, 0)",
                                                  "0 bytes into the nearest allocation", "of 256 bytes"},
                                                 "copy_words", {1, 32}, c.memory(256), c.memory(256), 64));
}

TEST_F(InitCheckTest, TheByteIsNamed) {
    EXPECT_AS_PLANNED(
        Checked c("init"); const CUdeviceptr p = c.filled(256); const CUdeviceptr q = c.memory(256);
        Checked::require(cuMemcpyDtoD(p + 42, q, 1));
        c.fails({"bytes, from byte 2 on, at 0x", "thread (10, 0, 0)", "40 bytes into"}, "copy_words", {}, p, q, 64));
}

TEST_F(InitCheckTest, FillsAndCopiesWrite) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr p = c.memory(256); const CUdeviceptr out = c.memory(256);
                      Checked::require(cuMemsetD8(p, 1, 64)); Checked::require(cuMemsetD16(p + 64, 1, 32));
                      Checked::require(cuMemsetD2D32(p + 128, 64, 1, 16, 2)); c.succeeds("copy_words", {}, p, out, 64);
                      const CUdeviceptr copied = c.memory(256); Checked::require(cuMemcpyDtoD(copied, out, 256));
                      c.succeeds("copy_words", {}, copied, out, 64); const std::vector<char> host(256);
                      const CUdeviceptr from_host = c.memory(256);
                      Checked::require(cuMemcpyHtoD(from_host, host.data(), 256));
                      c.succeeds("copy_words", {}, from_host, out, 64); const CUdeviceptr word = c.memory(4);
                      Checked::require(cuStreamWriteValue32(nullptr, word, 3, 0));
                      c.succeeds("copy_words", {}, word, out, 1); c.is_clean());
}

TEST_F(InitCheckTest, WhatIsCopiedFromUnwrittenMemoryIsNotWritten) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr p = c.filled(256); const CUdeviceptr fresh = c.memory(256);
                      Checked::require(cuMemcpyDtoD(p, fresh, 256));
                      c.fails({unwritten}, "copy_words", {}, p, c.memory(256), 64));
}

TEST_F(InitCheckTest, OnlyTheRowsOfAPitchedCopyAreWritten) {
    const auto run = [](int columns) {
        Checked c("init");
        const CUdeviceptr p = c.memory(256), out = c.memory(256);
        const std::vector<char> host(256);
        CUDA_MEMCPY2D copy{};
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = host.data();
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = p;
        copy.dstPitch = 32;
        copy.WidthInBytes = 16;
        copy.Height = 8;
        Checked::require(cuMemcpy2D(&copy));
        if (columns > 4) c.fails({"16 bytes into"}, "copy_words", {}, p, out, columns);
        c.succeeds("copy_words", {}, p + 224, out, columns);
        c.is_clean();
    };
    EXPECT_EXIT(run(4), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(run(5), testing::ExitedWithCode(0), "");
}

TEST_F(InitCheckTest, ArraysPassOnWhatWasWritten) {
    const auto run = [](bool written) {
        Checked c("init");
        CUarray array = nullptr;
        const CUDA_ARRAY_DESCRIPTOR descriptor{64, 1, CU_AD_FORMAT_UNSIGNED_INT32, 1};
        Checked::require(cuArrayCreate(&array, &descriptor));
        const CUdeviceptr p = c.filled(256), out = c.memory(256);
        if (written) Checked::require(cuMemcpyDtoA(array, 0, p, 256));
        Checked::require(cuMemcpyAtoD(p, array, 0, 256));
        if (!written) c.fails({unwritten}, "copy_words", {}, p, out, 64);
        c.succeeds("copy_words", {}, p, out, 64);
        c.is_clean();
    };
    EXPECT_EXIT(run(true), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(run(false), testing::ExitedWithCode(0), "");
}

TEST_F(InitCheckTest, KernelsWrite) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr p = c.memory(4096); const CUdeviceptr out = c.memory(4096);
                      const CUdeviceptr from = c.filled(4096); c.succeeds("copy_words", {16}, from, p, 1024);
                      c.succeeds("copy_words", {16}, p, out, 1024); c.succeeds("copy_bytes", {64}, out, p, 4096);
                      c.succeeds("copy_vectors", {4}, p, out, 256); c.is_clean());
}

TEST_F(InitCheckTest, OnlyTheLanesThatStoreWrite) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr p = c.memory(256); const CUdeviceptr out = c.memory(256);
                      c.succeeds("fill_odd", {}, p); c.succeeds("read_odd", {}, p, out);
                      c.fails({"thread (0, 0, 0)"}, "copy_words", {1, 32}, p, out, 64));
}

TEST_F(InitCheckTest, PaddingThatNothingWroteIsReported) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr p = c.filled(256); const CUdeviceptr out = c.memory(256);
                      Checked::require(cuMemcpyDtoD(p + 28, out, 4));
                      c.fails({"uninitialised read of 16 bytes, from byte 12 on", "thread (1, 0, 0)"}, "copy_vectors",
                              {}, p, out, 16));
}

TEST_F(InitCheckTest, AtomicsReadAndWrite) {
    EXPECT_AS_PLANNED(Checked c("init"); c.fails({"uninitialised read of 4 bytes"}, "atomic_at", {}, c.memory(4), 0l));
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr p = c.memory(256); c.succeeds("set_by_exchange", {}, p);
                      c.succeeds("copy_words", {}, p, c.memory(256), 64); c.is_clean());
}

TEST_F(InitCheckTest, AsynchronousCopiesOfKernelsRead) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr out = c.memory(128);
                      c.succeeds("fetch_async", {1, 32}, c.filled(512), out);
                      c.fails({"read of 16 bytes"}, "fetch_async", {1, 32}, c.memory(512), out));
}

TEST_F(InitCheckTest, VariablesOfModulesAreWritten) {
    EXPECT_AS_PLANNED(Checked c("init"); c.succeeds("read_variable", {}, c.memory(256)); c.is_clean());
}

TEST_F(InitCheckTest, MemoryOfTheHostIsWritten) {
    EXPECT_AS_PLANNED(Checked c("init"); void* host = nullptr; CUdeviceptr managed = 0;
                      Checked::require(cuMemAllocHost(&host, 256));
                      Checked::require(cuMemAllocManaged(&managed, 256, CU_MEM_ATTACH_GLOBAL));
                      c.succeeds("copy_words", {}, host, managed, 64); c.is_clean());
}

TEST_F(InitCheckTest, MemoryTakenAgainIsNotWritten) {
    EXPECT_AS_PLANNED(Checked c("init"); CUmemoryPool pool = nullptr; cuuint64_t keep = ~0ull; CUdeviceptr p = 0;
                      CUdeviceptr again = 0; Checked::require(cuDeviceGetDefaultMemPool(&pool, 0));
                      Checked::require(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
                      Checked::require(cuMemAllocAsync(&p, 256, nullptr)); Checked::require(cuMemsetD8(p, 1, 256));
                      Checked::require(cuMemFreeAsync(p, nullptr));
                      Checked::require(cuMemAllocAsync(&again, 256, nullptr)); if (again != p) std::exit(22);
                      c.fails({unwritten}, "copy_words", {}, again, c.memory(256), 64));
}

TEST_F(InitCheckTest, TheHeapOfKernelsIsNotWritten) {
    EXPECT_AS_PLANNED(Checked c("init"); c.fails({"read of 4 bytes", "of 16 bytes"}, "read_heap", {1, 1}, c.memory(8)));
}

namespace {

CUarray new_array(size_t width, size_t height, CUarray_format format) {
    CUarray array = nullptr;
    const CUDA_ARRAY3D_DESCRIPTOR shape{width, height, 0, format, 1, CUDA_ARRAY3D_SURFACE_LDST};
    Checked::require(cuArray3DCreate(&array, &shape));
    return array;
}

CUtexObject texture_of(const CUDA_RESOURCE_DESC& resource, CUfilter_mode filter, unsigned flags) {
    CUDA_TEXTURE_DESC how{};
    for (CUaddress_mode& mode : how.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    how.filterMode = filter;
    how.flags = flags;
    CUtexObject object = 0;
    Checked::require(cuTexObjectCreate(&object, &resource, &how, nullptr));
    return object;
}

CUDA_RESOURCE_DESC resource_of(CUarray array) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    return resource;
}

}  // namespace

TEST_F(InitCheckTest, FetchesOfLinearMemoryRead) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr out = c.memory(256); CUDA_RESOURCE_DESC resource{};
                      resource.resType = CU_RESOURCE_TYPE_LINEAR; resource.res.linear.devPtr = c.filled(128);
                      resource.res.linear.sizeInBytes = 128; resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
                      resource.res.linear.numChannels = 1;
                      c.succeeds("fetch_texels", {1, 32},
                                 texture_of(resource, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER), out);
                      resource.res.linear.devPtr = c.memory(128);
                      c.fails({"uninitialised read of 4 bytes", "of 128 bytes", "thread (0, 0, 0)"}, "fetch_texels",
                              {1, 32}, texture_of(resource, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER), out));
}

TEST_F(InitCheckTest, LinearFilteringReadsItsNeighbours) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr out = c.memory(256);
                      const CUarray array = new_array(16, 1, CU_AD_FORMAT_FLOAT);
                      Checked::require(cuMemcpyDtoA(array, 0, c.filled(36), 36));
                      const CUtexObject object = texture_of(resource_of(array), CU_TR_FILTER_MODE_LINEAR, 0);
                      c.succeeds("sample_texels", {1, 8}, object, out);
                      c.fails({"a texel of an array", "thread (8, 0, 0)"}, "sample_texels", {1, 9}, object, out));
}

TEST_F(InitCheckTest, SurfacesReadAndWrite) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr out = c.memory(256);
                      const CUDA_RESOURCE_DESC resource = resource_of(new_array(32, 0, CU_AD_FORMAT_SIGNED_INT32));
                      CUsurfObject object = 0; Checked::require(cuSurfObjectCreate(&object, &resource));
                      c.succeeds("set_texels", {1, 32}, object, 20); c.succeeds("get_texels", {1, 20}, object, out);
                      c.fails({"uninitialised read of 4 bytes", "a texel of an array", "thread (20, 0, 0)"},
                              "get_texels", {1, 32}, object, out));
}

TEST_F(InitCheckTest, SharedMemoryStartsUnwrittenInEachBlock) {
    EXPECT_AS_PLANNED(
        Checked c("init"); const CUdeviceptr out = c.memory(256); c.succeeds("read_shared", {8}, 64, out);
        c.fails({"at read_shared::s + 252 of shared memory", "thread (0, 0, 0)"}, "read_shared", {1, 64}, 63, out));
}

TEST_F(InitCheckTest, LoadsThatTheCompilerMovedAreNotReported) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr out = c.filled(256); c.succeeds("hoisted_load", {}, 0, out);
                      c.succeeds("hoisted_load", {}, 1, out); c.is_clean());
}

TEST_F(InitCheckTest, LocalMemoryIsFollowed) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr in = c.filled(256); const CUdeviceptr out = c.memory(256);
                      c.succeeds("read_local", {8}, 2, in, out); c.fails(
                          {"uninitialised read of 4 bytes, at byte 4 of the thread's local memory", "thread (0, 0, 0)"},
                          "read_local", {}, 1, in, out));
}

TEST_F(InitCheckTest, OneThreadsLocalMemoryIsNotAnothers) {
    EXPECT_AS_PLANNED(
        Checked c("init"); const CUdeviceptr in = c.filled(256); const CUdeviceptr out = c.memory(256);
        Checked::require(cuMemsetD32(in + 148, 2, 1));
        c.fails({"at byte 8 of the thread's local memory", "thread (37, 0, 0)"}, "read_local", {1, 40}, 2, in, out));
}

TEST_F(InitCheckTest, FramesOfFunctionsStartUnwritten) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr in = c.filled(256); const CUdeviceptr out = c.memory(256);
                      c.succeeds("read_frame_again", {8}, 2, 2, in, out); c.fails(
                          {"uninitialised read of 4 bytes", "local memory"}, "read_frame_again", {}, 2, 1, in, out));
}

TEST_F(InitCheckTest, ArgumentsCountAsWritten) {
    EXPECT_AS_PLANNED(Checked c("init"); c.succeeds("pass_local", {8}, c.filled(256), c.memory(256)); c.is_clean());
}

TEST_F(InitCheckTest, LocalLoadsThatTheCompilerMovedAreNotReported) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr in = c.filled(256); const CUdeviceptr out = c.memory(256);
                      c.succeeds("hoisted_local_load", {8}, 0, in, out);
                      c.succeeds("hoisted_local_load", {8}, 4, in, out); c.is_clean());
}

TEST_F(InitCheckTest, WhatIsAddedToIsRead) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr in = c.filled(256); const CUdeviceptr out = c.memory(256);
                      c.succeeds("add_to_local", {8}, 2, in, out);
                      c.fails({"at byte 4 of the thread's local memory"}, "add_to_local", {}, 1, in, out));
}

TEST_F(InitCheckTest, SettingABitFieldIsNoRead) {
    EXPECT_AS_PLANNED(Checked c("init"); c.succeeds("set_bit_fields", {8}, c.memory(256), 3, c.memory(256));
                      c.is_clean());
}
