// Textures and renderbuffers of OpenGL.
#include "driver/graphics/graphics.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace {

using namespace graphics_test;

class GraphicsImages : public GraphicsTest {};

constexpr unsigned first_cube_face = 0x8515;

void copy_all(CUarray array, void* host, bool to_array) {
    CUDA_ARRAY3D_DESCRIPTOR shape{};
    EXPECT_OK(cuArray3DGetDescriptor(&shape, array));
    CUDA_MEMCPY3D copy{};
    const std::size_t channel = shape.Format == CU_AD_FORMAT_FLOAT || shape.Format == CU_AD_FORMAT_SIGNED_INT32 ||
                                        shape.Format == CU_AD_FORMAT_UNSIGNED_INT32
                                    ? 4
                                : shape.Format == CU_AD_FORMAT_UNSIGNED_INT8 || shape.Format == CU_AD_FORMAT_SIGNED_INT8
                                    ? 1
                                    : 2;
    copy.WidthInBytes = shape.Width * channel * shape.NumChannels;
    copy.Height = shape.Height;
    copy.Depth = std::max<std::size_t>(shape.Depth, 1);
    if (to_array) {
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = host;
        copy.srcPitch = copy.WidthInBytes;
        copy.srcHeight = shape.Height;
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = array;
    } else {
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = array;
        copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.dstHost = host;
        copy.dstPitch = copy.WidthInBytes;
        copy.dstHeight = shape.Height;
    }
    EXPECT_OK(cuMemcpy3D(&copy));
}

CUarray mapped_array(CUgraphicsResource resource, unsigned index = 0, unsigned level = 0) {
    CUarray array = nullptr;
    EXPECT_OK(cuGraphicsSubResourceGetMappedArray(&array, resource, index, level));
    return array;
}

/// A kind of image: its OpenGL names, the type of a channel, and the format of CUDA's array.
struct Kind {
    unsigned internal_format, layout, type, channels;
    std::size_t channel_bytes;
    CUarray_format format;
};
constexpr Kind kinds[] = {
    {0x8229, 0x1903, 0x1401, 1, 1, CU_AD_FORMAT_UNSIGNED_INT8},   // R8
    {0x822B, 0x8227, 0x1401, 2, 1, CU_AD_FORMAT_UNSIGNED_INT8},   // RG8
    {0x8058, 0x1908, 0x1401, 4, 1, CU_AD_FORMAT_UNSIGNED_INT8},   // RGBA8
    {0x822A, 0x1903, 0x1403, 1, 2, CU_AD_FORMAT_UNSIGNED_INT16},  // R16
    {0x822D, 0x1903, 0x140B, 1, 2, CU_AD_FORMAT_HALF},            // R16F
    {0x881A, 0x1908, 0x140B, 4, 2, CU_AD_FORMAT_HALF},            // RGBA16F
    {0x822E, 0x1903, 0x1406, 1, 4, CU_AD_FORMAT_FLOAT},           // R32F
    {0x8230, 0x8227, 0x1406, 2, 4, CU_AD_FORMAT_FLOAT},           // RG32F
    {0x8814, 0x1908, 0x1406, 4, 4, CU_AD_FORMAT_FLOAT},           // RGBA32F
    {0x8232, 0x8D94, 0x1401, 1, 1, CU_AD_FORMAT_UNSIGNED_INT8},   // R8UI
    {0x8D8E, 0x8D99, 0x1400, 4, 1, CU_AD_FORMAT_SIGNED_INT8},     // RGBA8I
    {0x8239, 0x8228, 0x1402, 2, 2, CU_AD_FORMAT_SIGNED_INT16},    // RG16I
    {0x8D76, 0x8D99, 0x1403, 4, 2, CU_AD_FORMAT_UNSIGNED_INT16},  // RGBA16UI
    {0x8235, 0x8D94, 0x1404, 1, 4, CU_AD_FORMAT_SIGNED_INT32},    // R32I
    {0x8D70, 0x8D99, 0x1405, 4, 4, CU_AD_FORMAT_UNSIGNED_INT32},  // RGBA32UI
};

/// Texels that OpenGL gives back bit for bit: small finite floats, any integers.
std::vector<unsigned char> texels(const Kind& kind, std::size_t count, unsigned start = 0) {
    const std::size_t values = count * kind.channels;
    std::vector<unsigned char> made = counting(values * kind.channel_bytes, start);
    for (std::size_t i = 0; i < values; ++i) {
        const float real = static_cast<float>((i * 3 + start) % 64) / 4;
        const auto half = static_cast<std::uint16_t>(0x3C00 + (i * 3 + start) % 1024);  // 1 to 2
        if (kind.format == CU_AD_FORMAT_FLOAT) std::memcpy(&made[i * 4], &real, 4);
        if (kind.format == CU_AD_FORMAT_HALF) std::memcpy(&made[i * 2], &half, 2);
    }
    return made;
}

struct Registered {
    unsigned target, name;
    CUgraphicsResource resource = nullptr;
    Registered(unsigned of, unsigned image, unsigned flags = 0) : target(of), name(image) {
        EXPECT_OK(cuGraphicsGLRegisterImage(&resource, name, target, flags));
    }
    ~Registered() {
        EXPECT_OK(cuGraphicsUnregisterResource(resource));
        gl_program_delete_image(target, name);
    }
    void map() { EXPECT_OK(cuGraphicsMapResources(1, &resource, nullptr)); }
    void unmap() { EXPECT_OK(cuGraphicsUnmapResources(1, &resource, nullptr)); }
};

/// Both ways: the array holds what OpenGL has in `part` of a level, and OpenGL then has what is written to the array.
void crosses(const Kind& kind, unsigned target, unsigned part, int level, unsigned index, int width, int height,
             int depth, Registered& image) {
    const std::size_t count = static_cast<std::size_t>(width) * height * depth;
    auto given = texels(kind, count, 10 + index + level), read = given;
    gl_program_write_image(target, image.name, part, level, width, height, depth, kind.layout, kind.type, given.data());
    image.map();
    const CUarray array = mapped_array(image.resource, index, level);
    CUDA_ARRAY3D_DESCRIPTOR shape{};
    EXPECT_OK(cuArray3DGetDescriptor(&shape, array));
    EXPECT_EQ(static_cast<std::size_t>(width), shape.Width);
    EXPECT_EQ(static_cast<std::size_t>(height), shape.Height);
    EXPECT_EQ(target == texture_3d ? static_cast<std::size_t>(depth) : 0, shape.Depth);
    EXPECT_EQ(kind.format, shape.Format);
    EXPECT_EQ(kind.channels, shape.NumChannels);
    copy_all(array, read.data(), false);
    EXPECT_EQ(given, read);
    given = texels(kind, count, 20 + index + level);
    copy_all(array, given.data(), true);
    image.unmap();
    gl_program_read_image(target, image.name, part, level, kind.layout, kind.type, read.data());
    EXPECT_EQ(given, read);
}

}  // namespace

TEST_F(GraphicsImages, ImagesOfEveryFormat) {
    for (const Kind& kind : kinds) {
        SCOPED_TRACE(kind.internal_format);
        Registered image(texture_2d, gl_program_new_image(texture_2d, kind.internal_format, 13, 5, 1, 1));
        crosses(kind, texture_2d, texture_2d, 0, 0, 13, 5, 1, image);
    }
}

TEST_F(GraphicsImages, ImagesOfEveryShape) {
    const Kind& kind = kinds[6];
    {
        Registered image(texture_rectangle, gl_program_new_image(texture_rectangle, kind.internal_format, 7, 3, 1, 1));
        crosses(kind, texture_rectangle, texture_rectangle, 0, 0, 7, 3, 1, image);
    }
    {
        Registered image(texture_3d, gl_program_new_image(texture_3d, kind.internal_format, 5, 4, 3, 1));
        crosses(kind, texture_3d, texture_3d, 0, 0, 5, 4, 3, image);
    }
    Registered image(texture_cube_map, gl_program_new_image(texture_cube_map, kind.internal_format, 8, 8, 1, 2));
    for (unsigned face = 0; face < 6; ++face) {
        crosses(kind, texture_cube_map, first_cube_face + face, 0, face, 8, 8, 1, image);
        crosses(kind, texture_cube_map, first_cube_face + face, 1, face, 4, 4, 1, image);
    }
}

TEST_F(GraphicsImages, LayersAndLevelsHaveArraysOfTheirOwn) {
    const Kind& kind = kinds[0];
    Registered image(texture_2d_array, gl_program_new_image(texture_2d_array, kind.internal_format, 8, 6, 3, 3));
    const auto given = texels(kind, 4 * 3 * 3);
    gl_program_write_image(texture_2d_array, image.name, texture_2d_array, 1, 4, 3, 3, kind.layout, kind.type,
                           given.data());
    image.map();
    for (unsigned layer = 0; layer < 3; ++layer) {
        std::vector<unsigned char> read(12);
        copy_all(mapped_array(image.resource, layer, 1), read.data(), false);
        EXPECT_EQ(std::vector(given.begin() + 12 * layer, given.begin() + 12 * (layer + 1)), read);
    }
    std::vector<unsigned char> ones(12, 1), all(36);
    copy_all(mapped_array(image.resource, 1, 1), ones.data(), true);
    CUarray none = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsSubResourceGetMappedArray(&none, image.resource, 3, 0));
    if (on_cpu_device()) {  // a GPU's driver has levels beyond those of OpenGL
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsSubResourceGetMappedArray(&none, image.resource, 0, 3));
    }
    CUdeviceptr pointer = 0;
    EXPECT_RESULT(CUDA_ERROR_NOT_MAPPED_AS_POINTER,
                  cuGraphicsResourceGetMappedPointer(&pointer, nullptr, image.resource));
    image.unmap();
    gl_program_read_image(texture_2d_array, image.name, texture_2d_array, 1, kind.layout, kind.type, all.data());
    auto expected = given;
    std::fill_n(expected.begin() + 12, 12, static_cast<unsigned char>(1));
    EXPECT_EQ(expected, all);
}

TEST_F(GraphicsImages, Renderbuffers) {
    Registered image(renderbuffer, gl_program_new_image(renderbuffer, 0x8058, 6, 4, 1, 1));
    gl_program_clear_renderbuffer(image.name, 1, 0, 0.2f, 1);
    image.map();
    std::vector<unsigned char> read(6 * 4 * 4);
    copy_all(mapped_array(image.resource), read.data(), false);
    EXPECT_EQ((std::array<unsigned char, 4>{255, 0, 51, 255}),
              (std::array<unsigned char, 4>{read[0], read[1], read[2], read[3]}));
    auto given = counting(read.size());
    copy_all(mapped_array(image.resource), given.data(), true);
    image.unmap();
    gl_program_read_renderbuffer(image.name, 6, 4, read.data());
    EXPECT_EQ(given, read);
}

TEST_F(GraphicsImages, ArraysAreForWhatTheImageIsRegisteredFor) {
    Registered image(texture_2d, gl_program_new_image(texture_2d, 0x822E, 4, 4, 1, 1),
                     CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST);
    image.map();
    CUDA_ARRAY3D_DESCRIPTOR shape{};
    EXPECT_OK(cuArray3DGetDescriptor(&shape, mapped_array(image.resource)));
    EXPECT_TRUE(shape.Flags & CUDA_ARRAY3D_SURFACE_LDST);
    image.unmap();
}

TEST_F(GraphicsImages, UnsupportedFormatsAreNotRegistered) {
    CUgraphicsResource resource = nullptr;
    const auto refused = [&](unsigned target, unsigned internal_format) {
        const unsigned name = gl_program_new_image(target, internal_format, 4, 4, 1, 1);
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsGLRegisterImage(&resource, name, target, 0))
            << internal_format;
        gl_program_delete_image(target, name);
    };
    refused(texture_2d, 0x8CAC);    // DEPTH_COMPONENT32F
    refused(texture_2d, 0x8059);    // RGB10_A2
    refused(renderbuffer, 0x81A5);  // DEPTH_COMPONENT16
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuGraphicsGLRegisterImage(&resource, 12345, texture_2d, 0));
    const unsigned name = gl_program_new_image(texture_2d, 0x8058, 4, 4, 1, 1);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsGLRegisterImage(&resource, name, texture_1d, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsGLRegisterImage(&resource, name, texture_2d, 32));
    if (on_cpu_device()) {              // an H200's driver 580 takes these
        refused(texture_2d, 0x8051);    // RGB8
        refused(renderbuffer, 0x1908);  // RGBA, of no certain size
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsGLRegisterImage(&resource, name, texture_3d, 0));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsGLRegisterImage(&resource, name, texture_2d, 3));
    }
    gl_program_delete_image(texture_2d, name);
}
