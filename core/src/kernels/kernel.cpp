#include "pycuda/kernels/kernel.hpp"

#include "driver/driver_table.hpp"
#include "kernels/missing_kernel.hpp"
#include "kernels/read_layout.hpp"
#include "modules/loaded_library.hpp"
#include "pycuda/driver/open_captures.hpp"

namespace pycuda {
namespace {

std::string attribute_text(const std::string& kernel, FunctionAttribute attribute, const Device& device) {
    return "kernel '" + kernel + "', attribute " + std::to_string(static_cast<int>(attribute)) + " on device " +
           std::to_string(device.handle());
}

std::vector<CUkernel> all_kernels(CUlibrary library) {
    unsigned count = 0;
    driver().cuLibraryGetKernelCount(&count, library);
    std::vector<CUkernel> kernels(count);
    if (count != 0) driver().cuLibraryEnumerateKernels(kernels.data(), count, library);
    return kernels;
}

std::string name_of(CUkernel kernel) {
    const char* name = nullptr;
    driver().cuKernelGetName(&name, kernel);
    return name ? name : "";
}

}  // namespace

Kernel Library::get_kernel(const std::string& name) {
    const auto loaded = this->loaded();
    const RelaxedCapture relaxed;
    CUkernel kernel = nullptr;
    const auto& call = driver().cuLibraryGetKernel;
    const CUresult result = call.try_call(&kernel, loaded->library, name.c_str());
    if (result == CUDA_ERROR_NOT_FOUND) {
        std::optional<std::vector<std::string>> names;
        if (driver().cuLibraryEnumerateKernels.is_available()) {
            names.emplace();
            for (const CUkernel known : all_kernels(loaded->library)) names->push_back(name_of(known));
        }
        throw LogicError(call.name(), result, missing_kernel_text(name, "library", names));
    }
    if (result != CUDA_SUCCESS) call.fail(result, "'" + name + "'");
    return Kernel(shared_from_this(), name, kernel);
}

std::vector<Kernel> Library::kernels() {
    const auto loaded = this->loaded();
    const RelaxedCapture relaxed;
    std::vector<Kernel> all;
    for (const CUkernel kernel : all_kernels(loaded->library))
        all.push_back(Kernel(shared_from_this(), name_of(kernel), kernel));
    return all;
}

Kernel::Kernel(std::shared_ptr<Library> library, std::string name, CUkernel kernel)
    : library_(std::move(library)), name_(std::move(name)), kernel_(kernel) {}

CUkernel Kernel::handle() const {
    static_cast<void>(library_->handle());  // raises if the library, and with it the kernel, is gone
    return kernel_;
}

std::vector<KernelParameter> Kernel::parameters() const {
    const auto& ask = driver().cuKernelGetParamInfo;
    if (!ask.is_available()) raise_missing_function(ask.name(), ask.version());
    return read_layout(ask, handle(), name_).parameters;
}

Function Kernel::function() const {
    auto module = library_->module();
    const auto module_in_use = module->use();
    const RelaxedCapture relaxed;
    CUfunction function = nullptr;
    const auto& call = driver().cuKernelGetFunction;
    if (const CUresult result = call.try_call(&function, kernel_)) call.fail(result, "kernel '" + name_ + "'");
    return Function(module, name_, function);  // not moved: if that fails, the module outlives its use
}

int Kernel::get_attribute(FunctionAttribute attribute, const Device& device) const {
    const auto loaded = library_->loaded();
    int value = 0;
    const auto& call = driver().cuKernelGetAttribute;
    if (const CUresult result =
            call.try_call(&value, static_cast<CUfunction_attribute>(attribute), kernel_, device.handle()))
        call.fail(result, attribute_text(name_, attribute, device));
    return value;
}

void Kernel::set_attribute(FunctionAttribute attribute, int value, const Device& device) const {
    const auto loaded = library_->loaded();
    const auto& call = driver().cuKernelSetAttribute;
    if (const CUresult result =
            call.try_call(static_cast<CUfunction_attribute>(attribute), value, kernel_, device.handle()))
        call.fail(result, attribute_text(name_, attribute, device) + " to " + std::to_string(value));
    loaded->forget_launch_graphs(device);
}

void Kernel::set_cache_config(FuncCache config, const Device& device) const {
    const auto loaded = library_->loaded();
    driver().cuKernelSetCacheConfig(kernel_, static_cast<CUfunc_cache>(config), device.handle());
    loaded->forget_launch_graphs(device);
}

}  // namespace pycuda
