#include "files/ptx_object.hpp"

#include <algorithm>
#include <stdexcept>

#include "driver/driver_test.hpp"

namespace ptx_file {
namespace {

constexpr std::size_t pitch_alignment = 512;  // enough for every device

void check(CUresult result, const char* call) {
    if (result != CUDA_SUCCESS) throw std::runtime_error(call + (": " + result_name(result)));
}

/// A copy of one level; source and destination still have to be set.
CUDA_MEMCPY3D whole(const Image& image, unsigned level) {
    const auto [w, h, d] = image.extent(level);
    CUDA_MEMCPY3D copy{};
    copy.WidthInBytes = w * image.texel_bytes();
    copy.Height = std::max<std::size_t>(h, 1);
    copy.Depth = std::max<std::size_t>(d, 1);
    return copy;
}

void fill(CUarray array, const Image& image, unsigned level, const std::byte* texels) {
    CUDA_MEMCPY3D copy = whole(image, level);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = texels;
    copy.srcPitch = copy.WidthInBytes;
    copy.srcHeight = copy.Height;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    check(cuMemcpy3D(&copy), "cuMemcpy3D");
}

CUDA_ARRAY3D_DESCRIPTOR shape(const Image& image) {
    const bool plane = image.height > 0 && image.depth == 0;
    const unsigned gathers = plane && !image.surface && !image.levels ? CUDA_ARRAY3D_TEXTURE_GATHER : 0;
    return {image.width,  image.height,   image.depth,
            image.format, image.channels, image.array_flags | (image.surface ? CUDA_ARRAY3D_SURFACE_LDST : gathers)};
}

}  // namespace

Object::Object(const Image& image) : image_(image) {
    const CUDA_RESOURCE_DESC resource = image.place != Image::Place::Array ? in_memory()
                                        : image.levels                     ? in_levels()
                                                                           : in_array();
    if (image.surface)
        check(cuSurfObjectCreate(&handle_, &resource), "cuSurfObjectCreate");
    else
        check(cuTexObjectCreate(&handle_, &resource, &image.sampling, nullptr), "cuTexObjectCreate");
}

Object::~Object() {
    if (handle_) (image_.surface ? cuSurfObjectDestroy : cuTexObjectDestroy)(handle_);
    if (array_) cuArrayDestroy(array_);
    if (levels_) cuMipmappedArrayDestroy(levels_);
    if (memory_) cuMemFree(memory_);
}

CUDA_RESOURCE_DESC Object::in_array() {
    const CUDA_ARRAY3D_DESCRIPTOR described = shape(image_);
    check(cuArray3DCreate(&array_, &described), "cuArray3DCreate");
    fill(array_, image_, 0, image_.texels.bytes.data());
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array_;
    return resource;
}

CUDA_RESOURCE_DESC Object::in_levels() {
    const CUDA_ARRAY3D_DESCRIPTOR described = shape(image_);
    check(cuMipmappedArrayCreate(&levels_, &described, image_.levels), "cuMipmappedArrayCreate");
    const std::byte* texels = image_.texels.bytes.data();
    for (unsigned level = 0; level < image_.levels; ++level) {
        CUarray array = nullptr;
        check(cuMipmappedArrayGetLevel(&array, levels_, level), "cuMipmappedArrayGetLevel");
        fill(array, image_, level, texels);
        texels += image_.bytes(level);
    }
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = levels_;
    return resource;
}

CUDA_RESOURCE_DESC Object::in_memory() {
    const bool pitched = image_.place == Image::Place::Pitch;
    const std::size_t row = image_.width * image_.texel_bytes(), rows = std::max<std::size_t>(image_.height, 1);
    const std::size_t pitch = pitched ? (row + pitch_alignment - 1) / pitch_alignment * pitch_alignment : row;
    check(cuMemAlloc(&memory_, pitch * rows), "cuMemAlloc");
    for (std::size_t y = 0; y < rows; ++y)
        check(cuMemcpyHtoD(memory_ + y * pitch, image_.texels.bytes.data() + y * row, row), "cuMemcpyHtoD");
    CUDA_RESOURCE_DESC resource{};
    if (pitched) {
        resource.resType = CU_RESOURCE_TYPE_PITCH2D;
        resource.res.pitch2D = {memory_, image_.format, image_.channels, image_.width, rows, pitch};
    } else {
        resource.resType = CU_RESOURCE_TYPE_LINEAR;
        resource.res.linear = {memory_, image_.format, image_.channels, row};
    }
    return resource;
}

std::vector<std::byte> Object::read() const {
    std::vector<std::byte> texels(image_.texels.bytes.size());
    CUDA_MEMCPY3D copy = whole(image_, 0);
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array_;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = texels.data();
    copy.dstPitch = copy.WidthInBytes;
    copy.dstHeight = copy.Height;
    check(cuMemcpy3D(&copy), "cuMemcpy3D");
    return texels;
}

}  // namespace ptx_file
