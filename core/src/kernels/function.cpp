#include "pycuda/kernels/function.hpp"

#include <chrono>
#include <stdexcept>

#include "captures/captures.hpp"
#include "captures/use_in_graph.hpp"
#include "contexts/interruptible_wait.hpp"
#include "driver/driver_table.hpp"
#include "kernels/driver_config.hpp"
#include "kernels/launch_text.hpp"
#include "kernels/missing_kernel.hpp"
#include "kernels/read_layout.hpp"
#include "pycuda/kernels/launch_attributes.hpp"
#include "pycuda/modules/module.hpp"

namespace pycuda {
namespace {

[[gnu::noinline]] void launch_with_attributes(const std::string& name, CUfunction function, const LaunchConfig& config,
                                              void** extra, std::size_t nbytes) {
    const CUlaunchConfig launch = driver_config(config);
    note_long_work();
    const auto& call = driver().cuLaunchKernelEx;
    if (const CUresult result = call.try_call(&launch, function, nullptr, extra))
        call.fail(result, launch_text(name, function, config, nbytes, result));
}

/// Makes one driver call, or throws.
void queue(const std::string& name, RepeatedLaunches& launches, CUfunction function, const LaunchConfig& config,
           void** extra, std::size_t nbytes) {
    if (!config.attributes.empty()) [[unlikely]]
        return launch_with_attributes(name, function, config, extra, nbytes);
    note_long_work();
    if (const CUresult result = launches.queue(function, config, extra); result != CUDA_SUCCESS) [[unlikely]]
        driver().cuLaunchKernel.fail(result, launch_text(name, function, config, nbytes, result));
}

[[gnu::noinline]] void queue_prepared(const Module& module, const std::string& name, RepeatedLaunches& launches,
                                      CUfunction function, const LaunchConfig& config, void** extra,
                                      std::size_t nbytes) {
    const PreparedLaunch prepared(module, config.stream);
    queue(name, launches, function, config, extra, nbytes);
}

/// A kernel node needs its module.
[[gnu::noinline]] void keep_module_in_graph(const Module& module, CUstream stream) {
    if (module.is_of_library()) {
        if (const auto graph = captures::resources_of(stream)) module.keep_in(graph);
        return;
    }
    const auto key = reinterpret_cast<std::uintptr_t>(module.handle());
    if (has_noted_use(stream, key)) return;
    if (const auto graph = captures::resources_of(stream)) note_use(stream, key, graph);
}

}  // namespace

ParameterLayout parameter_layout(CUfunction function) {
    const char* name = nullptr;
    const auto& ask = driver().cuFuncGetName;
    const bool known = ask.is_available() && ask.try_call(&name, function) == CUDA_SUCCESS && name;
    return read_layout(driver().cuFuncGetParamInfo, function, known ? name : "a kernel");
}

Function::Function(std::shared_ptr<Module> module, std::string name, CUfunction function)
    : module_(std::move(module)),
      name_(std::move(name)),
      function_(function),
      layout_(read_layout(driver().cuFuncGetParamInfo, function, name_)) {}

Function Module::get_function(const std::string& name) {
    const auto module = use();
    const ContextScope scope(*context());
    CUfunction function = nullptr;
    const CUresult result = driver().cuModuleGetFunction.try_call(&function, module, name.c_str());
    if (result == CUDA_ERROR_NOT_FOUND) {
        std::optional<std::vector<std::string>> names;
        if (driver().cuModuleEnumerateFunctions.is_available()) names = function_names();
        throw LogicError(driver().cuModuleGetFunction.name(), result, missing_kernel_text(name, "module", names));
    }
    if (result != CUDA_SUCCESS) driver().cuModuleGetFunction.fail(result, "'" + name + "'");
    return Function(shared_from_this(), name, function);
}

CUfunction Function::handle() const {
    static_cast<void>(module_->handle());  // raises if the module, and with it the function, is gone
    return function_;
}

void Function::launch(const LaunchConfig& config, const void* arguments, std::size_t nbytes) const {
    const auto module_in_use = module_->use();
    if (layout_.known && nbytes < layout_.total) [[unlikely]]
        throw ArgumentTypeError("'" + name_ + "' takes " + std::to_string(layout_.total) +
                                " bytes of arguments, given " + std::to_string(nbytes));
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(arguments), CU_LAUNCH_PARAM_BUFFER_SIZE, &nbytes,
                     CU_LAUNCH_PARAM_END};
    void** const given = nbytes != 0 ? extra : nullptr;
    if (module_->has_launch_preparations()) [[unlikely]]
        queue_prepared(*module_, name_, launches_, function_, config, given, nbytes);
    else
        queue(name_, launches_, function_, config, given, nbytes);
    if (any_capture_is_open()) [[unlikely]]
        keep_module_in_graph(*module_, config.stream);
}

double Function::launch_timed(const LaunchConfig& config, const void* arguments, std::size_t nbytes) const {
    require_timed_stream(config.stream);
    Context::synchronize();
    const auto start = std::chrono::steady_clock::now();
    launch(config, arguments, nbytes);
    Context::synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Function::require_timed_stream(CUstream stream) {
    if (stream) throw std::invalid_argument("a timed launch waits for the kernel: it must use the default stream");
}

int Function::get_attribute(FunctionAttribute attribute) const {
    const auto module_in_use = module_->use();
    const ContextScope scope(*module_->context());
    int value = 0;
    if (const CUresult result =
            driver().cuFuncGetAttribute.try_call(&value, static_cast<CUfunction_attribute>(attribute), function_))
        driver().cuFuncGetAttribute.fail(
            result, "kernel '" + name_ + "', attribute " + std::to_string(static_cast<int>(attribute)));
    return value;
}

void Function::set_attribute(FunctionAttribute attribute, int value) {
    const auto module_in_use = module_->use();
    const ContextScope scope(*module_->context());
    if (const CUresult result =
            driver().cuFuncSetAttribute.try_call(function_, static_cast<CUfunction_attribute>(attribute), value))
        driver().cuFuncSetAttribute.fail(result, "kernel '" + name_ + "', attribute " +
                                                     std::to_string(static_cast<int>(attribute)) + " to " +
                                                     std::to_string(value));
    forget_launch_graphs_of(function_);
}

void Function::set_cache_config(FuncCache config) {
    const auto module_in_use = module_->use();
    const ContextScope scope(*module_->context());
    driver().cuFuncSetCacheConfig(function_, static_cast<CUfunc_cache>(config));
    forget_launch_graphs_of(function_);
}

void Function::load() const {
    const auto module_in_use = module_->use();
    const ContextScope scope(*module_->context());
    driver().cuFuncLoad(function_);
}

bool Function::is_loaded() const {
    const auto module_in_use = module_->use();
    const ContextScope scope(*module_->context());
    CUfunctionLoadingState state{};
    driver().cuFuncIsLoaded(&state, function_);
    return state == CU_FUNCTION_LOADING_STATE_LOADED;
}

void Function::set_shared_config(SharedConfig config) {
    const auto module_in_use = module_->use();
    const ContextScope scope(*module_->context());
    driver().cuFuncSetSharedMemConfig(function_, static_cast<CUsharedconfig>(config));
    forget_launch_graphs_of(function_);
}

}  // namespace pycuda
