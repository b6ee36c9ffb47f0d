#include "state/textures/texture_resource.hpp"

#include "state/device.hpp"
#include "state/memory/address_space.hpp"
#include "state/memory/memory.hpp"
#include "state/textures/array.hpp"

#include <algorithm>

namespace cpu::state::texture {

namespace {

exec::TexelImage image_of(const Array& array) {
    const CUDA_ARRAY3D_DESCRIPTOR& shape = array.descriptor();
    return {.data = array.data(),
            .width = shape.Width,
            .height = shape.Height,
            .depth = shape.Depth,
            .row_pitch = array.row_bytes(),
            .slice_pitch = array.slice_bytes(),
            .format = texel_format(shape.Format, shape.NumChannels).plain,
            .channels = shape.NumChannels,
            .layered = (shape.Flags & CUDA_ARRAY3D_LAYERED) != 0,
            .cubemap = (shape.Flags & CUDA_ARRAY3D_CUBEMAP) != 0};
}

/// An image without texels, which reads as zeros.
exec::TexelImage empty_image(CUarray_format format, unsigned channels) {
    static std::byte zeros[16];
    return {.data = zeros, .width = 1, .row_pitch = sizeof zeros, .format = format, .channels = channels};
}

std::size_t texel_bytes(CUarray_format format, unsigned channels) {
    require(channels == 1 || channels == 2 || channels == 4);
    return channel_bytes(format) * channels;
}

/// For a reference that is still bound to destroyed memory or a destroyed array.
const std::atomic<bool> gone{true};

/// Keeps `memory`, which the program may free, for as long as the texture or surface.
template <class Object, class Memory>
void keep(Object& object, std::shared_ptr<Memory> memory) {
    object.freed = &memory->freed;
    object.keeps_alive = std::move(memory);
}

/// How many of `bytes` bytes from `pointer` on are in live memory. 0 if `pointer` is not: a fetch is then a fault.
std::size_t use_memory(exec::Texture& texture, CUdeviceptr pointer, std::size_t bytes) {
    texture.freed = &gone;
    auto memory = AddressSpace::instance().find(pointer);
    if (!memory) return 0;
    const std::size_t room = memory->base + memory->size - pointer;
    keep(texture, std::move(memory));
    return std::min(bytes, room);
}

void use_linear(exec::Texture& texture, const CUDA_RESOURCE_DESC& resource) {
    const auto& linear = resource.res.linear;
    const std::size_t texel = texel_bytes(linear.format, linear.numChannels);
    // The first texel can be read even if the texture is smaller.
    const std::size_t bytes = use_memory(texture, linear.devPtr, std::max(linear.sizeInBytes, texel));
    const std::size_t width = bytes / texel;
    texture.linear_memory = true;
    if (width == 0) return texture.levels.push_back(empty_image(linear.format, linear.numChannels));
    texture.levels.push_back({.data = reinterpret_cast<std::byte*>(linear.devPtr),
                              .width = width,
                              .row_pitch = bytes,
                              .format = linear.format,
                              .channels = linear.numChannels});
}

void use_pitched(exec::Texture& texture, const CUDA_RESOURCE_DESC& resource) {
    const auto& pitched = resource.res.pitch2D;
    const std::size_t row = pitched.width * texel_bytes(pitched.format, pitched.numChannels);
    const std::size_t bytes = use_memory(texture, pitched.devPtr, pitched.height * pitched.pitchInBytes);
    // The last row may be shorter than the pitch.
    const std::size_t rows = bytes < row ? 0 : pitched.pitchInBytes ? (bytes - row) / pitched.pitchInBytes + 1 : 1;
    if (row == 0 || rows == 0 || pitched.height == 0)
        return texture.levels.push_back(empty_image(pitched.format, pitched.numChannels));
    texture.levels.push_back({.data = reinterpret_cast<std::byte*>(pitched.devPtr),
                              .width = pitched.width,
                              .height = std::min(rows, pitched.height),
                              .row_pitch = pitched.pitchInBytes,
                              .format = pitched.format,
                              .channels = pitched.numChannels});
}

void use_array(exec::Texture& texture, const std::shared_ptr<Array>& array) {
    texture.levels.push_back(image_of(*array));
    keep(texture, array);
}

void use_mipmapped(exec::Texture& texture, const std::shared_ptr<MipmappedArray>& mipmapped) {
    for (unsigned i = 0; i < mipmapped->levels(); ++i)
        texture.levels.push_back(image_of(*arrays().get(mipmapped->level(i))));
    keep(texture, mipmapped);
}

/// The array, or the full image of the mipmapped array; nullptr if there is none.
std::shared_ptr<Array> array_of(const CUDA_RESOURCE_DESC& resource) {
    if (resource.resType == CU_RESOURCE_TYPE_ARRAY) return arrays().find(resource.res.array.hArray);
    const auto mipmapped = mipmapped_arrays().find(resource.res.mipmap.hMipmappedArray);
    return mipmapped ? arrays().find(mipmapped->level(0)) : nullptr;
}

void check_linear(const CUDA_RESOURCE_DESC& resource) {
    const auto& linear = resource.res.linear;
    texel_bytes(linear.format, linear.numChannels);
    require(linear.devPtr % limits::texture_alignment == 0);
    memory::range(linear.devPtr, 1);
}

void check_pitched(const CUDA_RESOURCE_DESC& resource) {
    const auto& pitched = resource.res.pitch2D;
    texel_bytes(pitched.format, pitched.numChannels);
    require(pitched.devPtr % limits::texture_alignment == 0);
    require(pitched.pitchInBytes % limits::texture_pitch_alignment == 0);
    require(pitched.width <= limits::linear_texture_width && pitched.height <= limits::linear_texture_height);
    require(pitched.pitchInBytes <= limits::linear_texture_pitch);
    memory::range(pitched.devPtr, 1);
}

/// Returns the shape, which check_sampling needs.
CUDA_ARRAY3D_DESCRIPTOR check_resource(const CUDA_RESOURCE_DESC& resource) {
    require(resource.flags == 0);
    CUDA_ARRAY3D_DESCRIPTOR shape{};
    switch (resource.resType) {
        case CU_RESOURCE_TYPE_ARRAY:
        case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: {
            require(resource.res.array.hArray != nullptr);
            const auto array = array_of(resource);
            require(array != nullptr, CUDA_ERROR_INVALID_HANDLE);
            return array->descriptor();
        }
        case CU_RESOURCE_TYPE_LINEAR:
            check_linear(resource);
            return shape;
        case CU_RESOURCE_TYPE_PITCH2D:
            check_pitched(resource);
            shape.Height = 1;
            return shape;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

/// Like the driver, this ignores the address modes of dimensions that the texture does not have.
void check_sampling(const CUDA_TEXTURE_DESC& sampling, const CUDA_ARRAY3D_DESCRIPTOR& shape) {
    const bool layered = (shape.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
    const unsigned dimensions = shape.Height == 0 ? 1 : shape.Depth == 0 || layered ? 2 : 3;
    for (unsigned d = 0; d < dimensions; ++d)
        require(sampling.addressMode[d] >= CU_TR_ADDRESS_MODE_WRAP &&
                sampling.addressMode[d] <= CU_TR_ADDRESS_MODE_BORDER);
    for (CUfilter_mode mode : {sampling.filterMode, sampling.mipmapFilterMode})
        require(mode == CU_TR_FILTER_MODE_POINT || mode == CU_TR_FILTER_MODE_LINEAR);
    require((sampling.flags & ~0x7fu) == 0);
    require((sampling.flags & CU_TRSF_SEAMLESS_CUBEMAP) == 0 || (shape.Flags & CUDA_ARRAY3D_CUBEMAP) != 0);
    for (int reserved : sampling.reserved) require(reserved == 0);
}

}  // namespace

std::shared_ptr<exec::Texture> make_texture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& sampling) {
    check_sampling(sampling, check_resource(resource));
    return bind_texture(resource, sampling);
}

std::shared_ptr<exec::Texture> bind_texture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& sampling) {
    auto made = std::make_shared<exec::Texture>();
    made->sampling = sampling;
    switch (resource.resType) {
        case CU_RESOURCE_TYPE_ARRAY:
            use_array(*made, arrays().get(resource.res.array.hArray));
            break;
        case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
            use_mipmapped(*made, mipmapped_arrays().get(resource.res.mipmap.hMipmappedArray));
            break;
        case CU_RESOURCE_TYPE_LINEAR:
            use_linear(*made, resource);
            return made;
        default:
            use_pitched(*made, resource);
            return made;
    }
    const auto array = array_of(resource);
    if (array && texel_format(array->descriptor().Format, array->descriptor().NumChannels).normalized)
        made->sampling.flags &= ~static_cast<unsigned>(CU_TRSF_READ_AS_INTEGER);
    return made;
}

std::shared_ptr<exec::Texture> unbound_texture() {
    auto made = std::make_shared<exec::Texture>();
    made->levels.push_back(empty_image(CU_AD_FORMAT_UNSIGNED_INT32, 4));
    for (CUaddress_mode& mode : made->sampling.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    return made;
}

std::shared_ptr<exec::Surface> make_surface(const CUDA_RESOURCE_DESC& resource) {
    require(resource.flags == 0 && resource.resType == CU_RESOURCE_TYPE_ARRAY);
    require(resource.res.array.hArray != nullptr);
    arrays().get(resource.res.array.hArray);
    return bind_surface(resource.res.array.hArray);
}

std::shared_ptr<exec::Surface> bind_surface(CUarray handle) {
    auto made = std::make_shared<exec::Surface>();
    made->freed = &gone;
    auto array = arrays().find(handle);
    if (!array) return made;
    made->image = image_of(*array);
    keep(*made, std::move(array));
    return made;
}

}  // namespace cpu::state::texture
