#include "pycuda/arrays/texture_object.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

#include "captures/used_by_graphs.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/captures/captured_work.hpp"
#include "pycuda/constants/array_formats.hpp"
#include "pycuda/streams/stream.hpp"

namespace pycuda {
namespace {

CUDA_TEXTURE_DESC to_driver(const TextureDescriptor& descriptor) {
    CUDA_TEXTURE_DESC to{};
    for (std::size_t i = 0; i < 3; ++i) to.addressMode[i] = static_cast<CUaddress_mode>(descriptor.address_mode[i]);
    to.filterMode = static_cast<CUfilter_mode>(descriptor.filter_mode);
    to.flags = descriptor.flags;
    to.maxAnisotropy = descriptor.max_anisotropy;
    to.mipmapFilterMode = static_cast<CUfilter_mode>(descriptor.mipmap_filter_mode);
    to.mipmapLevelBias = descriptor.mipmap_level_bias;
    to.minMipmapLevelClamp = descriptor.min_mipmap_level_clamp;
    to.maxMipmapLevelClamp = descriptor.max_mipmap_level_clamp;
    std::copy_n(descriptor.border_color.begin(), 4, to.borderColor);
    return to;
}

/// The driver numbers the formats of views in this order, those with 1, 2 and 4 channels of each.
constexpr ArrayFormat view_formats[] = {
    ArrayFormat::UNSIGNED_INT8,  ArrayFormat::SIGNED_INT8,  ArrayFormat::UNSIGNED_INT16, ArrayFormat::SIGNED_INT16,
    ArrayFormat::UNSIGNED_INT32, ArrayFormat::SIGNED_INT32, ArrayFormat::HALF,           ArrayFormat::FLOAT};

CUDA_RESOURCE_VIEW_DESC to_driver(const ResourceView& view) {
    const auto* const kind = std::find(std::begin(view_formats), std::end(view_formats), view.format);
    const unsigned channels = view.num_channels;
    if (kind == std::end(view_formats) || (channels != 1 && channels != 2 && channels != 4))
        throw std::invalid_argument("a view has 1, 2 or 4 channels of 8, 16 or 32 bits, given " +
                                    std::to_string(channels) + " of format " +
                                    std::to_string(static_cast<int>(view.format)));
    CUDA_RESOURCE_VIEW_DESC to{};
    const auto index = static_cast<int>(3 * (kind - std::begin(view_formats))) + (channels == 4 ? 2 : channels == 2);
    to.format = static_cast<CUresourceViewFormat>(CU_RES_VIEW_FORMAT_UINT_1X8 + index);
    to.width = view.width;
    to.height = view.height;
    to.depth = view.depth;
    to.firstMipmapLevel = view.first_mipmap_level;
    to.lastMipmapLevel = view.last_mipmap_level;
    to.firstLayer = view.first_layer;
    to.lastLayer = view.last_layer;
    return to;
}

template <class Pointer>
const Pointer& not_null(const Pointer& array) {
    if (!array) throw std::invalid_argument("array must not be null");
    return array;
}

CUDA_RESOURCE_DESC resource_of(CUarray array) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    return resource;
}

CUDA_RESOURCE_DESC resource_of(CUmipmappedArray array) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = array;
    return resource;
}

// Textures and surfaces are numbered from 1: their keys must not be each other's, nor addresses.
std::uint64_t key_of_texture(CUtexObject object) {
    return object ^ std::uint64_t{1} << 63;
}
std::uint64_t key_of_surface(CUsurfObject object) {
    return object ^ std::uint64_t{1} << 62;
}

std::size_t checked_dimension(int dim) {
    if (dim < 0 || dim > 2)
        throw std::invalid_argument("a texture dimension must be 0, 1 or 2, not " + std::to_string(dim));
    return static_cast<std::size_t>(dim);
}

std::uint64_t number_of(const void* handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
}

std::uint64_t allocation_of(DevicePtr memory) {
    return used_by_graphs::start_of(reinterpret_cast<const void*>(memory));
}

std::uint64_t source_of(const CUDA_RESOURCE_DESC& resource) {
    switch (resource.resType) {
        case CU_RESOURCE_TYPE_ARRAY:
            return number_of(resource.res.array.hArray);
        case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
            return number_of(resource.res.mipmap.hMipmappedArray);
        case CU_RESOURCE_TYPE_LINEAR:
            return allocation_of(resource.res.linear.devPtr);
        default:
            return allocation_of(resource.res.pitch2D.devPtr);
    }
}

}  // namespace

void TextureDescriptor::set_address_mode(int dim, AddressMode am) {
    address_mode[checked_dimension(dim)] = am;
}

AddressMode TextureDescriptor::get_address_mode(int dim) const {
    return address_mode[checked_dimension(dim)];
}

// ---- what the driver reports

std::uint64_t ResourceDescriptor::source() const noexcept {
    switch (type()) {
        case ResourceType::ARRAY:
            return number_of(resource_.res.array.hArray);
        case ResourceType::MIPMAPPED_ARRAY:
            return number_of(resource_.res.mipmap.hMipmappedArray);
        case ResourceType::LINEAR:
            return resource_.res.linear.devPtr;
        default:
            return resource_.res.pitch2D.devPtr;
    }
}

ArrayFormat ResourceDescriptor::format() const noexcept {
    if (type() == ResourceType::LINEAR) return static_cast<ArrayFormat>(resource_.res.linear.format);
    return static_cast<ArrayFormat>(type() == ResourceType::PITCH2D ? resource_.res.pitch2D.format : 0);
}

unsigned ResourceDescriptor::num_channels() const noexcept {
    if (type() == ResourceType::LINEAR) return resource_.res.linear.numChannels;
    return type() == ResourceType::PITCH2D ? resource_.res.pitch2D.numChannels : 0;
}

std::size_t ResourceDescriptor::width() const noexcept {
    if (type() == ResourceType::PITCH2D) return resource_.res.pitch2D.width;
    if (type() != ResourceType::LINEAR || num_channels() == 0) return 0;
    return resource_.res.linear.sizeInBytes / (channel_bytes(format()) * num_channels());
}

std::size_t ResourceDescriptor::height() const noexcept {
    return type() == ResourceType::PITCH2D ? resource_.res.pitch2D.height : type() == ResourceType::LINEAR ? 1 : 0;
}

std::size_t ResourceDescriptor::pitch() const noexcept {
    return type() == ResourceType::PITCH2D ? resource_.res.pitch2D.pitchInBytes : 0;
}

TextureDescriptor TextureObject::get_descriptor() const {
    CUDA_TEXTURE_DESC from{};
    const ContextScope scope(*context());
    driver().cuTexObjectGetTextureDesc(&from, handle());
    TextureDescriptor descriptor;
    for (std::size_t i = 0; i < 3; ++i) descriptor.address_mode[i] = static_cast<AddressMode>(from.addressMode[i]);
    descriptor.filter_mode = static_cast<FilterMode>(from.filterMode);
    descriptor.flags = from.flags;
    descriptor.max_anisotropy = from.maxAnisotropy;
    descriptor.mipmap_filter_mode = static_cast<FilterMode>(from.mipmapFilterMode);
    descriptor.mipmap_level_bias = from.mipmapLevelBias;
    descriptor.min_mipmap_level_clamp = from.minMipmapLevelClamp;
    descriptor.max_mipmap_level_clamp = from.maxMipmapLevelClamp;
    descriptor.border_color = border_color_;
    return descriptor;
}

ResourceView TextureObject::get_view() const {
    CUDA_RESOURCE_VIEW_DESC from{};
    const ContextScope scope(*context());
    const auto& ask = driver().cuTexObjectGetResourceViewDesc;
    ask(&from, handle());
    if (from.format == CU_RES_VIEW_FORMAT_NONE)  // the driver leaves it as it is
        throw LogicError(ask.name(), CUDA_ERROR_INVALID_VALUE, "the texture object was created without a view");
    const unsigned index = from.format - CU_RES_VIEW_FORMAT_UINT_1X8;
    return {.format = view_formats[index / 3],
            .num_channels = 1u << index % 3,
            .width = from.width,
            .height = from.height,
            .depth = from.depth,
            .first_mipmap_level = from.firstMipmapLevel,
            .last_mipmap_level = from.lastMipmapLevel,
            .first_layer = from.firstLayer,
            .last_layer = from.lastLayer};
}

ResourceDescriptor TextureObject::get_resource() const {
    CUDA_RESOURCE_DESC resource{};
    const ContextScope scope(*context());
    driver().cuTexObjectGetResourceDesc(&resource, handle());
    return ResourceDescriptor(resource);
}

ResourceDescriptor SurfaceObject::get_resource() const {
    CUDA_RESOURCE_DESC resource{};
    const ContextScope scope(*context());
    driver().cuSurfObjectGetResourceDesc(&resource, handle());
    return ResourceDescriptor(resource);
}

void TextureObjectTraits::destroy(CUtexObject object, Context* owner) noexcept {
    used_by_graphs::destroy_unless_used(key_of_texture(object), owner,
                                        [object] { driver().cuTexObjectDestroy.clean_up(object); });
}

void SurfaceObjectTraits::destroy(CUsurfObject object, Context* owner) noexcept {
    used_by_graphs::destroy_unless_used(key_of_surface(object), owner,
                                        [object] { driver().cuSurfObjectDestroy.clean_up(object); });
}

TextureObject::TextureObject(const CUDA_RESOURCE_DESC& resource, const TextureDescriptor& descriptor,
                             std::shared_ptr<void> owner, const ResourceView* view)
    : owner_(std::move(owner)), source_(source_of(resource)), border_color_(descriptor.border_color) {
    auto context = Context::owner_of_new();
    const CUDA_TEXTURE_DESC how = to_driver(descriptor);
    const CUDA_RESOURCE_VIEW_DESC seen = view ? to_driver(*view) : CUDA_RESOURCE_VIEW_DESC{};
    CUtexObject object = 0;
    const RelaxedCapture relaxed;  // no capture is affected
    driver().cuTexObjectCreate(&object, &resource, &how, view ? &seen : nullptr);
    object_ = {object, std::move(context)};
}

void TextureObject::note_in_graph(const Stream* stream) const {
    note_memory_of_graph(use_of(stream), key_of_texture(handle()));
    note_memory_of_graph(use_of(stream), source_);
}

void SurfaceObject::note_in_graph(const Stream* stream) const {
    note_memory_of_graph(use_of(stream), key_of_surface(handle()));
    note_memory_of_graph(use_of(stream), number_of(array_->handle()));
}

TextureObject::TextureObject(std::shared_ptr<Array> array, const TextureDescriptor& descriptor)
    : TextureObject(resource_of(not_null(array)->use()), descriptor, array) {}

TextureObject::TextureObject(std::shared_ptr<MipmappedArray> array, const TextureDescriptor& descriptor)
    : TextureObject(resource_of(not_null(array)->use()), descriptor, array) {}

TextureObject::TextureObject(std::shared_ptr<Array> array, const TextureDescriptor& descriptor,
                             const ResourceView& view)
    : TextureObject(resource_of(not_null(array)->use()), descriptor, array, &view) {}

TextureObject::TextureObject(std::shared_ptr<MipmappedArray> array, const TextureDescriptor& descriptor,
                             const ResourceView& view)
    : TextureObject(resource_of(not_null(array)->use()), descriptor, array, &view) {}

TextureObject TextureObject::of_linear(DevicePtr devptr, std::size_t nbytes, ArrayFormat format, unsigned num_channels,
                                       const TextureDescriptor& descriptor) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear = {devptr, static_cast<CUarray_format>(format), num_channels, nbytes};
    return {resource, descriptor, nullptr};
}

TextureObject TextureObject::of_pitched(DevicePtr devptr, const ArrayDescriptor& shape, std::size_t pitch,
                                        const TextureDescriptor& descriptor) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D = {
        devptr, static_cast<CUarray_format>(shape.format), shape.num_channels, shape.width, shape.height, pitch};
    return {resource, descriptor, nullptr};
}

SurfaceObject::SurfaceObject(std::shared_ptr<Array> array) : array_(std::move(array)) {
    const auto in_use = not_null(array_)->use();
    const CUDA_RESOURCE_DESC resource = resource_of(in_use);
    const auto& create = driver().cuSurfObjectCreate;
    // Some drivers create an object anyway, and its writes corrupt memory.
    if (!(array_->get_descriptor_3d().flags & Array3dFlags::SURFACE_LDST))
        create.fail(CUDA_ERROR_INVALID_VALUE, "the array must be created with array3d_flags.SURFACE_LDST");
    auto context = Context::owner_of_new();
    CUsurfObject object = 0;
    create(&object, &resource);
    object_ = {object, std::move(context)};
}

}  // namespace pycuda
