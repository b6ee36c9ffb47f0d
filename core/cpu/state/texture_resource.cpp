#include "state/texture_resource.hpp"

#include "state/array.hpp"
#include "state/device.hpp"
#include "state/memory.hpp"

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

/// A texture without texels reads as one that is zero.
exec::TexelImage empty_image(CUarray_format format, unsigned channels) {
    static std::byte zeros[16];
    return {.data = zeros, .width = 1, .row_pitch = sizeof zeros, .format = format, .channels = channels};
}

std::size_t texel_bytes(CUarray_format format, unsigned channels) {
    require(channels == 1 || channels == 2 || channels == 4);
    return channel_bytes(format) * channels;
}

/// `memory`, which the program may free, stays for as long as the texture or surface.
template <class Object, class Memory>
void keep(Object& object, std::shared_ptr<Memory> memory) {
    object.freed = &memory->freed;
    object.keeps_alive = std::move(memory);
}

void use_linear(exec::Texture& texture, const CUDA_RESOURCE_DESC& resource) {
    const auto& linear = resource.res.linear;
    const std::size_t texel = texel_bytes(linear.format, linear.numChannels), width = linear.sizeInBytes / texel;
    require(linear.devPtr % limits::texture_alignment == 0);
    keep(texture, memory::range(linear.devPtr, linear.sizeInBytes));
    texture.linear_memory = true;
    if (width == 0) return texture.levels.push_back(empty_image(linear.format, linear.numChannels));
    texture.levels.push_back({.data = reinterpret_cast<std::byte*>(linear.devPtr),
                              .width = width,
                              .row_pitch = linear.sizeInBytes,
                              .format = linear.format,
                              .channels = linear.numChannels});
}

void use_pitched(exec::Texture& texture, const CUDA_RESOURCE_DESC& resource) {
    const auto& pitched = resource.res.pitch2D;
    const std::size_t texel = texel_bytes(pitched.format, pitched.numChannels);
    require(pitched.devPtr % limits::texture_alignment == 0);
    require(pitched.pitchInBytes % limits::texture_pitch_alignment == 0);
    require(pitched.width <= limits::linear_texture_width && pitched.height <= limits::linear_texture_height);
    require(pitched.pitchInBytes <= limits::linear_texture_pitch);
    const std::size_t rows = pitched.height > 0 ? (pitched.height - 1) * pitched.pitchInBytes : 0;
    keep(texture, memory::range(pitched.devPtr, rows + pitched.width * texel));
    if (pitched.width == 0 || pitched.height == 0)
        return texture.levels.push_back(empty_image(pitched.format, pitched.numChannels));
    texture.levels.push_back({.data = reinterpret_cast<std::byte*>(pitched.devPtr),
                              .width = pitched.width,
                              .height = pitched.height,
                              .row_pitch = pitched.pitchInBytes,
                              .format = pitched.format,
                              .channels = pitched.numChannels});
}

/// Returns the shape of the full image.
const CUDA_ARRAY3D_DESCRIPTOR& use_array(exec::Texture& texture, const CUDA_RESOURCE_DESC& resource) {
    require(resource.res.array.hArray != nullptr);
    const auto array = arrays().get(resource.res.array.hArray);
    texture.levels.push_back(image_of(*array));
    keep(texture, array);
    return array->descriptor();
}

const CUDA_ARRAY3D_DESCRIPTOR& use_mipmapped(exec::Texture& texture, const CUDA_RESOURCE_DESC& resource) {
    require(resource.res.mipmap.hMipmappedArray != nullptr);
    const auto mipmapped = mipmapped_arrays().get(resource.res.mipmap.hMipmappedArray);
    for (unsigned i = 0; i < mipmapped->levels(); ++i)
        texture.levels.push_back(image_of(*arrays().get(mipmapped->level(i))));
    keep(texture, mipmapped);
    return arrays().get(mipmapped->level(0))->descriptor();
}

/// As the driver does, the address modes of dimensions that the texture lacks are not looked at.
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
    // Cube maps are filtered inside one face: what this flag asks for would silently be missing.
    const bool across_edges = (sampling.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
    require(!across_edges || sampling.filterMode == CU_TR_FILTER_MODE_POINT, CUDA_ERROR_NOT_SUPPORTED);
}

}  // namespace

std::shared_ptr<exec::Texture> make_texture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& sampling) {
    require(resource.flags == 0);
    auto made = std::make_shared<exec::Texture>();
    made->sampling = sampling;
    CUDA_ARRAY3D_DESCRIPTOR shape{};
    switch (resource.resType) {
        case CU_RESOURCE_TYPE_ARRAY:
            shape = use_array(*made, resource);
            break;
        case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
            shape = use_mipmapped(*made, resource);
            break;
        case CU_RESOURCE_TYPE_LINEAR:
            use_linear(*made, resource);
            break;
        case CU_RESOURCE_TYPE_PITCH2D:
            use_pitched(*made, resource);
            shape.Height = 1;
            break;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
    check_sampling(sampling, shape);
    if (shape.NumChannels && texel_format(shape.Format, shape.NumChannels).normalized)
        made->sampling.flags &= ~static_cast<unsigned>(CU_TRSF_READ_AS_INTEGER);
    return made;
}

std::shared_ptr<exec::Surface> make_surface(const CUDA_RESOURCE_DESC& resource) {
    require(resource.flags == 0 && resource.resType == CU_RESOURCE_TYPE_ARRAY);
    require(resource.res.array.hArray != nullptr);
    auto array = arrays().get(resource.res.array.hArray);
    auto made = std::make_shared<exec::Surface>();
    made->image = image_of(*array);
    keep(*made, std::move(array));
    return made;
}

}  // namespace cpu::state::texture
