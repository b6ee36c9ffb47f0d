#include "pycuda/modules/module.hpp"

#include <cerrno>
#include <cstring>
#include <optional>

#include "captures/used_by_graphs.hpp"
#include "driver/driver_table.hpp"
#include "modules/image_size.hpp"
#include "modules/jit_options.hpp"
#include "platform/files.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "pycuda/launching/launch.hpp"
#include "pycuda/launching/repeated_launches.hpp"
#include "pycuda/threads/waiting.hpp"
#include "timeline/nvtx_range.hpp"

namespace pycuda {
namespace {

/// The driver takes no size; it trusts the sizes in a cubin's or fatbin's header.
void refuse_truncated(const void* image, std::size_t nbytes) {
    const std::size_t claimed = size_of_image(image, nbytes);
    if (claimed > nbytes)
        driver().cuModuleLoadDataEx.fail(
            CUDA_ERROR_INVALID_IMAGE,
            "the image is truncated: its header describes more than the " + std::to_string(nbytes) + " bytes given");
}

}  // namespace

void ModuleTraits::destroy(CUmodule module, Context* owner) noexcept {
    forget_launch_graphs_of(module);
    used_by_graphs::destroy_unless_used(module, owner, [module] { driver().cuModuleUnload.clean_up(module); });
}

void Module::keep_in(const std::shared_ptr<GraphResources>& graph) const {
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
    const std::optional<std::string> image = read_file(filename);
    if (!image)
        throw RuntimeError("cuModuleLoad", CUDA_ERROR_FILE_NOT_FOUND, "'" + filename + "': " + std::strerror(errno));
    return from_buffer(image->data(), image->size());
}

std::shared_ptr<Module> Module::from_buffer(const void* image, std::size_t nbytes,
                                            const std::vector<JitSetting>& options, JitLog* log) {
    if (nbytes == 0) throw std::invalid_argument("a module cannot be loaded from an empty buffer");
    std::string terminated;
    const auto* bytes = static_cast<const unsigned char*>(image);
    refuse_truncated(image, nbytes);
    if (size_of_image(image, nbytes) == 0 && bytes[nbytes - 1] != 0) {  // text must end with a NUL
        terminated.assign(static_cast<const char*>(image), nbytes);
        image = terminated.c_str();
    }
    JitOptions jit(options);
    auto owner = Context::owner_of_new();
    CUmodule module = nullptr;
    const NvtxRange range("load module");
    const RelaxedCapture relaxed;
    const CUresult result = driver().cuModuleLoadDataEx.try_call(&module, image, jit.count(), jit.keys(), jit.values());
    JitLog said = jit.log(result == CUDA_SUCCESS);
    if (log) *log = said;
    if (result != CUDA_SUCCESS) driver().cuModuleLoadDataEx.fail(result, said.error);
    return std::shared_ptr<Module>(new Module(module, std::move(owner)), DeleteUnlocked());
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
