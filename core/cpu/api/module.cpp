#include "api/abi.hpp"

#include "state/modules/binary.hpp"
#include "state/modules/jit_options.hpp"
#include "state/modules/module.hpp"

#include <algorithm>
#include <chrono>

using namespace cpu::api;
using namespace cpu::state;

namespace {

std::shared_ptr<Module> sound_module(CUmodule handle) {
    auto module = modules().get(handle);
    module->context()->check_fault();
    return module;
}

/// Loads into the current context; errors in the image are written to the program's error log.
CUmodule load_module(const void* image, std::size_t size, JitOptions options) {
    const std::shared_ptr<Context> context = current_context();
    const auto start = std::chrono::steady_clock::now();
    try {
        std::string ptx = ptx_of(image, size);
        options.apply_to(ptx);
        const CUmodule handle = Module::load(context, ptx);
        const std::chrono::duration<float, std::milli> taken = std::chrono::steady_clock::now() - start;
        options.write_wall_time(taken.count());
        return handle;
    } catch (const cpu::exec::LoadError& error) {
        options.write_error(error_log_line(error));
        throw;
    }
}

}  // namespace

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    return entry("cuModuleLoadData", [&] {
        current_context();
        require(module != nullptr);
        *module = load_module(image, 0, JitOptions(0, nullptr, nullptr));
    });
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int numOptions, CUjit_option* options,
                            void** optionValues) {
    return entry("cuModuleLoadDataEx", [&] {
        current_context();
        require(module != nullptr);
        *module = load_module(image, 0, JitOptions(numOptions, options, optionValues));
    });
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* fatCubin) {
    return entry("cuModuleLoadFatBinary", [&] {
        current_context();
        require(module != nullptr);
        *module = load_module(fatCubin, 0, JitOptions(0, nullptr, nullptr));
    });
}

CUresult cuModuleLoad(CUmodule* module, const char* fname) {
    return entry("cuModuleLoad", [&] {
        current_context();
        require(module != nullptr && fname != nullptr && *fname != '\0');
        const std::string image = read_binary(fname);
        *module = load_module(image.data(), image.size(), JitOptions(0, nullptr, nullptr));
    });
}

CUresult cuModuleUnload(CUmodule hmod) {
    return entry_unseen_by_captures("cuModuleUnload", [&] {
        require(sound_module(hmod)->owner() == Module::Owner::Program, CUDA_ERROR_NOT_PERMITTED);
        wait_until_idle();
        Module::unload(hmod);
    });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
    return entry("cuModuleGetLoadingMode", [&] { put(mode, CU_MODULE_EAGER_LOADING); });
}

CUresult cuModuleGetFunction(CUfunction* hfunc, CUmodule hmod, const char* name) {
    return entry("cuModuleGetFunction", [&] {
        require(hfunc != nullptr && name != nullptr && *name != '\0');
        *hfunc = sound_module(hmod)->function(name);
    });
}

CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule mod) {
    return entry("cuModuleGetFunctionCount", [&] { put(count, sound_module(mod)->image().kernels().size()); });
}

CUresult cuModuleEnumerateFunctions(CUfunction* out, unsigned int numFunctions, CUmodule mod) {
    return entry("cuModuleEnumerateFunctions", [&] {
        require(out != nullptr || numFunctions == 0);
        const auto all = sound_module(mod)->functions();
        std::copy_n(all.begin(), std::min<std::size_t>(all.size(), numFunctions), out);
    });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod, const char* name) {
    return entry("cuModuleGetGlobal", [&] {
        require(name != nullptr && *name != '\0' && (dptr != nullptr || bytes != nullptr));
        const auto module = sound_module(hmod);
        require(module->image().kernel(name) == nullptr);  // the name exists, but is not a variable
        const cpu::exec::GlobalVariable& variable = module->global(name);
        put_optional(dptr, variable.address);
        put_optional(bytes, variable.size);
    });
}

CUresult cuModuleGetTexRef(CUtexref* pTexRef, CUmodule hmod, const char* name) {
    return entry("cuModuleGetTexRef", [&] {
        require(pTexRef != nullptr && name != nullptr && *name != '\0');
        *pTexRef = sound_module(hmod)->texture_reference(name);
    });
}

CUresult cuModuleGetSurfRef(CUsurfref* pSurfRef, CUmodule hmod, const char* name) {
    return entry("cuModuleGetSurfRef", [&] {
        require(pSurfRef != nullptr && name != nullptr && *name != '\0');
        *pSurfRef = sound_module(hmod)->surface_reference(name);
    });
}
