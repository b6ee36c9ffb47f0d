// Which arrays a program can make: every case was tried with driver 580 on an H200.
#include "driver/textures/textures.hpp"

namespace {

using ArrayShapes = texture_test::ArrayTest;

constexpr unsigned layered = CUDA_ARRAY3D_LAYERED, surface_use = CUDA_ARRAY3D_SURFACE_LDST,
                   cubemap = CUDA_ARRAY3D_CUBEMAP, gather = CUDA_ARRAY3D_TEXTURE_GATHER;

struct Shape {
    std::size_t width, height, depth;
    unsigned flags = 0;
    CUarray_format format = CU_AD_FORMAT_UNSIGNED_INT8;
    unsigned channels = 1;
};

std::ostream& operator<<(std::ostream& out, const Shape& s) {
    return out << s.width << " x " << s.height << " x " << s.depth << " flags " << s.flags << " format " << s.format
               << " x " << s.channels;
}

CUresult create(const Shape& s) {
    const CUDA_ARRAY3D_DESCRIPTOR wanted{s.width, s.height, s.depth, s.format, s.channels, s.flags};
    CUarray array = nullptr;
    const CUresult result = cuArray3DCreate(&array, &wanted);
    if (result != CUDA_SUCCESS) return result;
    CUDA_ARRAY3D_DESCRIPTOR made{};
    EXPECT_OK(cuArray3DGetDescriptor(&made, array));
    EXPECT_EQ(made.Width, s.width);
    EXPECT_EQ(made.Height, s.height);
    EXPECT_EQ(made.Depth, s.depth);
    EXPECT_EQ(made.Flags, s.flags);
    EXPECT_EQ(made.Format, s.format);
    EXPECT_EQ(made.NumChannels, s.channels);
    return cuArrayDestroy(array);
}

TEST_F(ArrayShapes, HasTheExtentsThatTheDeviceNames) {
    for (const Shape& shape : {
             Shape{131072, 0, 0},
             Shape{16, 65536, 0},
             Shape{131072, 16, 0},
             Shape{16384, 4, 4},
             Shape{4, 4, 16384},
             Shape{4, 4, 16385},
             Shape{32768, 0, 4, layered},
             Shape{32768, 4, 4, layered},
             Shape{4, 4, 2048, layered},
             Shape{4, 0, 2048, layered},
             Shape{8, 8, 6, cubemap},
             Shape{8, 8, 12, cubemap | layered},
             Shape{8, 8, 2046, cubemap | layered},
             Shape{8, 8, 0, gather},
             Shape{8, 8, 0, surface_use},
             Shape{8, 65536, 0, surface_use},
             Shape{131072, 8, 0, surface_use},
             Shape{8, 8, 2048, layered | surface_use},
             Shape{8, 8, 0, CUDA_ARRAY3D_VIDEO_ENCODE_DECODE},
         })
        EXPECT_RESULT(CUDA_SUCCESS, create(shape)) << shape;
    for (const Shape& shape : {
             Shape{0, 0, 0},
             Shape{0, 4, 0},
             Shape{4, 0, 4},
             Shape{131073, 0, 0},
             Shape{16, 65537, 0},
             Shape{131073, 16, 0},
             Shape{16385, 4, 4},
             Shape{4, 16385, 4},
             Shape{32769, 0, 4, layered},
             Shape{32769, 4, 4, layered},
             Shape{4, 32769, 4, layered},
             Shape{4, 4, 2049, layered},
             Shape{4, 0, 2049, layered},
             Shape{4, 4, 0, layered},
             Shape{4, 0, 0, layered},
             Shape{8, 4, 6, cubemap},
             Shape{8, 8, 5, cubemap},
             Shape{8, 8, 12, cubemap},
             Shape{8, 8, 0, cubemap},
             Shape{8, 8, 11, cubemap | layered},
             Shape{8, 8, 2052, cubemap | layered},
             Shape{32769, 32769, 6, cubemap},
             Shape{8, 8, 3, gather | layered},
             Shape{8, 8, 6, gather | cubemap},
             Shape{8, 0, 0, gather},
             Shape{8, 8, 8, gather},
             Shape{32769, 8, 0, gather},
             Shape{32769, 0, 0, surface_use},
             Shape{8, 65537, 0, surface_use},
             Shape{32769, 0, 8, layered | surface_use},
             Shape{8, 8, 0, CUDA_ARRAY3D_COLOR_ATTACHMENT},
             Shape{8, 8, 0, 0x200},
         })
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create(shape)) << shape;
}

TEST_F(ArrayShapes, HasAFormatWithItsChannels) {
    for (unsigned first : {0xc0u, 0xc3u, 0xc6u, 0xc9u})
        for (unsigned n = 0; n < 3; ++n)
            for (unsigned channels : {1u, 2u, 3u, 4u}) {
                const Shape shape{8, 8, 0, 0, static_cast<CUarray_format>(first + n), channels};
                EXPECT_RESULT(channels == 1u << n ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE, create(shape)) << shape;
            }
    for (unsigned channels : {0u, 3u, 5u, 8u})
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create({8, 8, 0, 0, CU_AD_FORMAT_FLOAT, channels})) << channels;
    for (unsigned format : {0u, 4u, 7u, 0xbu, 0x11u, 0x30u})
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create({8, 8, 0, 0, static_cast<CUarray_format>(format), 1})) << format;
}

TEST_F(ArrayShapes, CompressedFormatsAreRefusedByName) {
    const Shape compressed{8, 8, 0, 0, CU_AD_FORMAT_BC1_UNORM, 4};
    EXPECT_RESULT(on_cpu_device() ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS, create(compressed));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create({8, 8, 0, 0, CU_AD_FORMAT_BC1_UNORM, 2}));
}

TEST_F(ArrayShapes, OfOnePlaneHasNoSpecialProperties) {
    const CUarray plain = array(std::vector<float>(16), CU_AD_FORMAT_FLOAT, 1, 4, 4);
    CUarray plane = nullptr;
    CUDA_ARRAY_SPARSE_PROPERTIES sparse{};
    CUDA_ARRAY_MEMORY_REQUIREMENTS requirements{};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArrayGetPlane(&plane, plain, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArrayGetSparseProperties(&sparse, plain));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArrayGetMemoryRequirements(&requirements, plain, 0));
}

TEST_F(ArrayShapes, HasAsManyLevelsAsHalvings) {
    const auto levels_of = [](const Shape& s, unsigned wanted) {
        const CUDA_ARRAY3D_DESCRIPTOR shape{s.width, s.height, s.depth, CU_AD_FORMAT_FLOAT, 1, s.flags};
        CUmipmappedArray made = nullptr;
        if (cuMipmappedArrayCreate(&made, &shape, wanted) != CUDA_SUCCESS) return -1;
        int count = 0;
        for (CUarray level = nullptr; cuMipmappedArrayGetLevel(&level, made, static_cast<unsigned>(count)) == 0;)
            ++count;
        EXPECT_OK(cuMipmappedArrayDestroy(made));
        return count;
    };
    EXPECT_EQ(levels_of({16, 8, 0}, 1), 1);
    EXPECT_EQ(levels_of({16, 8, 0}, 5), 5);
    EXPECT_EQ(levels_of({16, 8, 0}, 100), 5);
    EXPECT_EQ(levels_of({16, 8, 4, layered}, 5), 5);
    EXPECT_EQ(levels_of({13, 7, 3}, 4), 4);
    EXPECT_EQ(levels_of({32769, 0, 0}, 3), -1);
    EXPECT_EQ(levels_of({32769, 8, 0}, 1), -1);
}

}  // namespace
