#include "state/modules/library.hpp"

#include "exec/running/memory.hpp"
#include "state/context.hpp"
#include "state/current_context.hpp"
#include "state/device.hpp"

#include <algorithm>
#include <tuple>

namespace cpu::state {

std::shared_ptr<Library> LibraryKernel::library() const {
    auto library = library_.lock();
    require(library != nullptr, CUDA_ERROR_INVALID_HANDLE);
    return library;
}

CUfunction LibraryKernel::function(const std::shared_ptr<Context>& context) const {
    return modules().get(library()->module(context))->function(info_.name);
}

KernelAttributes& LibraryKernel::attributes_on(const Device& device) {
    return attributes_
        .emplace(std::piecewise_construct, std::forward_as_tuple(device.ordinal()),
                 std::forward_as_tuple(info_, constant_bytes_))
        .first->second;
}

int LibraryKernel::attribute(const Device& device, CUfunction_attribute attribute) {
    const auto library = this->library();
    const std::lock_guard lock(library->mutex_);
    return attributes_on(device).get(attribute);
}

void LibraryKernel::set_attribute(const Device& device, CUfunction_attribute attribute, int value) {
    const auto library = this->library();
    const std::lock_guard lock(library->mutex_);
    KernelAttributes& attributes = attributes_on(device);
    attributes.set(attribute, value);
    for (const auto& [context, handle] : library->modules_)
        if (const auto module = modules().find(handle); module && &module->context()->device() == &device)
            functions().get(module->function(info_.name))->attributes().inherit(attributes);
}

CUlibrary Library::load(std::string ptx, const std::shared_ptr<Context>& context) {
    const auto library = std::make_shared<Library>(std::move(ptx));
    if (context) {
        library->read_kernels(modules().get(library->module(context))->image());
    } else {
        exec::Memory memory;
        library->read_kernels(*exec::Image::load(library->ptx_, memory));
    }
    for (NamedKernel& named : library->kernels_) named.handle = cpu::state::kernels().add(named.kernel);
    library->handle_ = reinterpret_cast<CUlibrary>(new_handle_value());
    libraries().add_as(library->handle_, library);
    return library->handle_;
}

void Library::read_kernels(const exec::Image& image) {
    const std::size_t bytes = constant_bytes(image);
    for (const exec::Kernel* const found : image.kernels())
        kernels_.push_back({nullptr, std::make_shared<LibraryKernel>(weak_from_this(), exec::info(*found), bytes)});
}

CUmodule Library::module(const std::shared_ptr<Context>& context) {
    std::lock_guard lock(mutex_);
    const auto known = modules_.find(context->id());
    if (known != modules_.end()) return known->second;
    const CUmodule made = Module::load(context, ptx_, Module::Owner::Library);
    modules_.emplace(context->id(), made);
    const auto module = modules().get(made);
    for (const NamedKernel& named : kernels_)
        if (const auto set = named.kernel->attributes_.find(context->device().ordinal());
            set != named.kernel->attributes_.end())
            functions().get(module->function(named.kernel->info().name))->attributes().inherit(set->second);
    return made;
}

CUkernel Library::kernel(const std::string& name) const {
    const auto found =
        std::ranges::find_if(kernels_, [&](const NamedKernel& known) { return known.kernel->info().name == name; });
    require(found != kernels_.end(), CUDA_ERROR_NOT_FOUND);
    return found->handle;
}

std::vector<CUkernel> Library::kernels() const {
    std::vector<CUkernel> all;
    for (const NamedKernel& known : kernels_) all.push_back(known.handle);
    return all;
}

exec::GlobalVariable Library::managed(const std::shared_ptr<Context>& context, const std::string& name) {
    std::shared_ptr<Module> loaded;
    if (context) {
        loaded = modules().get(module(context));
    } else {
        const std::lock_guard lock(mutex_);
        for (const auto& [id, handle] : modules_)
            if (!loaded) loaded = modules().find(handle);  // those of destroyed contexts are gone
    }
    require(loaded != nullptr, CUDA_ERROR_NOT_FOUND);
    const exec::GlobalVariable* const variable = loaded->image().global(name);
    require(variable != nullptr && variable->managed, CUDA_ERROR_NOT_FOUND);
    return *variable;
}

void Library::unload() {
    std::lock_guard lock(mutex_);
    for (const NamedKernel& named : kernels_) cpu::state::kernels().take(named.handle);
    for (const auto& [context, module] : modules_)
        if (modules().find(module)) Module::unload(module);  // those of destroyed contexts are gone
    modules_.clear();
}

std::shared_ptr<Function> function_of(CUfunction handle) {
    if (auto function = functions().find(handle)) return function;
    const auto kernel = kernels().get(reinterpret_cast<CUkernel>(handle));
    return functions().get(kernel->function(current_context()));
}

std::shared_ptr<Function> launchable_function(CUfunction handle) {
    auto function = function_of(handle);
    function->module()->context()->check_fault();
    return function;
}

}  // namespace cpu::state
