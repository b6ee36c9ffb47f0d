#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

#include <fstream>
#include <sstream>
#include <string>

/// Memory that a kernel must not touch, though it once could or another's kernel can. CUDA leaves open what a GPU does,
/// so these are tests of the CPU device.
class FaultTest : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        if (!on_cpu_device()) GTEST_SKIP() << "a GPU need not notice";
        ASSERT_OK(cuModuleLoadData(&module_, kernels::all));
        ASSERT_OK(cuModuleGetFunction(&poke_, module_, "poke"));
    }

    /// Writes there from a kernel and returns the text of the error.
    std::string fault_of_writing(CUdeviceptr where) {
        unsigned value = 1;
        void* parameters[] = {&where, &value};
        EXPECT_OK(cuLaunchKernel(poke_, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
        const CUresult result = cuCtxSynchronize();
        EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, result);
        const char* text = "";
        EXPECT_OK(cuGetErrorString(result, &text));
        return text;
    }

    /// The same for a kernel of exec/faults.cu with a texture or surface.
    template <class... T>
    std::string fault_of(CUresult expected, const char* kernel, T... values) {
        std::stringstream source;
        source << std::ifstream(EXEC_PTX_DIRECTORY "/faults.ptx").rdbuf();
        CUmodule module = nullptr;
        CUfunction function = nullptr;
        EXPECT_OK(cuModuleLoadData(&module, source.str().c_str()));
        EXPECT_OK(cuModuleGetFunction(&function, module, kernel));
        void* parameters[] = {&values...};
        EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
        const CUresult result = cuCtxSynchronize();
        EXPECT_RESULT(expected, result);
        const char* text = "";
        EXPECT_OK(cuGetErrorString(result, &text));
        expect_part(text, std::string("kernel ") + kernel);
        expect_part(text, "thread (0, 0, 0), PTX line ");
        expect_part(text, "faults.cu:");
        return text;
    }
    static CUtexObject texture_of(const CUDA_RESOURCE_DESC& resource) {
        CUDA_TEXTURE_DESC how{};
        how.flags = CU_TRSF_READ_AS_INTEGER;
        CUtexObject object = 0;
        EXPECT_OK(cuTexObjectCreate(&object, &resource, &how, nullptr));
        return object;
    }
    static CUarray integers(std::size_t width) {
        CUarray array = nullptr;
        const CUDA_ARRAY3D_DESCRIPTOR shape{width, 0, 0, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST};
        EXPECT_OK(cuArray3DCreate(&array, &shape));
        return array;
    }
    static CUsurfObject surface_of(CUarray array) {
        CUDA_RESOURCE_DESC resource{};
        resource.resType = CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = array;
        CUsurfObject object = 0;
        EXPECT_OK(cuSurfObjectCreate(&object, &resource));
        return object;
    }

    static void expect_part(const std::string& text, const std::string& part) {
        EXPECT_NE(std::string::npos, text.find(part)) << text << "\nlacks: " << part;
    }

    CUmodule module_ = nullptr;
    CUfunction poke_ = nullptr;
};

TEST_F(FaultTest, UseAfterFree) {
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemAlloc(&pointer, 1000));
    ASSERT_OK(cuMemFree(pointer));
    const std::string text = fault_of_writing(pointer + 100);
    expect_part(text, "kernel poke: illegal write of 4 bytes");
    expect_part(text, "100 bytes into memory freed earlier");
    expect_part(text, "of 1000 bytes");
}

TEST_F(FaultTest, UseAfterFreeInStreamOrder) {
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemAllocAsync(&pointer, 1000, nullptr));
    ASSERT_OK(cuMemFreeAsync(pointer, nullptr));
    expect_part(fault_of_writing(pointer), "0 bytes into memory freed earlier");
}

/// Allocated in another context, from a pool that is destroyed first: no context may still know the memory.
TEST_F(FaultTest, UseAfterFreeOfADestroyedPoolsMemory) {
    CUcontext other = nullptr;
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    CUmemoryPool pool = nullptr;
    ASSERT_OK(cuMemPoolCreate(&pool, &properties));
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemAllocFromPoolAsync(&pointer, 1000, pool, nullptr));
    ASSERT_OK(cuMemPoolDestroy(pool));
    ASSERT_OK(cuMemFree(pointer));
    ASSERT_OK(cuCtxSetCurrent(context));
    expect_part(fault_of_writing(pointer), "0 bytes into memory freed earlier");
    ASSERT_OK(cuCtxDestroy(other));
}

TEST_F(FaultTest, UseOfAnUnloadedModulesVariable) {
    CUmodule other = nullptr;
    CUdeviceptr counter = 0;
    ASSERT_OK(cuModuleLoadData(&other, kernels::all));
    ASSERT_OK(cuModuleGetGlobal(&counter, nullptr, other, "counter"));
    ASSERT_OK(cuModuleUnload(other));
    expect_part(fault_of_writing(counter), "0 bytes into memory freed earlier");
}

TEST_F(FaultTest, MemoryOfAnotherContext) {
    CUcontext other = nullptr;
    CUdeviceptr theirs = 0;
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    ASSERT_OK(cuMemAlloc(&theirs, 64));
    ASSERT_OK(cuCtxSetCurrent(context));
    expect_part(fault_of_writing(theirs + 4), "the address lies in an allocation of another context, on device 0");
    ASSERT_OK(cuCtxDestroy(other));
}

TEST_F(FaultTest, OutsideASurface) {
    const CUsurfObject surface = surface_of(integers(8));
    expect_part(fault_of(CUDA_ERROR_ILLEGAL_ADDRESS, "set_texel_at", surface, 32), "outside the surface");
}

TEST_F(FaultTest, BeforeASurface) {
    const CUsurfObject surface = surface_of(integers(8));
    expect_part(fault_of(CUDA_ERROR_ILLEGAL_ADDRESS, "set_texel_at", surface, -4), "outside the surface");
}

TEST_F(FaultTest, MisalignedInASurface) {
    const CUsurfObject surface = surface_of(integers(8));
    expect_part(fault_of(CUDA_ERROR_MISALIGNED_ADDRESS, "set_texel_at", surface, 2), "misaligned access to a surface");
}

TEST_F(FaultTest, FreedMemoryThroughATexture) {
    CUdeviceptr out = 0, texels = 0;
    ASSERT_OK(cuMemAlloc(&out, 128));
    ASSERT_OK(cuMemAlloc(&texels, 128));
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear = {texels, CU_AD_FORMAT_SIGNED_INT32, 1, 128};
    const CUtexObject texture = texture_of(resource);
    ASSERT_OK(cuMemFree(texels));
    expect_part(fault_of(CUDA_ERROR_ILLEGAL_ADDRESS, "fetch_texels", texture, out), "access to memory freed earlier");
}

TEST_F(FaultTest, ADestroyedArrayThroughASurface) {
    const CUarray array = integers(32);
    const CUsurfObject surface = surface_of(array);
    ASSERT_OK(cuArrayDestroy(array));
    expect_part(fault_of(CUDA_ERROR_ILLEGAL_ADDRESS, "set_texel_at", surface, 0), "access to memory freed earlier");
}

TEST_F(FaultTest, OneByteBehindTheEnd) {
    CUdeviceptr pointer = 0;
    ASSERT_OK(cuMemAlloc(&pointer, 1001));
    const std::string text = fault_of_writing(pointer + 1000);
    expect_part(text, "1000 bytes into the nearest allocation");
    EXPECT_EQ(std::string::npos, text.find("another context")) << text;
}
