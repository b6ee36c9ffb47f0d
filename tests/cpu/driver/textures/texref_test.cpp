// Texture and surface references: what kernels read through them. What the calls refuse: texref_calls_test.cpp.
#include <cmath>

#include "driver/textures/references.hpp"

namespace {

using namespace reference_test;
using texture_test::sampling;

constexpr CUaddress_mode modes[] = {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_MIRROR,
                                    CU_TR_ADDRESS_MODE_BORDER};
constexpr CUfilter_mode filters[] = {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR};
constexpr CUarray_format formats[] = {
    CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,  CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
    CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32, CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};

std::size_t bytes_of(CUarray_format format) {
    return format == CU_AD_FORMAT_UNSIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT8 ? 1
           : format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32 ||
                   format == CU_AD_FORMAT_FLOAT
               ? 4
               : 2;
}

std::vector<Vector4> across(float first, float step, int count, float y = 0.5f, float z = 0.5f, float w = 0) {
    std::vector<Vector4> points;
    for (int i = 0; i < count; ++i) points.push_back({first + static_cast<float>(i) * step, y, z, w});
    return points;
}

void set(CUtexref reference, const CUDA_TEXTURE_DESC& how) {
    for (int d = 0; d < 3; ++d) EXPECT_OK(cuTexRefSetAddressMode(reference, d, how.addressMode[d]));
    EXPECT_OK(cuTexRefSetFilterMode(reference, how.filterMode));
    EXPECT_OK(cuTexRefSetFlags(reference, how.flags));
    EXPECT_OK(cuTexRefSetBorderColor(reference, const_cast<float*>(how.borderColor)));
    EXPECT_OK(cuTexRefSetMipmapFilterMode(reference, how.mipmapFilterMode));
    EXPECT_OK(cuTexRefSetMipmapLevelBias(reference, how.mipmapLevelBias));
    EXPECT_OK(cuTexRefSetMipmapLevelClamp(reference, how.minMipmapLevelClamp, how.maxMipmapLevelClamp));
}

/// The result of an object with the same array and the same description.
class LikeAnObject : public ReferenceTest {
protected:
    void expect_same(CUarray array, const CUDA_TEXTURE_DESC& how, const std::string& kernel,
                     const std::vector<Vector4>& points, const std::string& what) {
        EXPECT_OK(cuTexRefSetArray(reference, array, CU_TRSA_OVERRIDE_FORMAT));
        set(reference, how);
        const CUtexObject object = texture(array, how);
        EXPECT_EQ(fetch<Bits>(kernel, points), fetch<Bits>(kernel + "_of_object", points, object)) << kernel << what;
        EXPECT_OK(cuTexObjectDestroy(object));
    }
};

TEST_F(LikeAnObject, EveryAddressAndFilterMode) {
    const CUarray row = floats(1, 5), image = floats(1, 5, 4), box = floats(1, 5, 4, 3);
    for (CUaddress_mode mode : modes)
        for (CUfilter_mode filter : filters)
            for (unsigned flags : {0u, static_cast<unsigned>(CU_TRSF_NORMALIZED_COORDINATES)}) {
                CUDA_TEXTURE_DESC how = sampling(mode, filter, flags);
                for (int c = 0; c < 4; ++c) how.borderColor[c] = static_cast<float>(-1 - c);
                const bool normalized = flags != 0;
                const float scale = normalized ? 0.25f : 1;
                const std::string what = " mode " + std::to_string(mode) + " filter " + std::to_string(filter) +
                                         " flags " + std::to_string(flags);
                expect_same(row, how, "f1", across(-7 * scale, 0.625f * scale, 30), what);
                expect_same(image, how, "f2", across(-7 * scale, 0.625f * scale, 30, 4.25f * scale), what);
                expect_same(box, how, "f3", across(-7 * scale, 0.625f * scale, 30, 1.75f * scale, -0.375f * scale),
                            what);
                expect_same(image, how, "i2", across(-2, 1, 9, 1), what);
            }
}

TEST_F(LikeAnObject, EveryFormatAndReadMode) {
    for (CUarray_format format : formats)
        for (unsigned channels : {1u, 2u, 4u}) {
            std::vector<std::uint8_t> bytes(8 * bytes_of(format) * channels);
            for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(0x3c - i * 37 % 120);
            const CUarray texels = array(bytes, format, channels, 8);
            for (unsigned flags :
                 {0u, static_cast<unsigned>(CU_TRSF_READ_AS_INTEGER), static_cast<unsigned>(CU_TRSF_SRGB)}) {
                const std::string what = " format " + std::to_string(format) + " x " + std::to_string(channels) +
                                         " flags " + std::to_string(flags);
                const CUDA_TEXTURE_DESC how = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, flags);
                expect_same(texels, how, "f1", across(0.5f, 1, 8), what);
            }
        }
}

TEST_F(LikeAnObject, LayersCubesAndGathers) {
    const CUDA_TEXTURE_DESC how = sampling();
    expect_same(floats(1, 4, 0, 3, CUDA_ARRAY3D_LAYERED), how, "a1", across(0.5f, 1, 4, 0, 0, 2), "");
    expect_same(floats(1, 4, 3, 2, CUDA_ARRAY3D_LAYERED), how, "a2", across(0.5f, 1, 4, 1.5f, 0, 1), "");
    expect_same(floats(1, 4, 4, 6, CUDA_ARRAY3D_CUBEMAP), how, "cube", across(-1.9f, 0.2f, 20, 0.3f, 1), "");
    expect_same(floats(1, 4, 4, 12, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED), how, "acube",
                across(-1.9f, 0.2f, 20, -1, 0.25f, 1), "");
    const std::vector<std::uint8_t> pixels(8 * 8 * 4, 77);
    expect_same(array(pixels, CU_AD_FORMAT_UNSIGNED_INT8, 4, 8, 8, 0, CUDA_ARRAY3D_TEXTURE_GATHER), how, "gather",
                across(0.5f, 1, 8, 3), "");
}

TEST_F(ReferenceTest, IsFetchedAtIntegersFromLinearMemory) {
    const CUdeviceptr memory = counted(64);
    std::size_t offset = 99;
    EXPECT_OK(cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 1));
    EXPECT_OK(cuTexRefSetAddress(&offset, reference, memory, 16 * sizeof(float)));
    EXPECT_EQ(offset, 0u);
    EXPECT_EQ(red("i1", across(-1, 1, 4)), (std::vector<float>{0, 1, 2, 3}));
    EXPECT_EQ(red("i1", across(14, 1, 4)), (std::vector<float>{15, 16, 0, 0}));
    EXPECT_OK(cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 2));
    EXPECT_OK(cuTexRefSetAddress(&offset, reference, memory, 16 * sizeof(float)));
    const auto pairs = fetch("i1", across(6, 1, 3));
    EXPECT_EQ(pairs[1].x, 15);
    EXPECT_EQ(pairs[1].y, 16);
    EXPECT_EQ(pairs[2].x, 0);
}

/// The texture starts at an aligned address; the offset says where the memory starts in it.
TEST_F(ReferenceTest, OffsetOfLinearMemory) {
    const CUdeviceptr memory = counted(1024);
    EXPECT_OK(cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 1));
    for (std::size_t start : {4u, 20u, 512u, 600u}) {
        std::size_t offset = 99;
        EXPECT_OK(cuTexRefSetAddress(&offset, reference, memory + start, 64));
        int alignment = 0;
        EXPECT_OK(cuDeviceGetAttribute(&alignment, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 0));
        EXPECT_EQ(offset, start % static_cast<std::size_t>(alignment));
        const auto first = static_cast<float>(start / 4 + 1);
        EXPECT_EQ(red("i1", across(static_cast<float>(offset / 4), 1, 2)), (std::vector<float>{first, first + 1}));
    }
}

TEST_F(ReferenceTest, IsFetchedFromPitchedMemory) {
    const CUdeviceptr memory = counted(1024);
    const CUDA_ARRAY_DESCRIPTOR shape{5, 4, CU_AD_FORMAT_FLOAT, 1};
    EXPECT_OK(cuTexRefSetAddress2D(reference, &shape, memory, 64));
    EXPECT_EQ(red("f2", across(-0.5f, 1, 7, 2.5f)), (std::vector<float>{33, 33, 34, 35, 36, 37, 37}));
    EXPECT_EQ(red("i2", across(0, 1, 3, 3)), (std::vector<float>{49, 50, 51}));
    EXPECT_OK(cuTexRefSetFilterMode(reference, CU_TR_FILTER_MODE_LINEAR));
    EXPECT_EQ(red("f2", across(0.5f, 0.25f, 3, 2)), (std::vector<float>{25, 25.25f, 25.5f}));
}

TEST_F(ReferenceTest, IsFetchedFromALevelOrAWholeMipmappedArray) {
    const CUDA_ARRAY3D_DESCRIPTOR shape{8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmipmappedArray mipmapped = nullptr;
    EXPECT_OK(cuMipmappedArrayCreate(&mipmapped, &shape, 4));
    CUarray levels[4];
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_OK(cuMipmappedArrayGetLevel(&levels[i], mipmapped, i));
        const std::size_t width = 8u >> i;
        fill(levels[i], std::vector<float>(width * width, 10.0f * static_cast<float>(i + 1)), width, width, 0);
    }
    CUDA_TEXTURE_DESC how = sampling();
    how.flags = CU_TRSF_NORMALIZED_COORDINATES;
    set(reference, how);
    EXPECT_OK(cuTexRefSetMipmappedArray(reference, mipmapped, CU_TRSA_OVERRIDE_FORMAT));
    const auto at_levels = [&](std::initializer_list<float> wanted) {
        std::vector<Vector4> points;
        for (float level : wanted) points.push_back({0.5f, 0.5f, 0, level});
        return red("level", points);
    };
    EXPECT_EQ(at_levels({-1, 0, 1, 2, 9}), (std::vector<float>{10, 10, 20, 30, 40}));
    EXPECT_OK(cuTexRefSetMipmapFilterMode(reference, CU_TR_FILTER_MODE_LINEAR));
    EXPECT_EQ(at_levels({0.5f, 1.25f}), (std::vector<float>{15, 22.5f}));
    EXPECT_OK(cuTexRefSetMipmapLevelBias(reference, 0.5f));
    EXPECT_EQ(at_levels({0.5f, 1.25f}), (std::vector<float>{20, 27.5f}));
    EXPECT_OK(cuTexRefSetMipmapLevelClamp(reference, 1, 2));
    EXPECT_EQ(at_levels({-3, 1, 3}), (std::vector<float>{20, 25, 30}));
    EXPECT_OK(cuTexRefSetArray(reference, levels[2], CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_EQ(red("f2", {{0.5f, 0.5f}}), (std::vector<float>{30}));
}

TEST_F(ReferenceTest, HasTheSizeOfWhatIsBound) {
    if (!on_cpu_device()) GTEST_SKIP() << "driver 580 cannot load a kernel with txq of a reference";
    EXPECT_OK(cuTexRefSetArray(reference, floats(1, 6, 5), CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_EQ(fetch<Bits>("size", {{}}), (std::vector<Bits>{{6, 5, 1, 0}}));
    EXPECT_OK(cuSurfRefSetArray(surface_reference, floats(1, 7, 3, 0, CUDA_ARRAY3D_SURFACE_LDST), 0));
    const auto seen = fetch<Bits>("surface_size", {{}});
    EXPECT_EQ(seen[0].x, 7u);
    EXPECT_EQ(seen[0].y, 3u);
}

TEST_F(ReferenceTest, SurfaceIsReadAndWritten) {
    const CUarray row = floats(1, 8, 0, 0, CUDA_ARRAY3D_SURFACE_LDST);
    EXPECT_OK(cuSurfRefSetArray(surface_reference, row, 0));
    EXPECT_EQ(red("load1", across(5, 1, 4)), (std::vector<float>{6, 7, 8, 0}));
    EXPECT_OK(launch("store1", across(2, 1, 2, 0, 0, 1234)));
    EXPECT_OK(launch("store1", across(8, 1, 2, 0, 0, 1234)));  // outside: .zero drops it
    std::vector<std::uint32_t> held(8);
    EXPECT_OK(cuMemcpyAtoH(held.data(), row, 0, 32));
    EXPECT_EQ(held[2], 1234u);
    EXPECT_EQ(held[3], 1234u);
    EXPECT_EQ(held[4], 0x40a00000u);
    EXPECT_OK(cuSurfRefSetArray(surface_reference, floats(1, 4, 3, 0, CUDA_ARRAY3D_SURFACE_LDST), 0));
    EXPECT_EQ(red("load2", across(0, 1, 2, 2)), (std::vector<float>{9, 10}));
}

/// Each launch sees what was bound when it was submitted, whenever it runs.
TEST_F(ReferenceTest, IsReadAtTheLaunch) {
    const CUarray first = floats(1, 4), second = floats(51, 4);
    CUstream stream = nullptr;
    EXPECT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CUfunction function = nullptr;
    EXPECT_OK(cuModuleGetFunction(&function, module, "f1"));
    const std::vector<Vector4> points = across(0.5f, 1, 2);
    EXPECT_OK(cuMemcpyHtoD(in, points.data(), points.size() * sizeof(Vector4)));
    CUdeviceptr busy = 0, other = out + 4096;
    constexpr std::size_t much = 1 << 24;
    EXPECT_OK(cuMemAlloc(&busy, much));
    for (int i = 0; i < 8; ++i) EXPECT_OK(cuMemsetD8Async(busy, 1, much, stream));
    unsigned n = 2;
    void* to_out[] = {&out, &in, &n};
    void* to_other[] = {&other, &in, &n};
    EXPECT_OK(cuTexRefSetArray(reference, first, CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, 2, 1, 1, 0, stream, to_out, nullptr));
    EXPECT_OK(cuTexRefSetArray(reference, second, CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, 2, 1, 1, 0, stream, to_other, nullptr));
    EXPECT_OK(cuTexRefSetArray(reference, first, CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_OK(cuCtxSynchronize());
    Vector4 seen[2];
    EXPECT_OK(cuMemcpyDtoH(seen, out, sizeof seen));
    EXPECT_EQ(seen[1].x, 2);
    EXPECT_OK(cuMemcpyDtoH(seen, other, sizeof seen));
    EXPECT_EQ(seen[1].x, 52);
}

TEST_F(ReferenceTest, ItsAddressIsAHandle) {
    EXPECT_OK(cuTexRefSetArray(reference, floats(1, 4), CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_EQ(red("indirect", across(0.5f, 1, 2)), (std::vector<float>{1, 2}));
}

TEST_F(ReferenceTest, EachReferenceOfAModuleIsItsOwn) {
    CUtexref hidden = nullptr;
    EXPECT_OK(cuModuleGetTexRef(&hidden, module, "hidden"));
    EXPECT_OK(cuTexRefSetArray(reference, floats(1, 4), CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_OK(cuTexRefSetArray(hidden, floats(31, 4), CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_EQ(red("f1", across(0.5f, 1, 2)), (std::vector<float>{1, 2}));
    EXPECT_EQ(red("other", across(0.5f, 1, 2)), (std::vector<float>{31, 32}));
    CUmodule again = nullptr;
    CUtexref theirs = nullptr;
    EXPECT_OK(cuModuleLoadData(&again, module_text().c_str()));
    EXPECT_OK(cuModuleGetTexRef(&theirs, again, "texture"));
    EXPECT_NE(theirs, reference);
    EXPECT_OK(cuTexRefSetArray(theirs, floats(71, 4), CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_EQ(red("f1", across(0.5f, 1, 2)), (std::vector<float>{1, 2}));
}

/// An array of references is not found by name, so that nothing is ever bound to its elements.
TEST_F(ReferenceTest, ArraysReadAsZeros) {
    const std::string text =
        ".version 8.4\n.target sm_90\n.address_size 64\n.global .texref several[4];\n" +
        kernel("k", "mov.u64 %rd5, several+8; tex.1d.v4.u32.f32 {%r5, %r6, %r7, %r8}, [%rd5, {%f1}];", "several");
    CUmodule arrays = nullptr;
    ASSERT_OK(cuModuleLoadData(&arrays, text.c_str()));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&reference, arrays, "several"));
    std::swap(module, arrays);
    EXPECT_EQ(fetch<Bits>("k", {{0.5f}})[0], Bits{});
    std::swap(module, arrays);
    EXPECT_OK(cuModuleUnload(arrays));
}

TEST_F(ReferenceTest, SamplerVariablesAreNotFound) {
    const auto load = [](const std::string& variables, const std::string& body) {
        const std::string text =
            ".version 8.4\n.target sm_90, texmode_independent\n.address_size 64\n" + variables +
            "\n.visible .entry k(.param .u64 out) { .reg .b32 %r; .reg .f32 %x, %f<4>; .reg .b64 %o; " + body +
            " ret; }\n";
        CUmodule separate = nullptr;
        return cuModuleLoadData(&separate, text.c_str());
    };
    const std::string query = "ld.param.u64 %o, [out]; txq.width.b32 %r, [t]; st.global.u32 [%o], %r;";
    EXPECT_OK(load(".global .texref t;", query));
    EXPECT_OK(load(".global .texref t;",
                   "ld.param.u64 %o, [out]; mov.f32 %x, 0f3F000000;"
                   "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, %o, {%x, %x}];"
                   "st.global.f32 [%o], %f0;"));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, load(".global .texref t; .global .samplerref s;", query));
    EXPECT_RESULT(CUDA_ERROR_NOT_FOUND,
                  load(".global .samplerref s = { addr_mode_0 = clamp_to_border, filter_mode = nearest };", ""));
}

/// An image has fewer slices than a cube has faces: the missing ones are zero.
TEST_F(ReferenceTest, FacesThatAreMissingAreZero) {
    if (!on_cpu_device()) GTEST_SKIP() << "undefined with a real driver";
    // One page of texels, and none behind it.
    const CUarray layer = floats(1, 32, 32, 1, CUDA_ARRAY3D_LAYERED);
    ASSERT_OK(cuTexRefSetArray(reference, layer, CU_TRSA_OVERRIDE_FORMAT));
    set(reference, sampling());
    EXPECT_NE(red("cube", {{1, 0, 0}})[0], 0);
    EXPECT_EQ(red("cube", {{-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}), std::vector<float>(5));
}

}  // namespace
