#include "pycuda/arrays/texture.hpp"

#include <stdexcept>

#include "arrays/bound_reference.hpp"
#include "arrays/reference_table.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {
namespace {

/// A reference of a module: the driver's handle, or the variable that stands for it.
template <class DriverHandle>
struct Found {
    DriverHandle handle = nullptr;
    DevicePtr variable = 0;
    ReferenceDeclaration declaration;
};

/// The declaration stored in the variable; empty if there is no such variable.
std::optional<ReferenceDeclaration> read_declaration(CUmodule module, const std::string& name, CUdeviceptr& variable) {
    std::size_t size = 0;
    std::uint64_t value = 0;
    const CUresult result = driver().cuModuleGetGlobal.try_call(&variable, &size, module, name.c_str());
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_FOUND)
        driver().cuModuleGetGlobal.fail(result, "'" + name + "'");
    if (result == CUDA_ERROR_NOT_FOUND || size != sizeof value) return std::nullopt;
    driver().cuMemcpyDtoH(&value, variable, sizeof value);
    return ReferenceDeclaration::parse(value);
}

template <class DriverHandle, class Get>
Found<DriverHandle> find_reference(CUmodule module, const std::string& name, const Get& get, const char* kind,
                                   bool is_surface) {
    Found<DriverHandle> found;
    const CUresult result =
        get.is_available() ? get.try_call(&found.handle, module, name.c_str()) : CUDA_ERROR_NOT_FOUND;
    if (result == CUDA_SUCCESS) return found;
    if (result != CUDA_ERROR_NOT_FOUND) get.fail(result, "'" + name + "'");
    found.handle = nullptr;
    CUdeviceptr variable = 0;
    const auto declaration = read_declaration(module, name, variable);
    if (!declaration || declaration->is_surface != is_surface)
        throw LogicError(get.name(), result, std::string("no ") + kind + " reference '" + name + "' in the module");
    found.variable = variable;
    found.declaration = *declaration;
    return found;
}

void check_dimension(int dim) {
    if (dim < 0 || dim > 2)
        throw std::invalid_argument("a texture dimension must be 0, 1 or 2, not " + std::to_string(dim));
}

}  // namespace

std::shared_ptr<ReferenceTable> Module::references() {
    const std::lock_guard lock(references_mutex_);
    if (!references_) {
        references_ = std::shared_ptr<ReferenceTable>(new ReferenceTable(context()), DeleteUnlocked());
        prepare_launches_with(references_);
    }
    return references_;
}

TextureReference Module::get_texref(const std::string& name) {
    const auto module = use();
    const ContextScope scope(*context());
    const auto table = references();
    auto known = table->find(name);
    if (!known) {
        const auto found = find_reference<CUtexref>(module, name, driver().cuModuleGetTexRef, "texture", false);
        known = table->add(name, found.variable,
                           std::make_shared<BoundTexture>(name, context(), found.handle, found.declaration));
    }
    auto bound = std::dynamic_pointer_cast<BoundTexture>(known);
    if (!bound) throw LogicError("cuModuleGetTexRef", CUDA_ERROR_NOT_FOUND, "'" + name + "' is a surface reference");
    return {shared_from_this(), std::move(bound)};
}

SurfaceReference Module::get_surfref(const std::string& name) {
    const auto module = use();
    const ContextScope scope(*context());
    const auto table = references();
    auto known = table->find(name);
    if (!known) {
        const auto found = find_reference<CUsurfref>(module, name, driver().cuModuleGetSurfRef, "surface", true);
        known = table->add(name, found.variable, std::make_shared<BoundSurface>(name, context(), found.handle));
    }
    auto bound = std::dynamic_pointer_cast<BoundSurface>(known);
    if (!bound) throw LogicError("cuModuleGetSurfRef", CUDA_ERROR_NOT_FOUND, "'" + name + "' is a texture reference");
    return {shared_from_this(), std::move(bound)};
}

TextureReference::TextureReference()
    : bound_(std::make_shared<BoundTexture>("(of no module)", nullptr, nullptr, ReferenceDeclaration{})) {}

TextureReference::TextureReference(std::shared_ptr<Module> module, std::shared_ptr<BoundTexture> bound)
    : module_(std::move(module)), bound_(std::move(bound)) {}

void TextureReference::set_array(std::shared_ptr<Array> array) {
    bound_->set_array(std::move(array));
}
void TextureReference::set_mipmapped_array(std::shared_ptr<MipmappedArray> array) {
    bound_->set_mipmapped_array(std::move(array));
}
std::size_t TextureReference::set_address(DevicePtr devptr, std::size_t bytes, bool allow_offset) {
    return bound_->set_address(devptr, bytes, allow_offset);
}
void TextureReference::set_address_2d(DevicePtr devptr, const ArrayDescriptor& descr, std::size_t pitch) {
    bound_->set_address_2d(devptr, descr, pitch);
}
void TextureReference::set_format(ArrayFormat fmt, int num_components) {
    bound_->set_format({fmt, num_components});
}

void TextureReference::set_address_mode(int dim, AddressMode am) {
    check_dimension(dim);
    bound_->change(
        [&](CUtexref known) { driver().cuTexRefSetAddressMode(known, dim, static_cast<CUaddress_mode>(am)); },
        [&](TextureDescriptor& how) { how.address_mode[static_cast<std::size_t>(dim)] = am; });
}

void TextureReference::set_filter_mode(FilterMode fm) {
    bound_->change([&](CUtexref known) { driver().cuTexRefSetFilterMode(known, static_cast<CUfilter_mode>(fm)); },
                   [&](TextureDescriptor& how) { how.filter_mode = fm; });
}

void TextureReference::set_flags(unsigned flags) {
    bound_->change([&](CUtexref known) { driver().cuTexRefSetFlags(known, flags); },
                   [&](TextureDescriptor& how) { how.flags = flags; });
}

void TextureReference::set_max_anisotropy(unsigned anisotropy) {
    bound_->change([&](CUtexref known) { driver().cuTexRefSetMaxAnisotropy(known, anisotropy); },
                   [&](TextureDescriptor& how) { how.max_anisotropy = anisotropy; });
}

void TextureReference::set_border_color(const std::array<float, 4>& color) {
    auto copy = color;
    bound_->change([&](CUtexref known) { driver().cuTexRefSetBorderColor(known, copy.data()); },
                   [&](TextureDescriptor& how) { how.border_color = color; });
}

void TextureReference::set_mipmap_filter_mode(FilterMode fm) {
    bound_->change([&](CUtexref known) { driver().cuTexRefSetMipmapFilterMode(known, static_cast<CUfilter_mode>(fm)); },
                   [&](TextureDescriptor& how) { how.mipmap_filter_mode = fm; });
}

void TextureReference::set_mipmap_level_bias(float bias) {
    bound_->change([&](CUtexref known) { driver().cuTexRefSetMipmapLevelBias(known, bias); },
                   [&](TextureDescriptor& how) { how.mipmap_level_bias = bias; });
}

void TextureReference::set_mipmap_level_clamp(float minimum, float maximum) {
    bound_->change([&](CUtexref known) { driver().cuTexRefSetMipmapLevelClamp(known, minimum, maximum); },
                   [&](TextureDescriptor& how) {
                       how.min_mipmap_level_clamp = minimum;
                       how.max_mipmap_level_clamp = maximum;
                   });
}

DevicePtr TextureReference::get_address() const {
    return bound_->address();
}
std::shared_ptr<Array> TextureReference::get_array() const {
    return bound_->array();
}
AddressMode TextureReference::get_address_mode(int dim) const {
    check_dimension(dim);
    return bound_->how().address_mode[static_cast<std::size_t>(dim)];
}
FilterMode TextureReference::get_filter_mode() const {
    return bound_->how().filter_mode;
}
TextureFormat TextureReference::get_format() const {
    return bound_->format();
}
unsigned TextureReference::get_flags() const {
    return bound_->how().flags;
}
std::shared_ptr<MipmappedArray> TextureReference::get_mipmapped_array() const {
    return bound_->mipmapped_array();
}
unsigned TextureReference::get_max_anisotropy() const {
    return bound_->how().max_anisotropy;
}
std::array<float, 4> TextureReference::get_border_color() const {
    return bound_->how().border_color;
}
FilterMode TextureReference::get_mipmap_filter_mode() const {
    return bound_->how().mipmap_filter_mode;
}
float TextureReference::get_mipmap_level_bias() const {
    return bound_->how().mipmap_level_bias;
}
float TextureReference::get_min_mipmap_level_clamp() const {
    return bound_->how().min_mipmap_level_clamp;
}
float TextureReference::get_max_mipmap_level_clamp() const {
    return bound_->how().max_mipmap_level_clamp;
}

const std::string& TextureReference::name() const noexcept {
    return bound_->name();
}

void TextureReference::check_module(const Module& module) const {
    if (module_.get() != &module)
        throw LogicError("launch", CUDA_ERROR_INVALID_VALUE,
                         "a kernel accepts only texture references of its own module, from Module.get_texref");
}

void TextureReference::check_bound() const {
    bound_->check_bound();
}

SurfaceReference::SurfaceReference(std::shared_ptr<Module> module, std::shared_ptr<BoundSurface> bound)
    : module_(std::move(module)), bound_(std::move(bound)) {}

void SurfaceReference::set_array(std::shared_ptr<Array> array, unsigned flags) {
    bound_->set_array(std::move(array), flags);
}
std::shared_ptr<Array> SurfaceReference::get_array() const {
    return bound_->array();
}
const std::string& SurfaceReference::name() const noexcept {
    return bound_->name();
}

}  // namespace pycuda
