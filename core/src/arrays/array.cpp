#include "pycuda/arrays/array.hpp"

#include <string>

#include "arrays/array_description.hpp"
#include "captures/used_by_graphs.hpp"
#include "driver/driver_table.hpp"
#include "streams/pending_waits.hpp"

namespace pycuda {
namespace {

ArrayDescriptor3D with_depth(const ArrayDescriptor& descriptor) {
    return {descriptor.width, descriptor.height, 0, descriptor.format, descriptor.num_channels, 0};
}

}  // namespace

void ArrayTraits::destroy(CUarray array, Context* owner) noexcept {
    used_by_graphs::destroy_unless_used(array, owner,
                                        [array] { free_when_none_waits(driver().cuArrayDestroy, array); });
}

void MipmappedArrayTraits::destroy(CUmipmappedArray array, Context* owner) noexcept {
    used_by_graphs::destroy_unless_used(array, owner,
                                        [array] { free_when_none_waits(driver().cuMipmappedArrayDestroy, array); });
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

Array::Array(Whole whole, CUarray part, std::shared_ptr<MipmappedArray> levels)
    : array_(Handle<ArrayTraits>::borrow(part, whole())), whole_(std::move(whole)), levels_(std::move(levels)) {}

std::shared_ptr<Array> Array::part_of(Whole whole, CUarray part, std::shared_ptr<MipmappedArray> levels) {
    return std::shared_ptr<Array>(new Array(std::move(whole), part, std::move(levels)));
}

void Array::free() {
    static_cast<void>(handle());
    if (!array_.reset()) raise_closed(ArrayTraits::what);
}

ArrayDescriptor Array::get_descriptor() const {
    const auto array = use();
    const ContextScope scope(*context());
    CUDA_ARRAY_DESCRIPTOR shape{};
    driver().cuArrayGetDescriptor(&shape, array);
    return {shape.Width, shape.Height, static_cast<ArrayFormat>(shape.Format), shape.NumChannels};
}

ArrayDescriptor3D Array::get_descriptor_3d() const {
    const auto array = use();
    const ContextScope scope(*context());
    CUDA_ARRAY3D_DESCRIPTOR shape{};
    driver().cuArray3DGetDescriptor(&shape, array);
    return {shape.Width,       shape.Height, shape.Depth, static_cast<ArrayFormat>(shape.Format),
            shape.NumChannels, shape.Flags};
}

CUarray Array::handle() const {
    const CUarray array = array_.get();
    if (whole_) static_cast<void>(whole_());  // raises if it is gone
    return array;
}

Array::Use Array::use() const {
    static_cast<void>(handle());
    return {levels_ ? levels_->use() : Handle<MipmappedArrayTraits>::Use(), array_.use()};
}

std::shared_ptr<Context> Array::context() const {
    return whole_ ? whole_() : array_.live_owner();
}

bool Array::operator==(const Array& other) const noexcept {
    const CUarray mine = array_.get_or_null();
    return this == &other || (mine && mine == other.array_.get_or_null());
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

std::shared_ptr<MipmappedArray> MipmappedArray::mapped_onto(std::shared_ptr<const void> memory, CUmipmappedArray array,
                                                            std::shared_ptr<Context> owner) {
    Handle<MipmappedArrayTraits> made(array, std::move(owner));
    return std::shared_ptr<MipmappedArray>(new MipmappedArray(std::move(memory), std::move(made)));
}

void MipmappedArray::free() {
    static_cast<void>(handle());
    if (!array_.reset()) raise_closed(MipmappedArrayTraits::what);
}

namespace {

/// Asks how much memory an array takes on its device.
template <class Ask, class Use>
ArrayMemory memory_of(const Ask& ask, const Use& array) {
    CUDA_ARRAY_MEMORY_REQUIREMENTS memory{};
    if (const CUresult result = ask.try_call(&memory, array, Context::get_device().handle()))
        ask.fail(result, "only an array that was created with array3d_flags.DEFERRED_MAPPING has requirements");
    return {memory.size, memory.alignment};
}

}  // namespace

ArrayMemory Array::get_memory_requirements() const {
    const auto array = use();
    const ContextScope scope(*context());
    return memory_of(driver().cuArrayGetMemoryRequirements, array);
}

std::shared_ptr<Array> Array::plane_of(std::shared_ptr<Array> array, unsigned index) {
    if (!array) throw std::invalid_argument("array must not be null");
    const auto whole = array->use();
    const ContextScope scope(*array->context());
    CUarray plane = nullptr;
    const auto& get = driver().cuArrayGetPlane;
    if (const CUresult result = get.try_call(&plane, whole, index)) get.fail(result, "plane " + std::to_string(index));
    return part_of([array] { return array->context(); }, plane);
}

ArrayMemory MipmappedArray::get_memory_requirements() const {
    const auto array = use();
    const ContextScope scope(*context());
    return memory_of(driver().cuMipmappedArrayGetMemoryRequirements, array);
}

std::shared_ptr<Array> MipmappedArray::get_level(unsigned level) {
    const auto whole = use();
    const ContextScope scope(*context());
    CUarray array = nullptr;
    const auto& get = driver().cuMipmappedArrayGetLevel;
    if (const CUresult result = get.try_call(&array, whole, level)) get.fail(result, "level " + std::to_string(level));
    return Array::part_of([this] { return context(); }, array, shared_from_this());
}

}  // namespace pycuda
