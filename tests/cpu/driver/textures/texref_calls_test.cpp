// What the functions of texture and surface references return and refuse: every case was tried with driver 580 on an
// H200.

#include "driver/textures/references.hpp"

namespace {

using namespace reference_test;

class ReferenceCalls : public ReferenceTest {};

TEST_F(ReferenceCalls, AreFoundByNameAndKind) {
    CUtexref found = nullptr;
    CUsurfref surface = nullptr;
    EXPECT_OK(cuModuleGetTexRef(&found, module, "texture"));
    EXPECT_EQ(found, reference);
    EXPECT_OK(cuModuleGetTexRef(&found, module, "hidden"));
    EXPECT_OK(cuModuleGetSurfRef(&surface, module, "surface"));
    EXPECT_EQ(surface, surface_reference);
    for (const char* name : {"none", "surface", "plain", "f1"})
        EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&found, module, name));
    for (const char* name : {"none", "texture"})
        EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuModuleGetSurfRef(&surface, module, name));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetTexRef(&found, module, ""));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetTexRef(&found, module, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetTexRef(nullptr, module, "texture"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetSurfRef(nullptr, module, "surface"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuModuleGetTexRef(&found, nullptr, "texture"));
}

TEST_F(ReferenceCalls, AreNoGlobalVariables) {
    CUdeviceptr address = 0;
    for (const char* name : {"texture", "hidden", "surface"})
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuModuleGetGlobal(&address, nullptr, module, name));
    EXPECT_OK(cuModuleGetGlobal(&address, nullptr, module, "plain"));
}

TEST_F(ReferenceCalls, AreFoundInTheModuleOfALibrary) {
    CUlibrary library = nullptr;
    CUmodule theirs = nullptr;
    CUtexref found = nullptr;
    CUdeviceptr address = 0;
    EXPECT_OK(cuLibraryLoadData(&library, module_text().c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    EXPECT_OK(cuLibraryGetModule(&theirs, library));
    EXPECT_OK(cuModuleGetTexRef(&found, theirs, "texture"));
    EXPECT_NE(found, reference);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLibraryGetGlobal(&address, nullptr, library, "texture"));
    EXPECT_OK(cuLibraryUnload(library));
}

void expect_defaults(CUtexref fresh) {
    CUdeviceptr address = 0;
    CUarray array = nullptr;
    CUmipmappedArray mipmapped = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetAddress(&address, fresh));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetArray(&array, fresh));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetMipmappedArray(&mipmapped, fresh));
    for (int d = 0; d < 3; ++d) {
        CUaddress_mode mode = CU_TR_ADDRESS_MODE_BORDER;
        EXPECT_OK(cuTexRefGetAddressMode(&mode, fresh, d));
        EXPECT_EQ(mode, CU_TR_ADDRESS_MODE_CLAMP);
    }
    CUfilter_mode filter = CU_TR_FILTER_MODE_LINEAR, between = CU_TR_FILTER_MODE_LINEAR;
    EXPECT_OK(cuTexRefGetFilterMode(&filter, fresh));
    EXPECT_OK(cuTexRefGetMipmapFilterMode(&between, fresh));
    EXPECT_EQ(filter, CU_TR_FILTER_MODE_POINT);
    EXPECT_EQ(between, CU_TR_FILTER_MODE_POINT);
    CUarray_format format = CU_AD_FORMAT_HALF;
    int channels = 0, anisotropy = 9;
    EXPECT_OK(cuTexRefGetFormat(&format, &channels, fresh));
    EXPECT_EQ(format, CU_AD_FORMAT_FLOAT);
    EXPECT_EQ(channels, 1);
    EXPECT_OK(cuTexRefGetMaxAnisotropy(&anisotropy, fresh));
    EXPECT_EQ(anisotropy, 0);
    float bias = 9, least = 9, most = 9, border[4] = {9, 9, 9, 9};
    EXPECT_OK(cuTexRefGetMipmapLevelBias(&bias, fresh));
    EXPECT_OK(cuTexRefGetMipmapLevelClamp(&least, &most, fresh));
    EXPECT_OK(cuTexRefGetBorderColor(border, fresh));
    EXPECT_EQ(bias, 0);
    EXPECT_EQ(least, 0);
    EXPECT_EQ(most, 0);
    for (float channel : border) EXPECT_EQ(channel, 0);
    unsigned flags = 9;
    EXPECT_OK(cuTexRefGetFlags(&flags, fresh));
    EXPECT_EQ(flags, 0u);
}

TEST_F(ReferenceCalls, FreshOnesHaveDefaults) {
    expect_defaults(reference);
    CUtexref made = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefCreate(nullptr));
    ASSERT_OK(cuTexRefCreate(&made));
    expect_defaults(made);
    EXPECT_OK(cuTexRefDestroy(made));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuTexRefDestroy(nullptr));
    CUarray array = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuSurfRefGetArray(&array, surface_reference));
}

/// A GPU's driver follows a dead handle, and ends the process.
TEST_F(ReferenceCalls, DeadHandlesAreFound) {
    if (!on_cpu_device()) GTEST_SKIP() << "the driver follows them";
    CUtexref made = nullptr;
    unsigned flags = 0;
    CUarray array = nullptr;
    ASSERT_OK(cuTexRefCreate(&made));
    EXPECT_OK(cuTexRefDestroy(made));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuTexRefDestroy(made));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuTexRefGetFlags(&flags, made));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuTexRefDestroy(reference));
    EXPECT_OK(cuTexRefGetFlags(&flags, reference));
    const CUarray gone = floats(1, 4);
    EXPECT_OK(cuArrayDestroy(gone));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuTexRefSetArray(reference, gone, CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuSurfRefSetArray(surface_reference, gone, 0));
    EXPECT_OK(cuModuleUnload(module));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuTexRefSetFlags(reference, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuSurfRefGetArray(&array, surface_reference));
}

TEST_F(ReferenceCalls, NullIsNoReference) {
    unsigned flags = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuTexRefSetFlags(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuTexRefGetFlags(&flags, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuTexRefSetAddress(nullptr, nullptr, out, 16));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuTexRefSetArray(nullptr, floats(1, 4), CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuSurfRefSetArray(nullptr, floats(1, 4), 0));
}

TEST_F(ReferenceCalls, FlagsBelowSeamlessCubesAreTaken) {
    unsigned seen = 0;
    for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 8u, 0x10u, 0x20u, 0x13u, 0x3fu}) {
        EXPECT_OK(cuTexRefSetFlags(reference, flags));
        EXPECT_OK(cuTexRefGetFlags(&seen, reference));
        EXPECT_EQ(seen, flags);
    }
    for (unsigned flags : {0x40u, 0x80u, 0x100u, 0x71u, 0x80000000u})
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetFlags(reference, flags));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetFlags(nullptr, reference));
}

TEST_F(ReferenceCalls, ModesAreKeptForThreeDimensions) {
    for (int mode = -1; mode < 6; ++mode) {
        CUaddress_mode seen = CU_TR_ADDRESS_MODE_WRAP;
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                      cuTexRefSetAddressMode(reference, -1, static_cast<CUaddress_mode>(mode)));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                      cuTexRefSetAddressMode(reference, 3, static_cast<CUaddress_mode>(mode)));
        for (int d = 0; d < 3; ++d) {
            EXPECT_OK(cuTexRefSetAddressMode(reference, d, static_cast<CUaddress_mode>(mode)));
            EXPECT_OK(cuTexRefGetAddressMode(&seen, reference, d));
            EXPECT_EQ(seen, mode < 0 || mode > 3 ? CU_TR_ADDRESS_MODE_CLAMP : mode);  // unknown modes clamp
        }
    }
    CUfilter_mode seen = CU_TR_FILTER_MODE_POINT;
    EXPECT_OK(cuTexRefSetFilterMode(reference, static_cast<CUfilter_mode>(2)));
    EXPECT_OK(cuTexRefGetFilterMode(&seen, reference));
    EXPECT_EQ(static_cast<int>(seen), 2);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetMipmapFilterMode(reference, static_cast<CUfilter_mode>(2)));
    EXPECT_OK(cuTexRefSetMipmapFilterMode(reference, CU_TR_FILTER_MODE_LINEAR));
}

TEST_F(ReferenceCalls, LevelsAnisotropyAndBorderAreKept) {
    float first = 0, second = 0;
    for (float bias : {0.0f, -1.5f, 1e30f}) {
        EXPECT_OK(cuTexRefSetMipmapLevelBias(reference, bias));
        EXPECT_OK(cuTexRefGetMipmapLevelBias(&first, reference));
        EXPECT_EQ(first, bias);
    }
    EXPECT_OK(cuTexRefSetMipmapLevelClamp(reference, 2, 1));
    EXPECT_OK(cuTexRefGetMipmapLevelClamp(&first, &second, reference));
    EXPECT_EQ(first, 2);
    EXPECT_EQ(second, 1);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetMipmapLevelClamp(&first, nullptr, reference));
    int anisotropy = 0;
    EXPECT_OK(cuTexRefSetMaxAnisotropy(reference, 16));
    EXPECT_OK(cuTexRefGetMaxAnisotropy(&anisotropy, reference));
    EXPECT_EQ(anisotropy, 16);
    float color[4] = {1, -2, 0.5f, 1e10f}, seen[4] = {};
    EXPECT_OK(cuTexRefSetBorderColor(reference, color));
    EXPECT_OK(cuTexRefGetBorderColor(seen, reference));
    EXPECT_EQ(std::memcmp(color, seen, sizeof color), 0);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetBorderColor(reference, nullptr));
}

TEST_F(ReferenceCalls, FormatsAreKeptUnlessTheirChannelsCannotBe) {
    CUarray_format format = CU_AD_FORMAT_FLOAT;
    int channels = 0;
    for (int count : {1, 2, 4, 0, -1}) {
        EXPECT_OK(cuTexRefSetFormat(reference, CU_AD_FORMAT_SIGNED_INT16, count));
        EXPECT_OK(cuTexRefGetFormat(&format, &channels, reference));
        EXPECT_EQ(format, CU_AD_FORMAT_SIGNED_INT16);
        EXPECT_EQ(channels, count);
    }
    for (int count : {3, 5, 8})
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, count));
    EXPECT_OK(cuTexRefGetFormat(&format, nullptr, reference));
    EXPECT_OK(cuTexRefGetFormat(nullptr, &channels, reference));
}

TEST_F(ReferenceCalls, AnUnalignedAddressNeedsSomewhereForItsOffset) {
    const CUdeviceptr memory = counted(4096);
    std::size_t offset = 99;
    CUdeviceptr seen = 0;
    EXPECT_OK(cuTexRefSetAddress(nullptr, reference, memory, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddress(nullptr, reference, memory + 4, 64));
    EXPECT_OK(cuTexRefSetAddress(&offset, reference, memory + 516, 64));
    EXPECT_EQ(offset, 4u);
    EXPECT_OK(cuTexRefGetAddress(&seen, reference));
    EXPECT_EQ(seen, memory + 512);
    // Neither the memory nor the size is checked before a kernel reads it.
    EXPECT_OK(cuTexRefSetAddress(&offset, reference, memory, 16384 + 4096));
    EXPECT_OK(cuTexRefSetAddress(&offset, reference, memory, 0));
    EXPECT_OK(cuTexRefSetAddress(&offset, reference, 0, 0));
}

TEST_F(ReferenceCalls, PitchedMemoryIsAlignedAndWideEnough) {
    const CUdeviceptr memory = counted(4096);
    const auto bind = [&](CUdeviceptr at, std::size_t pitch, CUDA_ARRAY_DESCRIPTOR shape) {
        return cuTexRefSetAddress2D(reference, &shape, at, pitch);
    };
    const CUDA_ARRAY_DESCRIPTOR shape{16, 8, CU_AD_FORMAT_FLOAT, 1};
    for (std::size_t pitch : {64u, 96u, 128u, 512u}) EXPECT_RESULT(CUDA_SUCCESS, bind(memory, pitch, shape)) << pitch;
    for (std::size_t pitch : {0u, 16u, 32u, 60u, 68u})
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, bind(memory, pitch, shape)) << pitch;
    for (std::size_t at : {4u, 32u, 256u}) EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, bind(memory + at, 512, shape)) << at;
    EXPECT_OK(bind(memory + 512, 512, shape));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, bind(memory, 1 << 20, {131073, 1, CU_AD_FORMAT_FLOAT, 1}));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, bind(memory, 512, {16, 100000, CU_AD_FORMAT_FLOAT, 1}));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, bind(memory, 1 << 21, shape));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddress2D(reference, nullptr, memory, 512));
    EXPECT_OK(bind(memory, 512, {8, 1, CU_AD_FORMAT_UNSIGNED_INT8, 2}));
    CUarray_format format = CU_AD_FORMAT_FLOAT;
    int channels = 0;
    EXPECT_OK(cuTexRefGetFormat(&format, &channels, reference));
    EXPECT_EQ(format, CU_AD_FORMAT_UNSIGNED_INT8);
    EXPECT_EQ(channels, 2);
}

TEST_F(ReferenceCalls, OneResourceIsBoundAtATime) {
    const CUarray array = floats(1, 8);
    CUarray seen = nullptr;
    CUdeviceptr address = 0;
    CUmipmappedArray mipmapped = nullptr, seen_mipmapped = nullptr;
    const CUDA_ARRAY3D_DESCRIPTOR shape{8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    ASSERT_OK(cuMipmappedArrayCreate(&mipmapped, &shape, 4));
    for (unsigned flags : {0u, 1u}) EXPECT_OK(cuTexRefSetArray(reference, array, flags));
    for (unsigned flags : {2u, 3u, 4u})
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetArray(reference, array, flags));
    EXPECT_OK(cuTexRefGetArray(&seen, reference));
    EXPECT_EQ(seen, array);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetAddress(&address, reference));
    EXPECT_OK(cuTexRefSetMipmappedArray(reference, mipmapped, CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_OK(cuTexRefGetMipmappedArray(&seen_mipmapped, reference));
    EXPECT_EQ(seen_mipmapped, mipmapped);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetArray(&seen, reference));
    EXPECT_OK(cuTexRefSetAddress(nullptr, reference, counted(16), 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetMipmappedArray(&seen_mipmapped, reference));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuTexRefSetArray(reference, nullptr, CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_OK(cuTexRefGetAddress(&address, reference));
}

TEST_F(ReferenceCalls, SurfacesNeedArraysMadeForThem) {
    const CUarray fit = floats(1, 8, 0, 0, CUDA_ARRAY3D_SURFACE_LDST);
    CUarray seen = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuSurfRefSetArray(surface_reference, floats(1, 8), 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuSurfRefSetArray(surface_reference, fit, 1));
    EXPECT_OK(cuSurfRefSetArray(surface_reference, fit, 0));
    EXPECT_OK(cuSurfRefGetArray(&seen, surface_reference));
    EXPECT_EQ(seen, fit);
}

TEST_F(ReferenceCalls, ParametersOfKernelsAreNoReferences) {
    CUfunction function = nullptr;
    ASSERT_OK(cuModuleGetFunction(&function, module, "f1"));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, reference));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuParamSetTexRef(nullptr, CU_PARAM_TR_DEFAULT, reference));
}

TEST_F(ReferenceCalls, ArraysOfOtherContextsAreOutOfReach) {
    CUcontext other = nullptr;
    ASSERT_OK(cuCtxCreate(&other, nullptr, 0, 0));
    const CUarray theirs = floats(1, 4, 0, 0, CUDA_ARRAY3D_SURFACE_LDST);
    EXPECT_RESULT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuTexRefSetArray(reference, theirs, CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_RESULT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuSurfRefSetArray(surface_reference, theirs, 0));
    EXPECT_OK(cuTexRefSetFlags(reference, CU_TRSF_READ_AS_INTEGER));
    EXPECT_OK(cuCtxDestroy(other));
}

TEST_F(ReferenceCalls, NeedNoCurrentContext) {
    EXPECT_OK(cuCtxPopCurrent(nullptr));
    unsigned flags = 9;
    CUtexref made = nullptr;
    EXPECT_OK(cuTexRefSetFlags(reference, CU_TRSF_READ_AS_INTEGER));
    EXPECT_OK(cuTexRefGetFlags(&flags, reference));
    EXPECT_EQ(flags, 1u);
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuTexRefCreate(&made));
    EXPECT_OK(cuCtxPushCurrent(context));
}

TEST_F(ReferenceCalls, UnboundOnesReadAsZeros) {
    EXPECT_EQ(fetch<Bits>("f1", {{0.5f}, {1.5f}}), (std::vector<Bits>(2)));
    EXPECT_EQ(fetch<Bits>("f2", {{0.5f}, {1.5f}}), (std::vector<Bits>(2)));
    EXPECT_EQ(fetch<Bits>("i1", {{0}, {1}}), (std::vector<Bits>(2)));
    EXPECT_EQ(fetch<Bits>("load1", {{0}, {1}}), (std::vector<Bits>(2)));
    EXPECT_OK(launch("store1", {{0, 0, 0, 5}}));
    EXPECT_OK(cuCtxSynchronize());
}

TEST_F(ReferenceCalls, TheEndOfAnArrayUnbindsIt) {
    const CUarray array = floats(1, 4);
    CUarray seen = nullptr;
    EXPECT_OK(cuTexRefSetArray(reference, array, CU_TRSA_OVERRIDE_FORMAT));
    EXPECT_OK(cuArrayDestroy(array));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetArray(&seen, reference));
    EXPECT_EQ(fetch<Bits>("f1", {{0.5f}}), (std::vector<Bits>(1)));
}

/// A fault stays with its context, so each case has its own context.
TEST_F(ReferenceCalls, MemoryThatWasFreedIsAFault) {
    CUdeviceptr memory = 0;
    EXPECT_OK(cuMemAlloc(&memory, 4 << 20));
    EXPECT_OK(cuTexRefSetAddress(nullptr, reference, memory, 4096));
    EXPECT_OK(launch("i1", {{0}}));
    EXPECT_OK(cuMemFree(memory));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, launch("i1", {{0}}));
}

TEST_F(ReferenceCalls, ASurfaceThatWasFreedIsAFault) {
    if (!on_cpu_device()) GTEST_SKIP() << "a GPU faults only when the memory is unmapped too";
    const CUarray array = floats(1, 8, 0, 0, CUDA_ARRAY3D_SURFACE_LDST);
    EXPECT_OK(cuSurfRefSetArray(surface_reference, array, 0));
    EXPECT_OK(launch("load1", {{0}}));
    EXPECT_OK(cuArrayDestroy(array));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, launch("load1", {{0}}));
}

}  // namespace
