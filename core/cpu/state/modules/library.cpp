#include "state/modules/library.hpp"

#include "state/context.hpp"
#include "state/current_context.hpp"

namespace cpu::state {

std::shared_ptr<Library> LibraryKernel::library() const {
    auto library = library_.lock();
    require(library != nullptr, CUDA_ERROR_INVALID_HANDLE);
    return library;
}

CUfunction LibraryKernel::function(const std::shared_ptr<Context>& context) const {
    return modules().get(library()->module(context))->function(name_);
}

CUmodule Library::module(const std::shared_ptr<Context>& context) {
    std::lock_guard lock(mutex_);
    const auto known = modules_.find(context->id());
    if (known != modules_.end()) return known->second;
    const CUmodule made = Module::load(context, ptx_, Module::Owner::Library);
    modules_.emplace(context->id(), made);
    return made;
}

CUkernel Library::kernel(const std::shared_ptr<Context>& context, const std::string& name) {
    modules().get(module(context))->function(name);
    std::lock_guard lock(mutex_);
    CUkernel& kernel = kernels_[name];
    if (!kernel) kernel = cpu::state::kernels().add(std::make_shared<LibraryKernel>(weak_from_this(), name));
    return kernel;
}

std::vector<CUkernel> Library::kernels(const std::shared_ptr<Context>& context) {
    std::vector<CUkernel> all;
    for (const exec::Kernel* found : modules().get(module(context))->image().kernels())
        all.push_back(kernel(context, exec::info(*found).name));
    return all;
}

void Library::unload() {
    std::lock_guard lock(mutex_);
    for (const auto& [name, kernel] : kernels_) cpu::state::kernels().take(kernel);
    for (const auto& [context, module] : modules_)
        if (modules().find(module)) Module::unload(module);  // those of destroyed contexts are gone
    kernels_.clear();
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
