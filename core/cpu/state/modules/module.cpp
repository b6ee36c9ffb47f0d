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
      max_dynamic_shared_(info_.static_shared_bytes < limits::shared_per_block
                              ? limits::shared_per_block - info_.static_shared_bytes
                              : 0),
      required_cluster_{info_.required_cluster[0], info_.required_cluster[1], info_.required_cluster[2]} {}

std::array<std::uint32_t, 3> Function::required_cluster() const noexcept {
    return {required_cluster_[0], required_cluster_[1], required_cluster_[2]};
}

unsigned Function::largest_cluster() const noexcept {
    return non_portable_cluster_ ? limits::cluster_non_portable : limits::cluster;
}

int Function::attribute(CUfunction_attribute which) const {
    switch (which) {
        case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
            return static_cast<int>(info_.max_threads);
        case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
            return static_cast<int>(info_.static_shared_bytes);
        case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: {
            std::size_t bytes = 0;
            for (const auto& variable : module_->image().globals())
                if (variable.constant) bytes += variable.size;
            return static_cast<int>(bytes);
        }
        case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
            return static_cast<int>(info_.local_bytes);
        case CU_FUNC_ATTRIBUTE_NUM_REGS:
            return static_cast<int>(info_.registers);
        case CU_FUNC_ATTRIBUTE_PTX_VERSION:
            return info_.ptx_version;
        case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
            return compute_major * 10 + compute_minor;
        case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
            return 0;
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            return static_cast<int>(max_dynamic_shared_);
        case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            return carveout_;
        case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
            return info_.needs_cluster;
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
            return static_cast<int>(required_cluster_[which - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH].load());
        case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
            return cluster_policy_;
        case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
            return non_portable_cluster_;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

/// Values that the kernel's text sets cannot be changed.
void Function::set_required_cluster(int axis, int value) {
    require(value >= 0);
    const auto size = static_cast<unsigned>(value);
    require(info_.required_cluster[axis] == 0 || info_.required_cluster[axis] == size);
    required_cluster_[static_cast<std::size_t>(axis)] = size;
}

void Function::set_attribute(CUfunction_attribute which, int value) {
    switch (which) {
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
            const int room =
                static_cast<int>(limits::shared_per_block_optin) - static_cast<int>(info_.static_shared_bytes);
            require(value >= 0 && value <= room);
            max_dynamic_shared_ = static_cast<unsigned>(value);
            return;
        }
        case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            require(value >= -1 && value <= 100);
            carveout_ = value;
            return;
        case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
            non_portable_cluster_ = value != 0;
            return;
        case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
            require(value >= CU_CLUSTER_SCHEDULING_POLICY_DEFAULT &&
                    value <= CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING);
            cluster_policy_ = value;
            return;
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
            set_required_cluster(which - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, value);
            return;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

}  // namespace cpu::state
