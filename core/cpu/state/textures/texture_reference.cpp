#include "state/textures/texture_reference.hpp"

#include "state/context.hpp"
#include "state/device.hpp"
#include "state/memory/memory.hpp"
#include "state/textures/array.hpp"
#include "state/textures/texture_resource.hpp"

namespace cpu::state {

namespace {

bool is(const std::optional<CUDA_RESOURCE_DESC>& resource, CUresourcetype type) {
    return resource && resource->resType == type;
}

}  // namespace

std::size_t TextureState::set_address(CUdeviceptr pointer, std::size_t bytes, bool takes_offset) {
    const std::size_t offset = pointer % limits::texture_alignment;
    require(offset == 0 || takes_offset);
    CUDA_RESOURCE_DESC next{};
    next.resType = CU_RESOURCE_TYPE_LINEAR;
    next.res.linear.devPtr = pointer - offset;
    next.res.linear.sizeInBytes = bytes + offset;
    resource = next;
    return offset;
}

void TextureState::set_address_2d(const CUDA_ARRAY_DESCRIPTOR& shape, CUdeviceptr pointer, std::size_t pitch) {
    CUDA_RESOURCE_DESC next{};
    next.resType = CU_RESOURCE_TYPE_PITCH2D;
    next.res.pitch2D = {pointer, shape.Format, shape.NumChannels, shape.Width, shape.Height, pitch};
    resource = next;
    format = shape.Format;
    channels = static_cast<int>(shape.NumChannels);
}

void TextureState::set_array(CUarray handle) {
    CUDA_RESOURCE_DESC next{};
    next.resType = CU_RESOURCE_TYPE_ARRAY;
    next.res.array.hArray = handle;
    resource = next;
    const CUDA_ARRAY3D_DESCRIPTOR shape = arrays().get(handle)->descriptor();
    format = shape.Format;
    channels = static_cast<int>(shape.NumChannels);
}

void TextureState::set_mipmapped_array(CUmipmappedArray handle) {
    set_array(mipmapped_arrays().get(handle)->level(0));
    resource->resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource->res.mipmap.hMipmappedArray = handle;
}

CUdeviceptr TextureState::address() const {
    if (is(resource, CU_RESOURCE_TYPE_PITCH2D)) return resource->res.pitch2D.devPtr;
    require(is(resource, CU_RESOURCE_TYPE_LINEAR));
    return resource->res.linear.devPtr;
}

CUarray TextureState::array() const {
    require(is(resource, CU_RESOURCE_TYPE_ARRAY) && arrays().find(resource->res.array.hArray));
    return resource->res.array.hArray;
}

CUmipmappedArray TextureState::mipmapped_array() const {
    require(is(resource, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) &&
            mipmapped_arrays().find(resource->res.mipmap.hMipmappedArray));
    return resource->res.mipmap.hMipmappedArray;
}

/// The resource, if it can be read; anything else counts as unbound.
std::optional<CUDA_RESOURCE_DESC> TextureState::readable() const {
    if (!resource) return std::nullopt;
    CUDA_RESOURCE_DESC now = *resource;
    switch (now.resType) {
        case CU_RESOURCE_TYPE_ARRAY:
            if (!arrays().find(now.res.array.hArray)) return std::nullopt;
            return now;
        case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
            if (!mipmapped_arrays().find(now.res.mipmap.hMipmappedArray)) return std::nullopt;
            return now;
        case CU_RESOURCE_TYPE_LINEAR:
            now.res.linear.format = format;
            now.res.linear.numChannels = static_cast<unsigned>(channels);
            break;
        default:
            break;
    }
    if (address() == 0 || !is_plain_format(format) || (channels != 1 && channels != 2 && channels != 4))
        return std::nullopt;
    return now;
}

TextureReference::TextureReference(const Context& context, bool module) : context_(context), of_module_(module) {
    for (CUaddress_mode& mode : state_.sampling.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
}

TextureState TextureReference::state() const {
    std::lock_guard lock(mutex_);
    return state_;
}

std::uint64_t TextureReference::bind() const {
    const TextureState now = state();
    const auto resource = now.readable();
    return exec::texture_table::add(resource ? texture::bind_texture(*resource, now.sampling)
                                             : texture::unbound_texture());
}

CUarray SurfaceReference::array() const {
    require(array_ != nullptr);
    return array_;
}

void SurfaceReference::set_array(CUarray array) {
    require((arrays().get(array)->descriptor().Flags & CUDA_ARRAY3D_SURFACE_LDST) != 0);
    array_ = array;
}

std::uint64_t SurfaceReference::bind() const {
    const CUarray array = array_;
    return exec::texture_table::add(array ? texture::bind_surface(array) : std::make_shared<exec::Surface>());
}

Bindings::~Bindings() {
    for (std::uint64_t handle : handles_) exec::texture_table::remove(handle);
}

}  // namespace cpu::state
