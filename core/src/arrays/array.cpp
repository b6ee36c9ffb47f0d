#include "pycuda/arrays/array.hpp"

#include <string>

#include "driver_table.hpp"

namespace pycuda {
namespace {

CUDA_ARRAY3D_DESCRIPTOR to_driver(const ArrayDescriptor3D& descriptor) {
    return {.Width = descriptor.width,
            .Height = descriptor.height,
            .Depth = descriptor.depth,
            .Format = static_cast<CUarray_format>(descriptor.format),
            .NumChannels = descriptor.num_channels,
            .Flags = descriptor.flags};
}

/// For messages: "an array of 640 x 480 x 1 texels of 4 channels, format 32, flags 0".
std::string text_of(const ArrayDescriptor3D& descriptor) {
    return "an array of " + std::to_string(descriptor.width) + " x " + std::to_string(descriptor.height) + " x " +
           std::to_string(descriptor.depth) + " texels of " + std::to_string(descriptor.num_channels) +
           " channels, format " + std::to_string(static_cast<int>(descriptor.format)) + ", flags " +
           std::to_string(descriptor.flags);
}

ArrayDescriptor3D with_depth(const ArrayDescriptor& descriptor) {
    return {descriptor.width, descriptor.height, 0, descriptor.format, descriptor.num_channels, 0};
}

}  // namespace

std::size_t channel_bytes(ArrayFormat format) noexcept {
    switch (format) {
        case ArrayFormat::UNSIGNED_INT8:
        case ArrayFormat::SIGNED_INT8:
            return 1;
        case ArrayFormat::UNSIGNED_INT16:
        case ArrayFormat::SIGNED_INT16:
        case ArrayFormat::HALF:
            return 2;
        case ArrayFormat::UNSIGNED_INT32:
        case ArrayFormat::SIGNED_INT32:
        case ArrayFormat::FLOAT:
            return 4;
        default:
            return 0;
    }
}

void ArrayTraits::destroy(CUarray array) noexcept {
    driver().cuArrayDestroy.clean_up(array);
}

void MipmappedArrayTraits::destroy(CUmipmappedArray array) noexcept {
    driver().cuMipmappedArrayDestroy.clean_up(array);
}

Array::Array(const ArrayDescriptor& descriptor) {
    auto context = Context::owner_of_new();
    const CUDA_ARRAY_DESCRIPTOR shape{descriptor.width, descriptor.height,
                                      static_cast<CUarray_format>(descriptor.format), descriptor.num_channels};
    CUarray array = nullptr;
    const auto& create = driver().cuArrayCreate;
    if (const CUresult result = create.try_call(&array, &shape)) create.fail(result, text_of(with_depth(descriptor)));
    array_ = {array, std::move(context)};
}

Array::Array(const ArrayDescriptor3D& descriptor) {
    auto context = Context::owner_of_new();
    const CUDA_ARRAY3D_DESCRIPTOR shape = to_driver(descriptor);
    CUarray array = nullptr;
    const auto& create = driver().cuArray3DCreate;
    if (const CUresult result = create.try_call(&array, &shape)) create.fail(result, text_of(descriptor));
    array_ = {array, std::move(context)};
}

Array::Array(Whole whole, CUarray part) : part_(part), whole_(std::move(whole)) {}

std::shared_ptr<Array> Array::part_of(Whole whole, CUarray part) {
    return std::shared_ptr<Array>(new Array(std::move(whole), part));
}

void Array::free() {
    static_cast<void>(handle());
    close();
}

void Array::close() noexcept {
    array_.reset();
    part_is_closed_ = true;
}

ArrayDescriptor Array::get_descriptor() const {
    const CUarray array = handle();
    const ContextScope scope(*context());
    CUDA_ARRAY_DESCRIPTOR shape{};
    driver().cuArrayGetDescriptor(&shape, array);
    return {shape.Width, shape.Height, static_cast<ArrayFormat>(shape.Format), shape.NumChannels};
}

ArrayDescriptor3D Array::get_descriptor_3d() const {
    const CUarray array = handle();
    const ContextScope scope(*context());
    CUDA_ARRAY3D_DESCRIPTOR shape{};
    driver().cuArray3DGetDescriptor(&shape, array);
    return {shape.Width,       shape.Height, shape.Depth, static_cast<ArrayFormat>(shape.Format),
            shape.NumChannels, shape.Flags};
}

CUarray Array::handle() const {
    if (!part_) return array_.get();
    if (part_is_closed_) raise_closed(ArrayTraits::what);
    static_cast<void>(whole_());
    return part_;
}

std::shared_ptr<Context> Array::context() const {
    return part_ ? whole_() : array_.live_owner();
}

bool Array::operator==(const Array& other) const noexcept {
    const CUarray mine = part_ ? part_ : array_.get_or_null();
    return this == &other || (mine && mine == (other.part_ ? other.part_ : other.array_.get_or_null()));
}

MipmappedArray::MipmappedArray(const ArrayDescriptor3D& descriptor, unsigned levels) {
    auto context = Context::owner_of_new();
    const CUDA_ARRAY3D_DESCRIPTOR shape = to_driver(descriptor);
    CUmipmappedArray array = nullptr;
    const auto& create = driver().cuMipmappedArrayCreate;
    if (const CUresult result = create.try_call(&array, &shape, levels))
        create.fail(result, text_of(descriptor) + ", " + std::to_string(levels) + " levels");
    array_ = {array, std::move(context)};
}

void MipmappedArray::free() {
    static_cast<void>(handle());
    close();
}

std::shared_ptr<Array> MipmappedArray::get_level(unsigned level) {
    const CUmipmappedArray whole = handle();
    const ContextScope scope(*context());
    CUarray array = nullptr;
    const auto& get = driver().cuMipmappedArrayGetLevel;
    if (const CUresult result = get.try_call(&array, whole, level)) get.fail(result, "level " + std::to_string(level));
    return Array::part_of([whole = shared_from_this()] { return whole->context(); }, array);
}

}  // namespace pycuda
