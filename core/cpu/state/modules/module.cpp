#include "state/modules/module.hpp"

#include "exec/environment.hpp"
#include "state/context.hpp"
#include "state/device.hpp"
#include "state/memory/address_space.hpp"

#include <algorithm>

namespace cpu::state {

Module::Module(std::shared_ptr<Context> context, std::shared_ptr<const exec::Image> image, Owner owner)
    : context_(std::move(context)), image_(std::move(image)), owner_(owner) {}

namespace {

/// PYCUDA_CPU_LOADS=wait: code is loaded when all work of the context is done, as on a GPU.
bool loads_wait() {
    static const bool read = exec::environment_is("PYCUDA_CPU_LOADS", "wait");
    return read;
}

}  // namespace

CUmodule Module::load(const std::shared_ptr<Context>& context, std::string_view ptx, Owner owner) {
    if (loads_wait()) context->synchronize();
    auto module = std::make_shared<Module>(context, exec::Image::load(ptx, context->memory()), owner);
    module->publish_variables();
    module->publish_references();
    module->handle_ = modules().add(module);
    return module->handle_;
}

void Module::publish_variables() {
    for (const exec::GlobalVariable& variable : image_->globals()) {
        if (variable.size == 0) continue;
        auto made = std::make_shared<Allocation>();
        made->kind = Allocation::Kind::Variable;
        made->base = variable.address;
        made->size = variable.size;
        made->context = context_;
        made->owner = context_.get();
        made->context_handle = context_->handle();
        made->device = &context_->device();
        made->storage = shared_from_this();
        AddressSpace::instance().add(made);
    }
}

void Module::publish_references() {
    for (const exec::Reference& named : image_->references()) {
        const std::uintptr_t handle = new_handle_value();
        if (named.surface) {
            auto made = std::make_shared<SurfaceReference>(*context_);
            surface_references().add_as(reinterpret_cast<CUsurfref>(handle), made);
            references_.push_back({handle, std::move(made)});
        } else {
            auto made = std::make_shared<TextureReference>(*context_, true);
            texture_references().add_as(reinterpret_cast<CUtexref>(handle), made);
            references_.push_back({handle, std::move(made)});
        }
    }
}

void Module::end() {
    for (const NamedReference& named : references_) {
        texture_references().take(reinterpret_cast<CUtexref>(named.handle));
        surface_references().take(reinterpret_cast<CUsurfref>(named.handle));
    }
    cpu::state::functions().take_all([this](const Function& function) { return function.module().get() == this; });
    for (const exec::GlobalVariable& variable : image_->globals())
        AddressSpace::instance().remove(variable.address,
                                        [](const Allocation& held) { return held.kind == Allocation::Kind::Variable; });
}

void Module::unload(CUmodule handle) {
    const auto module = modules().take(handle);
    require(module != nullptr, CUDA_ERROR_INVALID_HANDLE);
    module->context_->synchronize();
    module->end();
}

void Module::unload_all(Context& context) {
    for (const auto& module : modules().take_all([&](const Module& m) { return m.context().get() == &context; }))
        module->end();
}

CUfunction Module::handle_of(const exec::Kernel* kernel) {
    std::lock_guard lock(mutex_);
    CUfunction& handle = functions_[kernel];
    if (!handle) handle = cpu::state::functions().add(std::make_shared<Function>(shared_from_this(), kernel));
    return handle;
}

CUfunction Module::function(std::string_view name) {
    const exec::Kernel* const kernel = image_->kernel(name);
    require(kernel != nullptr, CUDA_ERROR_NOT_FOUND);
    return handle_of(kernel);
}

std::vector<CUfunction> Module::functions() {
    std::vector<CUfunction> handles;
    for (const exec::Kernel* kernel : image_->kernels()) handles.push_back(handle_of(kernel));
    return handles;
}

const exec::GlobalVariable& Module::global(std::string_view name) const {
    if (const exec::GlobalVariable* const variable = image_->global(name)) return *variable;
    const bool is_reference = std::ranges::count(image_->references(), name, &exec::Reference::name) > 0;
    fail(is_reference ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_FOUND);
}

std::uintptr_t Module::reference(std::string_view name, bool surface) const {
    const auto all = image_->references();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == name && all[i].surface == surface && !all[i].array) return references_[i].handle;
    fail(CUDA_ERROR_NOT_FOUND);
}

CUtexref Module::texture_reference(std::string_view name) const {
    return reinterpret_cast<CUtexref>(reference(name, false));
}

CUsurfref Module::surface_reference(std::string_view name) const {
    return reinterpret_cast<CUsurfref>(reference(name, true));
}

Bindings Module::bind(const exec::KernelInfo& kernel) const {
    Bindings bindings;
    for (const std::uint32_t index : kernel.references) bindings.add(*references_[index].reference);
    return bindings;
}

Function::Function(std::shared_ptr<Module> module, const exec::Kernel* kernel)
    : module_(std::move(module)),
      kernel_(kernel),
      info_(exec::info(*kernel)),
      attributes_(info_, constant_bytes(module_->image())) {}

}  // namespace cpu::state
