#include "driver_test.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

/// PYCUDA_CPU_CHECK. The variable is read once, so that every test runs in a process of its own.
class CheckTest : public testing::Test {
protected:
    void SetUp() override {
        const char* driver = std::getenv("PYCUDA_DRIVER");
        if (driver && std::strcmp(driver, "cuda") == 0) GTEST_SKIP() << "a check of the CPU device";
        GTEST_FLAG_SET(death_test_style, "threadsafe");
    }
};

namespace {

struct Shape {
    unsigned grid = 1;
    unsigned block = 64;
    unsigned dynamic_shared = 0;
};

/// A process in which kernels are checked. It ends with 0 if all went as it should.
class Checked {
public:
    explicit Checked(const char* words) {
        setenv("PYCUDA_CPU_CHECK", words, 1);
        setenv("PYCUDA_CPU_THREADS", "3", 1);
        require(cuInit(0));
        require(cuCtxCreate(&context_, nullptr, 0, 0));
        std::ifstream in(EXEC_TEST_DIRECTORY "/faults.ptx");
        std::stringstream text;
        text << in.rdbuf();
        require(cuModuleLoadData(&module_, text.str().c_str()));
    }

    CUdeviceptr memory(size_t bytes) {
        CUdeviceptr pointer = 0;
        require(cuMemAlloc(&pointer, bytes));
        return pointer;
    }
    CUdeviceptr filled(size_t bytes) {
        const CUdeviceptr pointer = memory(bytes);
        require(cuMemsetD8(pointer, 1, bytes));
        return pointer;
    }

    template <class... T>
    void launch(const char* kernel, const Shape& shape, T... values) {
        CUfunction function = nullptr;
        require(cuModuleGetFunction(&function, module_, kernel));
        void* parameters[] = {&values..., nullptr};
        require(cuLaunchKernel(function, shape.grid, 1, 1, shape.block, 1, 1, shape.dynamic_shared, nullptr, parameters,
                               nullptr));
    }
    template <class... T>
    void succeeds(const char* kernel, const Shape& shape, T... values) {
        launch(kernel, shape, values...);
        require(cuCtxSynchronize());
    }
    /// The launch fails, which the text of the error explains.
    template <class... T>
    [[noreturn]] void fails(std::vector<const char*> parts, const char* kernel, const Shape& shape, T... values) {
        launch(kernel, shape, values...);
        const CUresult result = cuCtxSynchronize();
        const char* text = "";
        cuGetErrorString(result, &text);
        bool as_expected = result == CUDA_ERROR_LAUNCH_FAILED && cuCtxSynchronize() == result;
        parts.insert(parts.end(), {"kernel ", kernel, "block (", "PTX line ", "faults.cu:"});
        for (const char* part : parts) {
            if (std::strstr(text, part)) continue;
            std::fprintf(stderr, "the report lacks: %s\n", part);
            as_expected = false;
        }
        std::exit(as_expected ? 0 : 20);
    }
    [[noreturn]] void is_clean() { std::exit(0); }

    static void require(CUresult result) {
        if (result == CUDA_SUCCESS) return;
        const char* text = "";
        cuGetErrorString(result, &text);
        std::fprintf(stderr, "unexpected: %s\n", text);
        std::exit(21);
    }

private:
    CUcontext context_ = nullptr;
    CUmodule module_ = nullptr;
};

#define EXPECT_AS_PLANNED(...) EXPECT_EXIT({ __VA_ARGS__; }, testing::ExitedWithCode(0), "")

constexpr const char* unwritten = "that nothing wrote";

}  // namespace

TEST_F(CheckTest, WithoutTheVariableNothingMoreIsChecked) {
    EXPECT_AS_PLANNED(Checked c(""); c.succeeds("copy_words", {}, c.memory(256), c.memory(256), 64);
                      c.succeeds("neighbours", {}, 0, c.memory(256)); c.is_clean());
}

TEST_F(CheckTest, AnUnknownWordIsSaid) {
    EXPECT_EXIT(
        {
            Checked c("init,rase");
            c.fails({unwritten}, "copy_words", {}, c.memory(256), c.memory(256), 64);
        },
        testing::ExitedWithCode(0), "pycuda: PYCUDA_CPU_CHECK=rase is not init or race; ignored");
}

TEST_F(CheckTest, BothChecksAtOnce) {
    EXPECT_AS_PLANNED(Checked c("init,race"); c.fails({unwritten}, "copy_words", {}, c.memory(256), c.memory(256), 64));
    EXPECT_AS_PLANNED(Checked c("race,init"); c.fails({"race at"}, "all_write", {}, 0, c.memory(256)));
}

// --- init ---------------------------------------------------------------------------------------------------------

TEST_F(CheckTest, FreshMemoryIsNotWritten) {
    EXPECT_AS_PLANNED(Checked c("init"); c.fails({"read of 4 bytes that nothing wrote, at 0x", "thread (0, 0, 0)",
                                                  "0 bytes into the nearest allocation", "of 256 bytes"},
                                                 "copy_words", {1, 32}, c.memory(256), c.memory(256), 64));
}

TEST_F(CheckTest, TheByteIsNamed) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr p = c.filled(256); const CUdeviceptr q = c.memory(256);
                      Checked::require(cuMemcpyDtoD(p + 42, q, 1));
                      c.fails({"nothing wrote, from byte 2 on, at 0x", "thread (10, 0, 0)", "40 bytes into"},
                              "copy_words", {}, p, q, 64));
}

TEST_F(CheckTest, FillsAndCopiesWrite) {
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

TEST_F(CheckTest, WhatIsCopiedFromUnwrittenMemoryIsNotWritten) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr p = c.filled(256); const CUdeviceptr fresh = c.memory(256);
                      Checked::require(cuMemcpyDtoD(p, fresh, 256));
                      c.fails({unwritten}, "copy_words", {}, p, c.memory(256), 64));
}

TEST_F(CheckTest, OnlyTheRowsOfAPitchedCopyAreWritten) {
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

TEST_F(CheckTest, ArraysPassOnWhatWasWritten) {
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

TEST_F(CheckTest, KernelsWrite) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr p = c.memory(4096); const CUdeviceptr out = c.memory(4096);
                      const CUdeviceptr from = c.filled(4096); c.succeeds("copy_words", {16}, from, p, 1024);
                      c.succeeds("copy_words", {16}, p, out, 1024); c.succeeds("copy_bytes", {64}, out, p, 4096);
                      c.succeeds("copy_vectors", {4}, p, out, 256); c.is_clean());
}

TEST_F(CheckTest, OnlyTheLanesThatStoreWrite) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr p = c.memory(256); const CUdeviceptr out = c.memory(256);
                      c.succeeds("fill_odd", {}, p); c.succeeds("read_odd", {}, p, out);
                      c.fails({"thread (0, 0, 0)"}, "copy_words", {1, 32}, p, out, 64));
}

TEST_F(CheckTest, PaddingThatNothingWroteIsReported) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr p = c.filled(256); const CUdeviceptr out = c.memory(256);
                      Checked::require(cuMemcpyDtoD(p + 28, out, 4));
                      c.fails({"read of 16 bytes that nothing wrote, from byte 12 on", "thread (1, 0, 0)"},
                              "copy_vectors", {}, p, out, 16));
}

TEST_F(CheckTest, AtomicsReadAndWrite) {
    EXPECT_AS_PLANNED(Checked c("init"); c.fails({"read of 4 bytes that"}, "atomic_at", {}, c.memory(4), 0l));
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr p = c.memory(256); c.succeeds("set_by_exchange", {}, p);
                      c.succeeds("copy_words", {}, p, c.memory(256), 64); c.is_clean());
}

TEST_F(CheckTest, AsynchronousCopiesOfKernelsRead) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr out = c.memory(128);
                      c.succeeds("fetch_async", {1, 32}, c.filled(512), out);
                      c.fails({"read of 16 bytes"}, "fetch_async", {1, 32}, c.memory(512), out));
}

TEST_F(CheckTest, VariablesOfModulesAreWritten) {
    EXPECT_AS_PLANNED(Checked c("init"); c.succeeds("read_variable", {}, c.memory(256)); c.is_clean());
}

TEST_F(CheckTest, MemoryOfTheHostIsWritten) {
    EXPECT_AS_PLANNED(Checked c("init"); void* host = nullptr; CUdeviceptr managed = 0;
                      Checked::require(cuMemAllocHost(&host, 256));
                      Checked::require(cuMemAllocManaged(&managed, 256, CU_MEM_ATTACH_GLOBAL));
                      c.succeeds("copy_words", {}, host, managed, 64); c.is_clean());
}

TEST_F(CheckTest, MemoryTakenAgainIsNotWritten) {
    EXPECT_AS_PLANNED(Checked c("init"); CUmemoryPool pool = nullptr; cuuint64_t keep = ~0ull; CUdeviceptr p = 0;
                      CUdeviceptr again = 0; Checked::require(cuDeviceGetDefaultMemPool(&pool, 0));
                      Checked::require(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
                      Checked::require(cuMemAllocAsync(&p, 256, nullptr)); Checked::require(cuMemsetD8(p, 1, 256));
                      Checked::require(cuMemFreeAsync(p, nullptr));
                      Checked::require(cuMemAllocAsync(&again, 256, nullptr)); if (again != p) std::exit(22);
                      c.fails({unwritten}, "copy_words", {}, again, c.memory(256), 64));
}

TEST_F(CheckTest, TheHeapOfKernelsIsNotWritten) {
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

TEST_F(CheckTest, FetchesOfLinearMemoryRead) {
    EXPECT_AS_PLANNED(
        Checked c("init"); const CUdeviceptr out = c.memory(256); CUDA_RESOURCE_DESC resource{};
        resource.resType = CU_RESOURCE_TYPE_LINEAR; resource.res.linear.devPtr = c.filled(128);
        resource.res.linear.sizeInBytes = 128; resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
        resource.res.linear.numChannels = 1; c.succeeds(
            "fetch_texels", {1, 32}, texture_of(resource, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER), out);
        resource.res.linear.devPtr = c.memory(128);
        c.fails({"read of 4 bytes that nothing wrote", "of 128 bytes", "thread (0, 0, 0)"}, "fetch_texels", {1, 32},
                texture_of(resource, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER), out));
}

TEST_F(CheckTest, LinearFilteringReadsItsNeighbours) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr out = c.memory(256);
                      const CUarray array = new_array(16, 1, CU_AD_FORMAT_FLOAT);
                      Checked::require(cuMemcpyDtoA(array, 0, c.filled(36), 36));
                      const CUtexObject object = texture_of(resource_of(array), CU_TR_FILTER_MODE_LINEAR, 0);
                      c.succeeds("sample_texels", {1, 8}, object, out);
                      c.fails({"a texel of an array", "thread (8, 0, 0)"}, "sample_texels", {1, 9}, object, out));
}

TEST_F(CheckTest, SurfacesReadAndWrite) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr out = c.memory(256);
                      const CUDA_RESOURCE_DESC resource = resource_of(new_array(32, 0, CU_AD_FORMAT_SIGNED_INT32));
                      CUsurfObject object = 0; Checked::require(cuSurfObjectCreate(&object, &resource));
                      c.succeeds("set_texels", {1, 32}, object, 20); c.succeeds("get_texels", {1, 20}, object, out);
                      c.fails({"read of 4 bytes that nothing wrote", "a texel of an array", "thread (20, 0, 0)"},
                              "get_texels", {1, 32}, object, out));
}

TEST_F(CheckTest, SharedMemoryStartsUnwrittenInEachBlock) {
    EXPECT_AS_PLANNED(
        Checked c("init"); const CUdeviceptr out = c.memory(256); c.succeeds("read_shared", {8}, 64, out);
        c.fails({"at read_shared::s + 252 of shared memory", "thread (0, 0, 0)"}, "read_shared", {1, 64}, 63, out));
}

TEST_F(CheckTest, LoadsThatTheCompilerMovedAreNotReported) {
    EXPECT_AS_PLANNED(Checked c("init"); const CUdeviceptr out = c.filled(256); c.succeeds("hoisted_load", {}, 0, out);
                      c.succeeds("hoisted_load", {}, 1, out); c.is_clean());
}

// --- race ---------------------------------------------------------------------------------------------------------

#define EXPECT_CLEAN(...) EXPECT_AS_PLANNED(Checked c("race"); c.succeeds(__VA_ARGS__); c.is_clean())

TEST_F(CheckTest, AReadOfWhatAnotherThreadWrites) {
    EXPECT_CLEAN("neighbours", {20}, 1, c.memory(20 * 256));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails(
        {"race at byte 4 of shared memory, neighbours::tile + 4: read of 4 bytes by thread (0, 0, 0)",
         "with no barrier between them, write of 4 bytes by thread (1, 0, 0)"},
        "neighbours", {1, 64}, 0, c.memory(256)));
}

TEST_F(CheckTest, AWriteOverWhatAnotherThreadReads) {
    EXPECT_CLEAN("shift", {3, 64, 256}, 1, c.memory(256));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({": write of 4 bytes by thread", "no barrier between them, read of"},
                                                 "shift", {1, 64, 256}, 0, c.memory(256)));
}

TEST_F(CheckTest, WritesOfDifferentValues) {
    EXPECT_CLEAN("all_write", {}, 1, c.memory(256));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({": write of 4 bytes by thread (1, 0, 0)", "thread (0, 0, 0)"},
                                                 "all_write", {}, 0, c.memory(256)));
}

TEST_F(CheckTest, BytesOfOneWordAreApart) {
    EXPECT_CLEAN("bytes", {}, 1, c.memory(64));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"write of 1 byte by"}, "bytes", {}, 2, c.memory(64)));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"write of 4 bytes by thread (5, 0, 0)", "write of 1 byte by thread"},
                                                 "word_over_bytes", {1, 32}, c.memory(64)));
}

TEST_F(CheckTest, AtomicsMeetOnlyAtomics) {
    EXPECT_CLEAN("count_shared", {}, 1, c.memory(256));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"read of 4 bytes by", "atomic access of 4 bytes by"}, "count_shared",
                                                 {}, 0, c.memory(256)));
}

TEST_F(CheckTest, VolatileAccessesOfOneWarpAreInOrder) {
    EXPECT_CLEAN("old_reduction", {4}, c.filled(256), c.memory(4));
    EXPECT_AS_PLANNED(Checked c("race");
                      c.fails({"volatile_between_warps::s"}, "volatile_between_warps", {}, c.memory(256)));
}

TEST_F(CheckTest, LanesThatSynchroniseAreInOrder) {
    for (int sync : {1, 2, 3, 4}) EXPECT_CLEAN("within_warp", {}, sync, c.memory(256));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"within_warp::s"}, "within_warp", {}, 0, c.memory(256)));
    EXPECT_CLEAN("half_warps", {1, 32}, 0, c.memory(128));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"half_warps::s"}, "half_warps", {1, 32}, 1, c.memory(128)));
}

TEST_F(CheckTest, NamedBarriersOrderWhoTakesPart) {
    EXPECT_CLEAN("producer_consumer", {5}, 1, 9, c.memory(32 * 9 * 4));
    EXPECT_CLEAN("producer_consumer", {5}, 0, 1, c.memory(32 * 4));
    EXPECT_AS_PLANNED(Checked c("race");
                      c.fails({"producer_consumer::s"}, "producer_consumer", {}, 0, 2, c.memory(32 * 2 * 4)));
}

TEST_F(CheckTest, OrderIsPassedOn) {
    EXPECT_CLEAN("through_another_warp", {1, 96}, 1, c.memory(128));
    EXPECT_AS_PLANNED(Checked c("race");
                      c.fails({"through_another_warp::s"}, "through_another_warp", {1, 96}, 0, c.memory(128)));
}

TEST_F(CheckTest, AnAtomicFlagOrdersAfterAFence) {
    for (int fence : {1, 2}) EXPECT_CLEAN("flag_between_warps", {3, 64}, fence, c.memory(128));
    EXPECT_AS_PLANNED(Checked c("race");
                      c.fails({"flag_between_warps::message"}, "flag_between_warps", {1, 64}, 0, c.memory(128)));
}

TEST_F(CheckTest, TilesOfSeveralWarpsAreInOrder) {
    EXPECT_CLEAN("tiles_of_two_warps", {3, 128}, 1, c.memory(512));
    EXPECT_AS_PLANNED(Checked c("race");
                      c.fails({"tiles_of_two_warps::s"}, "tiles_of_two_warps", {1, 128}, 0, c.memory(512)));
}

TEST_F(CheckTest, GenericAddressesOfSharedMemory) {
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"generic_race::s"}, "generic_race", {}, c.memory(256)));
}

TEST_F(CheckTest, AsynchronousCopiesWrite) {
    EXPECT_CLEAN("fetch_and_share", {1, 32}, 1, c.filled(512), c.memory(128));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"read of 4 bytes", "write of 16 bytes"}, "fetch_and_share", {1, 32},
                                                 0, c.filled(512), c.memory(128)));
}

TEST_F(CheckTest, DivergedThreads) {
    EXPECT_CLEAN("diverged", {6}, 1, c.memory(256));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"diverged::s"}, "diverged", {6}, 0, c.memory(256)));
}
