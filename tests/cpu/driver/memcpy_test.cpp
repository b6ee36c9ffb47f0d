#include "driver/driver_test.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

class CopyTest : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        ASSERT_OK(cuMemAlloc(&a, size));
        ASSERT_OK(cuMemAlloc(&b, size));
        std::iota(in.begin(), in.end(), static_cast<unsigned char>(1));
    }
    static constexpr size_t size = 4000;
    CUdeviceptr a = 0, b = 0;
    std::vector<unsigned char> in = std::vector<unsigned char>(size);
    std::vector<unsigned char> out = std::vector<unsigned char>(size);
};

TEST_F(CopyTest, ThereAndBack) {
    EXPECT_OK(cuMemcpyHtoD(a, in.data(), size));
    EXPECT_OK(cuMemcpyDtoD(b, a, size));
    EXPECT_OK(cuMemcpyDtoH(out.data(), b, size));
    EXPECT_EQ(in, out);
    EXPECT_OK(cuMemcpyHtoD(a + 10, in.data(), 5));
    EXPECT_OK(cuMemcpyDtoH(out.data(), a, 20));
    EXPECT_EQ(in[0], out[10]);
    EXPECT_EQ(in[15], out[15]);
}

TEST_F(CopyTest, OutsideOfAnAllocationIsRefused) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(a, in.data(), size_t{1} << 40));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(0, in.data(), 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(a, nullptr, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(nullptr, a, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(out.data(), 16, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD(a, 16, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoDAsync(16, in.data(), 4, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(16, 0, 4));
    EXPECT_OK(cuMemcpyHtoD(a, in.data(), 0));
    EXPECT_OK(cuMemcpyHtoD(0, nullptr, 0));
    EXPECT_OK(cuMemcpyDtoH(nullptr, 0, 0));
    EXPECT_OK(cuMemsetD8(0, 1, 0));
    if (!on_cpu_device()) return;  // a real allocation goes on to its granularity
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(a + 1, in.data(), size));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(out.data(), a + size, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(a, 0, size + 1));
}

TEST_F(CopyTest, SizesThatOverflowAreRefused) {
    // Driver 580 on an H100 treats such fills as empty and returns success.
    if (!on_cpu_device()) GTEST_SKIP() << "what a real driver says to these depends on its version";
    constexpr size_t huge = size_t{1} << 62, half = size_t{1} << 63;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(a, 7, huge));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(a, 7, huge + 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD16(a, 7, half));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D32(a, huge, 7, 1, 5));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D32(a, 16, 7, huge, 2));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8(a, 16, 7, 1, huge + 1));
    CUDA_MEMCPY2D plane{};
    plane.srcMemoryType = CU_MEMORYTYPE_HOST;
    plane.srcHost = in.data();
    plane.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    plane.dstDevice = a;
    plane.WidthInBytes = 4;
    plane.Height = huge;
    plane.dstPitch = plane.srcPitch = 4;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&plane));
    plane.Height = 1;
    plane.dstXInBytes = ~size_t{3};  // with the width: nothing at all
    plane.dstPitch = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&plane));
    plane.dstXInBytes = 0;
    plane.dstPitch = 16;
    plane.dstY = size_t{1} << 60;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&plane));
    CUDA_MEMCPY3D box{};
    box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    box.srcDevice = b;
    box.dstDevice = a;
    box.WidthInBytes = 4;
    box.Height = box.Depth = 1;
    box.dstPitch = 4;
    box.dstHeight = size_t{1} << 61;
    box.dstZ = 2;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(&box));
    box.dstZ = 0;
    box.dstHeight = size_t{1} << 59;
    box.Depth = 33;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(&box));
    CUdeviceptr pitched = 0;
    size_t pitch = 0;
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocPitch(&pitched, &pitch, huge, 4, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister(in.data(), ~size_t{0} - 64, 0));
}

TEST_F(CopyTest, AsynchronousCopiesAreInOrder) {
    CUstream stream = nullptr;
    ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    void* pinned = nullptr;
    ASSERT_OK(cuMemAllocHost(&pinned, size));
    std::copy(in.begin(), in.end(), static_cast<unsigned char*>(pinned));
    EXPECT_OK(cuMemcpyHtoDAsync(a, pinned, size, stream));
    EXPECT_OK(cuMemcpyDtoDAsync(b, a, size, stream));
    EXPECT_OK(cuMemsetD8Async(a, 0, size, stream));
    EXPECT_OK(cuMemcpyDtoHAsync(pinned, b, size, stream));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_TRUE(std::equal(in.begin(), in.end(), static_cast<unsigned char*>(pinned)));
    EXPECT_OK(cuMemFreeHost(pinned));
    EXPECT_OK(cuStreamDestroy(stream));
}

TEST_F(CopyTest, PageableSourceMayBeReusedAtOnce) {
    CUstream stream = nullptr;
    ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int round = 0; round < 50; ++round) {
        std::vector<unsigned char> source(size, static_cast<unsigned char>(round));
        EXPECT_OK(cuMemsetD8Async(b, 9, size, stream));
        EXPECT_OK(cuMemcpyHtoDAsync(a, source.data(), size, stream));
        std::fill(source.begin(), source.end(), 255);
        EXPECT_OK(cuMemcpyDtoHAsync(out.data(), a, size, stream));
        EXPECT_OK(cuStreamSynchronize(stream));
        EXPECT_EQ(size, static_cast<size_t>(std::count(out.begin(), out.end(), round)));
    }
    EXPECT_OK(cuStreamDestroy(stream));
}

TEST_F(CopyTest, UnifiedCopiesFindTheDirection) {
    EXPECT_OK(cuMemcpy(a, reinterpret_cast<CUdeviceptr>(in.data()), size));
    EXPECT_OK(cuMemcpy(b, a, size));
    EXPECT_OK(cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(out.data()), b, size, nullptr));
    EXPECT_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(in, out);
}

TEST_F(CopyTest, FillsWithEveryWidth) {
    EXPECT_OK(cuMemsetD8(a, 0x11, size));
    EXPECT_OK(cuMemsetD16(a + 2, 0x2233, 2));
    EXPECT_OK(cuMemsetD32(a + 8, 0x44556677, 1));
    EXPECT_OK(cuMemcpyDtoH(out.data(), a, 14));
    const std::vector<unsigned char> want{0x11, 0x11, 0x33, 0x22, 0x33, 0x22, 0x11,
                                          0x11, 0x77, 0x66, 0x55, 0x44, 0x11, 0x11};
    EXPECT_EQ(want, std::vector<unsigned char>(out.begin(), out.begin() + 14));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD16(a + 1, 0, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(a + 2, 0, 1));
}

TEST_F(CopyTest, FillsRows) {
    EXPECT_OK(cuMemsetD8(a, 0, size));
    EXPECT_OK(cuMemsetD2D8(a + 1, 100, 7, 3, 2));
    EXPECT_OK(cuMemsetD2D32(a + 400, 100, 0x01020304, 2, 2));
    EXPECT_OK(cuMemcpyDtoH(out.data(), a, size));
    EXPECT_EQ(0, out[0]);
    EXPECT_EQ(7, out[3]);
    EXPECT_EQ(0, out[4]);
    EXPECT_EQ(7, out[101]);
    EXPECT_EQ(0, out[201]);
    EXPECT_EQ(4, out[504]);
    EXPECT_EQ(0, out[508]);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8(a, 2, 7, 3, 2));
}

TEST_F(CopyTest, BoxesOfRows) {
    EXPECT_OK(cuMemsetD8(a, 0, size));
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = in.data();
    copy.srcPitch = 10;
    copy.srcXInBytes = 2;
    copy.srcY = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = a;
    copy.dstPitch = 64;
    copy.dstXInBytes = 4;
    copy.WidthInBytes = 5;
    copy.Height = 3;
    EXPECT_OK(cuMemcpy2D(&copy));
    EXPECT_OK(cuMemcpyDtoH(out.data(), a, size));
    for (size_t y = 0; y < 3; ++y) {
        EXPECT_EQ(0, out[y * 64 + 3]);
        for (size_t x = 0; x < 5; ++x) EXPECT_EQ(in[(y + 1) * 10 + 2 + x], out[y * 64 + 4 + x]);
        EXPECT_EQ(0, out[y * 64 + 9]);
    }
    copy.srcPitch = 6;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&copy));
    copy.srcPitch = 10;
    copy.dstDevice = 16;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&copy));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(nullptr));
    copy.Height = 0;
    EXPECT_OK(cuMemcpy2D(&copy));
}

TEST_F(CopyTest, BoxesOfSlices) {
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = in.data();
    copy.srcPitch = 8;
    copy.srcHeight = 5;
    copy.srcZ = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = a;
    copy.dstPitch = 32;
    copy.dstHeight = 4;
    copy.WidthInBytes = 6;
    copy.Height = 3;
    copy.Depth = 2;
    EXPECT_OK(cuMemcpy3DAsync(&copy, nullptr));
    EXPECT_OK(cuStreamSynchronize(nullptr));
    EXPECT_OK(cuMemcpyDtoH(out.data(), a, size));
    for (size_t z = 0; z < 2; ++z)
        for (size_t y = 0; y < 3; ++y)
            for (size_t x = 0; x < 6; ++x)
                EXPECT_EQ(in[(z + 1) * 40 + y * 8 + x], out[z * 128 + y * 32 + x]) << x << y << z;
}

TEST_F(CopyTest, BetweenContexts) {
    EXPECT_OK(cuMemcpyHtoD(a, in.data(), size));
    CUcontext other = nullptr;
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    CUdeviceptr there = 0;
    ASSERT_OK(cuMemAlloc(&there, size));
    EXPECT_OK(cuMemcpyPeer(there, other, a, context, size));
    EXPECT_OK(cuMemcpyDtoH(out.data(), there, size));
    EXPECT_EQ(in, out);
    EXPECT_OK(cuMemcpyPeer(there, nullptr, a, context, size));
    EXPECT_OK(cuCtxDestroy(other));
}

class ArrayTest : public CopyTest {
protected:
    CUDA_ARRAY3D_DESCRIPTOR describe(size_t width, size_t height, size_t depth, unsigned flags = 0) {
        return {width, height, depth, CU_AD_FORMAT_FLOAT, 2, flags};
    }
};

TEST_F(ArrayTest, KeepsItsDescription) {
    CUarray array = nullptr;
    const CUDA_ARRAY_DESCRIPTOR flat{30, 20, CU_AD_FORMAT_UNSIGNED_INT8, 4};
    ASSERT_OK(cuArrayCreate(&array, &flat));
    CUDA_ARRAY_DESCRIPTOR seen{};
    EXPECT_OK(cuArrayGetDescriptor(&seen, array));
    EXPECT_EQ(30u, seen.Width);
    EXPECT_EQ(20u, seen.Height);
    EXPECT_EQ(4u, seen.NumChannels);
    EXPECT_EQ(CU_AD_FORMAT_UNSIGNED_INT8, seen.Format);
    CUDA_ARRAY3D_DESCRIPTOR full{};
    EXPECT_OK(cuArray3DGetDescriptor(&full, array));
    EXPECT_EQ(0u, full.Depth);
    EXPECT_OK(cuArrayDestroy(array));
    if (!on_cpu_device()) return;  // undefined with a real driver
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(array));
}

TEST_F(ArrayTest, RefusesImpossibleShapes) {
    CUarray array = nullptr;
    auto wrong = describe(0, 4, 0);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&array, &wrong));
    wrong = describe(4, 0, 4);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&array, &wrong));
    wrong = describe(4, 4, 4);
    wrong.NumChannels = 3;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&array, &wrong));
    wrong = describe(4, 5, 6, CUDA_ARRAY3D_CUBEMAP);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&array, &wrong));
    wrong = describe(4, 4, 0);
    wrong.Format = static_cast<CUarray_format>(0x77);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&array, &wrong));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&array, nullptr));
}

TEST_F(ArrayTest, TakesBoxes) {
    CUarray array = nullptr;
    const auto shape = describe(8, 6, 4);  // 64 bytes per row
    ASSERT_OK(cuArray3DCreate(&array, &shape));
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = in.data();
    copy.srcPitch = 64;
    copy.srcHeight = 6;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = 64;
    copy.Height = 6;
    copy.Depth = 4;
    EXPECT_OK(cuMemcpy3D(&copy));
    CUDA_MEMCPY3D back{};
    back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    back.srcArray = array;
    back.srcXInBytes = 8;
    back.srcY = 2;
    back.srcZ = 3;
    back.dstMemoryType = CU_MEMORYTYPE_HOST;
    back.dstHost = out.data();
    back.dstPitch = 16;
    back.dstHeight = 2;
    back.WidthInBytes = 16;
    back.Height = 2;
    back.Depth = 1;
    EXPECT_OK(cuMemcpy3D(&back));
    for (size_t y = 0; y < 2; ++y)
        for (size_t x = 0; x < 16; ++x) EXPECT_EQ(in[3 * 384 + (y + 2) * 64 + 8 + x], out[y * 16 + x]);
    back.srcY = 5;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(&back));
    EXPECT_OK(cuArrayDestroy(array));
}

TEST_F(ArrayTest, TakesBytesInOneDimension) {
    CUarray array = nullptr, second = nullptr;
    const auto shape = describe(64, 0, 0);
    ASSERT_OK(cuArray3DCreate(&array, &shape));
    ASSERT_OK(cuArray3DCreate(&second, &shape));
    EXPECT_OK(cuMemcpyHtoA(array, 0, in.data(), 512));
    EXPECT_OK(cuMemcpyAtoA(second, 64, array, 0, 128));
    EXPECT_OK(cuMemcpyAtoD(a, second, 64, 128));
    EXPECT_OK(cuMemcpyDtoA(second, 0, a, 64));
    EXPECT_OK(cuMemcpyAtoH(out.data(), second, 0, 192));
    EXPECT_EQ(in[63], out[63]);
    EXPECT_EQ(in[127], out[191]);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(array, 0, in.data(), 513));
    EXPECT_OK(cuArrayDestroy(array));
    EXPECT_OK(cuArrayDestroy(second));
}

TEST_F(ArrayTest, MipmapsHalve) {
    CUmipmappedArray mipmap = nullptr;
    const auto shape = describe(16, 8, 0);
    ASSERT_OK(cuMipmappedArrayCreate(&mipmap, &shape, 3));
    CUarray level = nullptr;
    CUDA_ARRAY_DESCRIPTOR seen{};
    EXPECT_OK(cuMipmappedArrayGetLevel(&level, mipmap, 2));
    EXPECT_OK(cuArrayGetDescriptor(&seen, level));
    EXPECT_EQ(4u, seen.Width);
    EXPECT_EQ(2u, seen.Height);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&level, mipmap, 3));
    EXPECT_OK(cuMipmappedArrayDestroy(mipmap));
}

TEST_F(ArrayTest, TexturesKnowWhatTheyAreMadeOf) {
    CUarray array = nullptr;
    const auto shape = describe(8, 6, 0, CUDA_ARRAY3D_SURFACE_LDST);
    ASSERT_OK(cuArray3DCreate(&array, &shape));
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC sampling{};
    sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
    sampling.addressMode[0] = CU_TR_ADDRESS_MODE_CLAMP;
    CUtexObject texture = 0;
    ASSERT_OK(cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
    CUDA_RESOURCE_DESC made_of{};
    EXPECT_OK(cuTexObjectGetResourceDesc(&made_of, texture));
    EXPECT_EQ(array, made_of.res.array.hArray);
    CUDA_TEXTURE_DESC seen{};
    EXPECT_OK(cuTexObjectGetTextureDesc(&seen, texture));
    EXPECT_EQ(CU_TR_FILTER_MODE_LINEAR, seen.filterMode);
    EXPECT_EQ(CU_TR_ADDRESS_MODE_CLAMP, seen.addressMode[0]);
    EXPECT_OK(cuTexObjectDestroy(texture));
    CUsurfObject surface = 0;
    ASSERT_OK(cuSurfObjectCreate(&surface, &resource));
    EXPECT_OK(cuSurfObjectGetResourceDesc(&made_of, surface));
    EXPECT_OK(cuSurfObjectDestroy(surface));
    sampling.addressMode[1] = static_cast<CUaddress_mode>(7);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, nullptr, &sampling, nullptr));
    EXPECT_OK(cuArrayDestroy(array));
}

TEST_F(ArrayTest, TexturesOfLinearMemoryAreAligned) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear = {a, CU_AD_FORMAT_FLOAT, 1, size};
    const CUDA_TEXTURE_DESC sampling{};
    CUtexObject texture = 0;
    ASSERT_OK(cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
    EXPECT_OK(cuTexObjectDestroy(texture));
    resource.res.linear.devPtr = a + 4;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D = {a, CU_AD_FORMAT_FLOAT, 1, 16, 4, 128};
    ASSERT_OK(cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
    EXPECT_OK(cuTexObjectDestroy(texture));
    resource.res.pitch2D.pitchInBytes = 100;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
}
