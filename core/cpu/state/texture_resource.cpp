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
            .format = shape.Format,
            .channels = shape.NumChannels,
            .layered = (shape.Flags & CUDA_ARRAY3D_LAYERED) != 0,
            .cubemap = (shape.Flags & CUDA_ARRAY3D_CUBEMAP) != 0};
}

bool is_channel_count(unsigned channels) { return channels == 1 || channels == 2 || channels == 4; }

void use_linear(exec::Texture& texture, const CUDA_RESOURCE_DESC& resource) {
    const auto& linear = resource.res.linear;
    require(is_channel_count(linear.numChannels) && linear.sizeInBytes > 0);
    require(linear.devPtr % limits::texture_alignment == 0);
    const std::size_t texel = channel_bytes(linear.format) * linear.numChannels;
    texture.keeps_alive = memory::range(linear.devPtr, linear.sizeInBytes);
    texture.linear_memory = true;
    texture.levels.push_back({.data = reinterpret_cast<std::byte*>(linear.devPtr),
                              .width = linear.sizeInBytes / texel,
                              .row_pitch = linear.sizeInBytes,
                              .format = linear.format,
                              .channels = linear.numChannels});
}

void use_pitched(exec::Texture& texture, const CUDA_RESOURCE_DESC& resource) {
    const auto& pitched = resource.res.pitch2D;
    require(is_channel_count(pitched.numChannels) && pitched.width > 0 && pitched.height > 0);
    require(pitched.devPtr % limits::texture_alignment == 0);
    require(pitched.pitchInBytes % limits::texture_pitch_alignment == 0);
    const std::size_t row = pitched.width * channel_bytes(pitched.format) * pitched.numChannels;
    require(pitched.pitchInBytes >= row);
    texture.keeps_alive = memory::range(pitched.devPtr, (pitched.height - 1) * pitched.pitchInBytes + row);
    texture.levels.push_back({.data = reinterpret_cast<std::byte*>(pitched.devPtr),
                              .width = pitched.width,
                              .height = pitched.height,
                              .row_pitch = pitched.pitchInBytes,
                              .format = pitched.format,
                              .channels = pitched.numChannels});
}

void use_mipmapped(exec::Texture& texture, CUmipmappedArray handle) {
    const auto mipmapped = mipmapped_arrays().get(handle);
    for (unsigned i = 0; i < mipmapped->levels(); ++i)
        texture.levels.push_back(image_of(*arrays().get(mipmapped->level(i))));
    texture.keeps_alive = mipmapped;
}

void check_sampling(const CUDA_TEXTURE_DESC& sampling) {
    for (CUaddress_mode mode : sampling.addressMode)
        require(mode >= CU_TR_ADDRESS_MODE_WRAP && mode <= CU_TR_ADDRESS_MODE_BORDER);
    require(sampling.filterMode == CU_TR_FILTER_MODE_POINT || sampling.filterMode == CU_TR_FILTER_MODE_LINEAR);
    constexpr unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
                               CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;
    require((sampling.flags & ~known) == 0);
    // Cube maps are filtered inside one face: what this flag asks for would silently be missing.
    const bool across_edges = (sampling.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
    require(!across_edges || sampling.filterMode == CU_TR_FILTER_MODE_POINT, CUDA_ERROR_NOT_SUPPORTED);
}

}  // namespace

std::shared_ptr<exec::Texture> make_texture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& sampling) {
    require(resource.flags == 0);
    check_sampling(sampling);
    auto made = std::make_shared<exec::Texture>();
    made->sampling = sampling;
    switch (resource.resType) {
        case CU_RESOURCE_TYPE_ARRAY: {
            auto array = arrays().get(resource.res.array.hArray);
            made->levels.push_back(image_of(*array));
            made->keeps_alive = std::move(array);
            break;
        }
        case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: use_mipmapped(*made, resource.res.mipmap.hMipmappedArray); break;
        case CU_RESOURCE_TYPE_LINEAR: use_linear(*made, resource); break;
        case CU_RESOURCE_TYPE_PITCH2D: use_pitched(*made, resource); break;
        default: fail(CUDA_ERROR_INVALID_VALUE);
    }
    return made;
}

std::shared_ptr<exec::Surface> make_surface(const CUDA_RESOURCE_DESC& resource) {
    require(resource.flags == 0 && resource.resType == CU_RESOURCE_TYPE_ARRAY);
    auto array = arrays().get(resource.res.array.hArray);
    require((array->descriptor().Flags & CUDA_ARRAY3D_SURFACE_LDST) != 0);
    auto made = std::make_shared<exec::Surface>();
    made->image = image_of(*array);
    made->keeps_alive = std::move(array);
    return made;
}

}  // namespace cpu::state::texture
