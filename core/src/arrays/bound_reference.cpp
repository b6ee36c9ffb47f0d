#include "arrays/bound_reference.hpp"

#include <stdexcept>
#include <utility>

#include "driver/driver_table.hpp"
#include "pycuda/constants/array_formats.hpp"
#include "pycuda/driver/failures.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {
namespace {

constexpr unsigned texture_mark = 0x54455852, surface_mark = 0x53555246;  // "TEXR", "SURF"

/// An attribute of the current context's device; `otherwise` if the driver does not report it.
std::size_t device_limit(CUdevice_attribute attribute, std::size_t otherwise) {
    CUdevice device = 0;
    int value = 0;
    driver().cuCtxGetDevice(&device);
    driver().cuDeviceGetAttribute(&value, attribute, device);
    return value > 0 ? static_cast<std::size_t>(value) : otherwise;
}

/// The alignment of textures in linear memory.
std::size_t texture_alignment() {
    return device_limit(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 1);
}

/// Bytes from `address` to the end of its allocation; 0 if there is none.
std::size_t bytes_behind(DevicePtr address) noexcept {
    CUdeviceptr start = 0;
    std::size_t size = 0;
    unsigned type = 0;
    if (driver().cuMemGetAddressRange.try_call(&start, &size, address) == CUDA_SUCCESS) return start + size - address;
    // Some drivers do not report the size of page-locked memory.
    const bool is_known =
        driver().cuPointerGetAttribute.try_call(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_SUCCESS;
    return is_known ? SIZE_MAX : 0;
}

/// Why the memory cannot hold this many bytes; empty if it can.
std::string shortage_of(DevicePtr address, std::size_t bytes) {
    const std::size_t there = bytes_behind(address);
    if (there >= bytes) return {};
    if (there == 0) return "there is no device memory at the address, or it has been freed";
    return std::to_string(bytes) + " bytes are needed, and " + std::to_string(there) + " are there from the address on";
}

/// Why rows of texels cannot be a texture; empty if they can.
std::string obstacle_of(DevicePtr address, const ArrayDescriptor& shape, std::size_t pitch) {
    const auto number = [](std::size_t value) { return std::to_string(value); };
    const std::size_t width = device_limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH, SIZE_MAX);
    const std::size_t height = device_limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, SIZE_MAX);
    const std::size_t max = device_limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH, SIZE_MAX);
    const std::size_t step = device_limit(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 1);
    const std::size_t alignment = texture_alignment();
    if (shape.width == 0 || shape.height == 0) return "width and height must not be 0";
    if (shape.width > width || shape.height > height)
        return number(shape.width) + " x " + number(shape.height) + " texels are more than the device's " +
               number(width) + " x " + number(height);
    const std::size_t row = shape.width * shape.num_channels * channel_bytes(shape.format);
    if (pitch < row) return "the pitch of " + number(pitch) + " bytes is less than a row of " + number(row) + " bytes";
    if (pitch % step != 0 || pitch > max)
        return "the pitch of " + number(pitch) + " bytes is not a multiple of " + number(step) + ", or more than " +
               number(max) + " (a pitched allocation has a pitch that fits)";
    if (address % alignment != 0) return "the address is not a multiple of " + number(alignment) + " bytes";
    return shortage_of(address, (shape.height - 1) * pitch + row);
}

[[noreturn]] void raise_unbound(const std::string& kind, const std::string& name, const char* routine) {
    throw LogicError(routine, CUDA_ERROR_INVALID_VALUE,
                     "nothing is bound to " + kind + " reference '" + name + "': bind memory or an array to it first");
}

template <class Function, class... Arguments>
void call_for(const std::string& name, const Function& function, Arguments... arguments) {
    if (const CUresult result = function.try_call(arguments...))
        function.fail(result, "texture reference '" + name + "'");
}

void check_components(int count) {
    if (count != 1 && count != 2 && count != 4)
        throw std::invalid_argument("a texture must have 1, 2 or 4 components, not " + std::to_string(count));
}

bool is_alive(const auto& array) noexcept {
    try {
        return array && array->handle() != nullptr;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

std::optional<ReferenceDeclaration> ReferenceDeclaration::parse(std::uint64_t value) noexcept {
    const auto mark = static_cast<unsigned>(value >> 32), details = static_cast<unsigned>(value);
    if (mark != texture_mark && mark != surface_mark) return std::nullopt;
    ReferenceDeclaration declaration;
    declaration.is_surface = mark == surface_mark;
    if (declaration.is_surface) return declaration;
    declaration.format = static_cast<ArrayFormat>(details >> 16 & 0xff);
    declaration.num_channels = static_cast<int>(details >> 24);
    const bool normalized = (details >> 8 & 0xff) != 0;
    declaration.reads_integers = declaration.format != ArrayFormat::FLOAT && !normalized;
    return declaration;
}

BoundTexture::BoundTexture(std::string name, std::shared_ptr<Context> context, CUtexref known_to_driver,
                           const ReferenceDeclaration& declaration)
    : name_(std::move(name)),
      context_(std::move(context)),
      known_to_driver_(known_to_driver),
      reads_integers_(declaration.reads_integers),
      format_{declaration.format, declaration.num_channels} {
    if (known_to_driver_) read_driver_state();
}

void BoundTexture::read_driver_state() {
    CUarray_format format{};
    int channels = 0;
    call_for(name_, driver().cuTexRefGetFormat, &format, &channels, known_to_driver_);
    format_ = {static_cast<ArrayFormat>(format), channels};
    for (int dim = 0; dim < 3; ++dim) {
        CUaddress_mode mode{};
        call_for(name_, driver().cuTexRefGetAddressMode, &mode, known_to_driver_, dim);
        how_.address_mode[static_cast<std::size_t>(dim)] = static_cast<AddressMode>(mode);
    }
    CUfilter_mode filter{};
    call_for(name_, driver().cuTexRefGetFilterMode, &filter, known_to_driver_);
    how_.filter_mode = static_cast<FilterMode>(filter);
    call_for(name_, driver().cuTexRefGetFlags, &how_.flags, known_to_driver_);
    int anisotropy = 0;
    call_for(name_, driver().cuTexRefGetMaxAnisotropy, &anisotropy, known_to_driver_);
    how_.max_anisotropy = static_cast<unsigned>(anisotropy);
    call_for(name_, driver().cuTexRefGetMipmapFilterMode, &filter, known_to_driver_);
    how_.mipmap_filter_mode = static_cast<FilterMode>(filter);
    call_for(name_, driver().cuTexRefGetMipmapLevelBias, &how_.mipmap_level_bias, known_to_driver_);
    call_for(name_, driver().cuTexRefGetMipmapLevelClamp, &how_.min_mipmap_level_clamp, &how_.max_mipmap_level_clamp,
             known_to_driver_);
    call_for(name_, driver().cuTexRefGetBorderColor, how_.border_color.data(), known_to_driver_);
}

Binding BoundTexture::bind() {
    const auto lock = lock_over_calls(mutex_);
    if (known_to_driver_ || !is_there()) return {};
    if (!object_) object_ = make_object();
    return {object_->handle(), object_};
}

/// Integers are read as the source declares them, with or without TRSF_READ_AS_INTEGER: floats in place of
/// integers would be useless.
std::shared_ptr<TextureObject> BoundTexture::make_object() const {
    TextureDescriptor how = how_;
    if (reads_integers_) how.flags |= CU_TRSF_READ_AS_INTEGER;
    const auto keep = [](TextureObject&& made) { return std::make_shared<TextureObject>(std::move(made)); };
    try {
        switch (kind_) {
            case Kind::Array:
                return keep(TextureObject(array_, how));
            case Kind::MipmappedArray:
                return keep(TextureObject(mipmapped_, how));
            case Kind::Linear:
                return keep(TextureObject::of_linear(pointer_, bytes_, format_.format,
                                                     static_cast<unsigned>(format_.num_components), how));
            case Kind::Pitched:
                return keep(TextureObject::of_pitched(pointer_, shape_, pitch_, how));
            case Kind::Nothing:
                break;
        }
        raise_unbound("texture", name_, "bind");
    } catch (const LogicError& error) {
        raise(error.routine().c_str(), error.code(),
              "what is bound to texture reference '" + name_ + "' does not go with its format, filter mode or flags");
    }
}

bool BoundTexture::is_there() const noexcept {
    if (kind_ == Kind::Array) return is_alive(array_);
    if (kind_ == Kind::MipmappedArray) return is_alive(mipmapped_);
    return kind_ != Kind::Nothing && (object_ || bytes_behind(pointer_) != 0);
}

/// Release what was bound before; the object of the last launch is destroyed when that launch completes.
void BoundTexture::rebind(Kind kind) noexcept {
    kind_ = kind;
    object_.reset();
    if (kind != Kind::Array) array_.reset();
    if (kind != Kind::MipmappedArray) mipmapped_.reset();
}

void BoundTexture::set_array(std::shared_ptr<Array> array) {
    if (!array) throw std::invalid_argument("array must not be null");
    const ArrayDescriptor3D shape = array->get_descriptor_3d();
    const auto lock = lock_over_calls(mutex_);
    if (known_to_driver_)
        call_for(name_, driver().cuTexRefSetArray, known_to_driver_, array->use(),
                 static_cast<unsigned>(CU_TRSA_OVERRIDE_FORMAT));
    array_.swap(array);
    format_ = {shape.format, static_cast<int>(shape.num_channels)};
    rebind(Kind::Array);
}

void BoundTexture::set_mipmapped_array(std::shared_ptr<MipmappedArray> array) {
    if (!array) throw std::invalid_argument("array must not be null");
    const ArrayDescriptor3D shape = array->get_level(0)->get_descriptor_3d();
    const auto lock = lock_over_calls(mutex_);
    if (known_to_driver_)
        call_for(name_, driver().cuTexRefSetMipmappedArray, known_to_driver_, array->use(),
                 static_cast<unsigned>(CU_TRSA_OVERRIDE_FORMAT));
    mipmapped_.swap(array);
    format_ = {shape.format, static_cast<int>(shape.num_channels)};
    rebind(Kind::MipmappedArray);
}

std::size_t BoundTexture::set_address(DevicePtr devptr, std::size_t bytes, bool allow_offset) {
    std::optional<ContextScope> scope;
    if (context_) scope.emplace(*context_);
    std::size_t offset = devptr % texture_alignment();
    if (offset != 0 && !allow_offset)
        throw LogicError("cuTexRefSetAddress", CUDA_ERROR_INVALID_VALUE,
                         "texture reference '" + name_ + "': the address is " + std::to_string(offset) +
                             " bytes past the nearest address that a texture can begin at; set allow_offset to get "
                             "that offset instead");
    if (devptr == 0 || bytes == 0 || bytes > SIZE_MAX - offset)
        throw LogicError("cuTexRefSetAddress", CUDA_ERROR_INVALID_VALUE,
                         "texture reference '" + name_ + "': expected device memory of at least 1 byte, given " +
                             std::to_string(bytes) + " bytes at address " + std::to_string(devptr));
    if (const std::string shortage = context_ ? shortage_of(devptr, bytes) : ""; !shortage.empty())
        throw LogicError("cuTexRefSetAddress", CUDA_ERROR_INVALID_VALUE,
                         "texture reference '" + name_ + "': " + shortage);
    const auto lock = lock_over_calls(mutex_);
    if (known_to_driver_) call_for(name_, driver().cuTexRefSetAddress, &offset, known_to_driver_, devptr, bytes);
    pointer_ = devptr - offset;
    bytes_ = bytes + offset;
    rebind(Kind::Linear);
    return offset;
}

void BoundTexture::set_address_2d(DevicePtr devptr, const ArrayDescriptor& descr, std::size_t pitch) {
    check_components(static_cast<int>(descr.num_channels));
    if (context_) {
        const ContextScope scope(*context_);
        if (const std::string obstacle = obstacle_of(devptr, descr, pitch); !obstacle.empty())
            throw LogicError("cuTexRefSetAddress2D", CUDA_ERROR_INVALID_VALUE,
                             "texture reference '" + name_ + "': " + obstacle);
    }
    const CUDA_ARRAY_DESCRIPTOR shape{descr.width, descr.height, static_cast<CUarray_format>(descr.format),
                                      descr.num_channels};
    const auto lock = lock_over_calls(mutex_);
    if (known_to_driver_) call_for(name_, driver().cuTexRefSetAddress2D, known_to_driver_, &shape, devptr, pitch);
    pointer_ = devptr;
    shape_ = descr;
    pitch_ = pitch;
    format_ = {descr.format, static_cast<int>(descr.num_channels)};
    rebind(Kind::Pitched);
}

void BoundTexture::set_format(TextureFormat format) {
    check_components(format.num_components);
    const auto lock = lock_over_calls(mutex_);
    if (known_to_driver_)
        call_for(name_, driver().cuTexRefSetFormat, known_to_driver_, static_cast<CUarray_format>(format.format),
                 format.num_components);
    format_ = format;
    object_.reset();
}

TextureDescriptor BoundTexture::how() const {
    const auto lock = lock_over_calls(mutex_);
    return how_;
}

TextureFormat BoundTexture::format() const {
    const auto lock = lock_over_calls(mutex_);
    return format_;
}

std::shared_ptr<Array> BoundTexture::array() const {
    const auto lock = lock_over_calls(mutex_);
    if (kind_ == Kind::Array) return array_;
    throw LogicError("cuTexRefGetArray", CUDA_ERROR_INVALID_VALUE,
                     "no array is bound to texture reference '" + name_ + "'");
}

std::shared_ptr<MipmappedArray> BoundTexture::mipmapped_array() const {
    const auto lock = lock_over_calls(mutex_);
    if (kind_ == Kind::MipmappedArray) return mipmapped_;
    throw LogicError("cuTexRefGetMipmappedArray", CUDA_ERROR_INVALID_VALUE,
                     "no mipmapped array is bound to texture reference '" + name_ + "'");
}

DevicePtr BoundTexture::address() const {
    const auto lock = lock_over_calls(mutex_);
    if (kind_ == Kind::Linear || kind_ == Kind::Pitched) return pointer_;
    throw LogicError("cuTexRefGetAddress", CUDA_ERROR_INVALID_VALUE,
                     "no device memory is bound to texture reference '" + name_ + "'");
}

void BoundTexture::check_bound() const {
    const auto lock = lock_over_calls(mutex_);
    if (!is_there()) raise_unbound("texture", name_, "launch");
}

BoundSurface::BoundSurface(std::string name, std::shared_ptr<Context> context, CUsurfref known_to_driver)
    : name_(std::move(name)), context_(std::move(context)), known_to_driver_(known_to_driver) {}

Binding BoundSurface::bind() {
    const auto lock = lock_over_calls(mutex_);
    if (!object_ || !is_alive(array_)) return {};
    return {object_->handle(), object_};
}

void BoundSurface::set_array(std::shared_ptr<Array> array, unsigned flags) {
    if (!array) throw std::invalid_argument("array must not be null");
    if (flags != 0)
        throw LogicError("cuSurfRefSetArray", CUDA_ERROR_INVALID_VALUE,
                         "flags must be 0, not " + std::to_string(flags));
    const ContextScope scope(*context_);
    std::shared_ptr<SurfaceObject> object;
    if (known_to_driver_) {
        const auto& call = driver().cuSurfRefSetArray;
        if (const CUresult result = call.try_call(known_to_driver_, array->use(), flags))
            call.fail(result,
                      "surface reference '" + name_ + "': the array must be created with array3d_flags.SURFACE_LDST");
    } else {
        object = std::make_shared<SurfaceObject>(array);
    }
    const auto lock = lock_over_calls(mutex_);
    array_ = std::move(array);
    object_ = std::move(object);
}

std::shared_ptr<Array> BoundSurface::array() const {
    const auto lock = lock_over_calls(mutex_);
    if (!array_) raise_unbound("surface", name_, "cuSurfRefGetArray");
    return array_;
}

}  // namespace pycuda
