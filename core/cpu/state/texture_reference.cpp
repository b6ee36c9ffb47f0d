#include "state/texture_reference.hpp"

#include "state/array.hpp"
#include "state/device.hpp"
#include "state/memory.hpp"
#include "state/texture_resource.hpp"

namespace cpu::state {

namespace {

bool is(const std::optional<CUDA_RESOURCE_DESC>& resource, CUresourcetype type) {
    return resource && resource->resType == type;
}

}  // namespace

std::size_t TextureState::set_address(CUdeviceptr pointer, std::size_t bytes, bool takes_offset) {
    const std::size_t offset = pointer % limits::texture_alignment;
    require(offset == 0 || takes_offset);
    memory::range(pointer, bytes);
    CUDA_RESOURCE_DESC next{};
    next.resType = CU_RESOURCE_TYPE_LINEAR;
    next.res.linear = {pointer - offset, format, channels, bytes + offset};
    resource = next;
    return offset;
}

void TextureState::set_address_2d(const CUDA_ARRAY_DESCRIPTOR& shape, CUdeviceptr pointer, std::size_t pitch) {
    CUDA_RESOURCE_DESC next{};
    next.resType = CU_RESOURCE_TYPE_PITCH2D;
    next.res.pitch2D = {pointer, shape.Format, shape.NumChannels, shape.Width, shape.Height, pitch};
    texture::make_texture(next, sampling);
    resource = next;
    format = shape.Format;
    channels = shape.NumChannels;
}

void TextureState::set_array(CUarray handle) {
    const auto held = arrays().get(handle);
    CUDA_RESOURCE_DESC next{};
    next.resType = CU_RESOURCE_TYPE_ARRAY;
    next.res.array.hArray = handle;
    resource = next;
    format = held->descriptor().Format;
    channels = held->descriptor().NumChannels;
}

void TextureState::set_mipmapped_array(CUmipmappedArray handle) {
    const auto held = mipmapped_arrays().get(handle);
    CUDA_RESOURCE_DESC next{};
    next.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    next.res.mipmap.hMipmappedArray = handle;
    resource = next;
    const auto full = arrays().get(held->level(0));
    format = full->descriptor().Format;
    channels = full->descriptor().NumChannels;
}

void TextureState::set_format(CUarray_format wanted, int count) {
    channel_bytes(wanted);
    require(count == 1 || count == 2 || count == 4);
    format = wanted;
    channels = static_cast<unsigned>(count);
    if (!is(resource, CU_RESOURCE_TYPE_LINEAR)) return;
    resource->res.linear.format = wanted;
    resource->res.linear.numChannels = channels;
}

CUdeviceptr TextureState::address() const {
    if (is(resource, CU_RESOURCE_TYPE_PITCH2D)) return resource->res.pitch2D.devPtr;
    require(is(resource, CU_RESOURCE_TYPE_LINEAR));
    return resource->res.linear.devPtr;
}

CUarray TextureState::array() const {
    require(is(resource, CU_RESOURCE_TYPE_ARRAY));
    return resource->res.array.hArray;
}

CUmipmappedArray TextureState::mipmapped_array() const {
    require(is(resource, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY));
    return resource->res.mipmap.hMipmappedArray;
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
    if (!now.resource) return 0;
    return exec::texture_table::add(texture::make_texture(*now.resource, now.sampling));
}

void SurfaceReference::set_array(CUarray array) {
    const auto held = arrays().get(array);
    require((held->descriptor().Flags & CUDA_ARRAY3D_SURFACE_LDST) != 0);
    array_ = array;
}

std::uint64_t SurfaceReference::bind() const {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array();
    return resource.res.array.hArray ? exec::texture_table::add(texture::make_surface(resource)) : 0;
}

Bindings::~Bindings() {
    for (std::uint64_t handle : handles_) exec::texture_table::remove(handle);
}

}  // namespace cpu::state
