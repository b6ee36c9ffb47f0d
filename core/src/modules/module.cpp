#include "pycuda/modules/module.hpp"

#include "captures/used_by_graphs.hpp"
#include "driver/driver_table.hpp"
#include "modules/jit_options.hpp"
#include "modules/loadable_image.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "pycuda/launching/launch.hpp"
#include "pycuda/launching/repeated_launches.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/pending_waits.hpp"
#include "timeline/nvtx_range.hpp"

namespace pycuda {
void ModuleTraits::destroy(CUmodule module, Context* owner) noexcept {
    forget_launch_graphs_of(module);
    used_by_graphs::destroy_unless_used(module, owner,
                                        [module] { free_when_none_waits(driver().cuModuleUnload, module); });
}

void Module::keep_in(const std::shared_ptr<GraphResources>& graph) const {
    if (library_)
        graph->keep_owner(library_, [this] { return module_.live_owner(); });
    else
        used_by_graphs::add(reinterpret_cast<std::uintptr_t>(handle()), graph);
}

void Module::close() noexcept {
    std::shared_ptr<ReferenceTable> references;
    {
        const std::lock_guard lock(references_mutex_);
        references.swap(references_);
    }
    references.reset();
    module_.reset();
}

std::shared_ptr<Module> Module::from_file(const std::string& filename) {
    const std::string image = read_image("cuModuleLoad", filename);
    return from_buffer(image.data(), image.size());
}

std::shared_ptr<Module> Module::from_buffer(const void* image, std::size_t nbytes,
                                            const std::vector<JitSetting>& options, JitLog* log) {
    const auto& load = driver().cuModuleLoadDataEx;
    const LoadableImage loadable(load.name(), image, nbytes);
    JitOptions jit(options);
    auto owner = Context::owner_of_new();
    CUmodule module = nullptr;
    const NvtxRange range("load module");
    const RelaxedCapture relaxed;
    const CUresult result = load.try_call(&module, loadable.data(), jit.count(), jit.keys(), jit.values());
    JitLog said = jit.log(result == CUDA_SUCCESS);
    if (log) *log = said;
    if (result != CUDA_SUCCESS) load.fail(result, said.error);
    return std::shared_ptr<Module>(new Module({module, std::move(owner)}), DeleteUnlocked());
}

GlobalSymbol Module::get_global(const std::string& name) const {
    const auto module = use();
    const ContextScope scope(*context());
    CUdeviceptr pointer = 0;
    std::size_t size = 0;
    const CUresult result = driver().cuModuleGetGlobal.try_call(&pointer, &size, module, name.c_str());
    if (result == CUDA_ERROR_NOT_FOUND)
        throw LogicError(driver().cuModuleGetGlobal.name(), result, "no variable '" + name + "' in the module");
    if (result != CUDA_SUCCESS) driver().cuModuleGetGlobal.fail(result, "'" + name + "'");
    return {pointer, size};
}

ModuleLoadingMode Module::loading_mode() {
    CUmoduleLoadingMode mode{};
    driver().cuModuleGetLoadingMode(&mode);
    return static_cast<ModuleLoadingMode>(mode);
}

std::vector<std::string> Module::function_names() const {
    const auto module = use();
    const ContextScope scope(*context());
    unsigned count = 0;
    driver().cuModuleGetFunctionCount(&count, module);
    std::vector<CUfunction> functions(count);
    if (count != 0) driver().cuModuleEnumerateFunctions(functions.data(), count, module);
    std::vector<std::string> names;
    for (const CUfunction function : functions) {
        const char* name = nullptr;
        driver().cuFuncGetName(&name, function);
        names.emplace_back(name ? name : "");
    }
    return names;
}

void Module::prepare_launches_with(const std::shared_ptr<LaunchPreparation>& preparation) {
    const std::lock_guard lock(preparations_mutex_);
    auto next = std::make_shared<Preparations>();
    if (preparations_)
        for (const auto& known : *preparations_)
            if (!known.expired()) next->push_back(known);
    next->push_back(preparation);
    preparations_ = std::move(next);
    has_preparations_.store(true, std::memory_order_release);
}

PreparedLaunch::PreparedLaunch(const Module& module, CUstream stream) : stream_(stream) {
    std::shared_ptr<const Module::Preparations> preparations;
    {
        const std::lock_guard lock(module.preparations_mutex_);
        preparations = module.preparations_;
    }
    begun_.reserve(preparations->size());
    try {
        for (const auto& known : *preparations)
            if (auto preparation = known.lock()) {
                preparation->before_launch(stream);
                begun_.push_back(std::move(preparation));
            }
    } catch (...) {
        end();
        throw;
    }
}

void PreparedLaunch::end() noexcept {
    for (; !begun_.empty(); begun_.pop_back()) begun_.back()->after_launch(stream_);
}

}  // namespace pycuda
