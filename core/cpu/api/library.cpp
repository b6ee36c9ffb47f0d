#include "api/abi.hpp"

#include "state/device.hpp"
#include "state/modules/binary.hpp"
#include "state/modules/jit_options.hpp"
#include "state/modules/library.hpp"

#include <algorithm>

using namespace cpu::api;
using namespace cpu::state;

namespace {

/// The current context; null if there is none, or it has ended: libraries need none.
std::shared_ptr<Context> context_if_any() {
    const auto top = contexts().find(ContextStack::of_this_thread().top());
    return top ? current_context() : nullptr;
}

CUlibrary load_library(const void* code, std::size_t size, JitOptions options) {
    try {
        std::string ptx = ptx_of(code, size);
        options.apply_to(ptx);
        return Library::load(std::move(ptx), context_if_any());
    } catch (const cpu::exec::LoadError& error) {
        options.write_error(error_log_line(error));
        throw;
    }
}

/// Both options say that the program keeps memory alive for the library. They have no effect, because the CPU device
/// copies it.
void check_options(const CUlibraryOption* options, unsigned count) {
    require(count == 0 || options != nullptr);
    for (unsigned i = 0; i < count; ++i)
        require(options[i] == CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE ||
                options[i] == CU_LIBRARY_BINARY_IS_PRESERVED);
}

}  // namespace

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jitOptions, void** jitOptionsValues,
                           unsigned int numJitOptions, CUlibraryOption* libraryOptions, void**,
                           unsigned int numLibraryOptions) {
    return entry("cuLibraryLoadData", [&] {
        require(library != nullptr && code != nullptr);
        check_options(libraryOptions, numLibraryOptions);
        *library = load_library(code, 0, JitOptions(numJitOptions, jitOptions, jitOptionsValues));
    });
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* fileName, CUjit_option* jitOptions,
                               void** jitOptionsValues, unsigned int numJitOptions, CUlibraryOption* libraryOptions,
                               void**, unsigned int numLibraryOptions) {
    return entry("cuLibraryLoadFromFile", [&] {
        require(library != nullptr && fileName != nullptr);
        check_options(libraryOptions, numLibraryOptions);
        const std::string code = read_binary(fileName);
        *library = load_library(code.data(), code.size(), JitOptions(numJitOptions, jitOptions, jitOptionsValues));
    });
}

CUresult cuLibraryUnload(CUlibrary library) {
    return entry_unseen_by_captures("cuLibraryUnload", [&] {
        const auto taken = libraries().take(library);
        require(taken != nullptr, CUDA_ERROR_INVALID_HANDLE);
        taken->unload();
    });
}

CUresult cuLibraryGetKernel(CUkernel* pKernel, CUlibrary library, const char* name) {
    return entry("cuLibraryGetKernel", [&] {
        require(pKernel != nullptr && name != nullptr);
        *pKernel = libraries().get(library)->kernel(name);
    });
}

CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary lib) {
    return entry("cuLibraryGetKernelCount", [&] { put(count, libraries().get(lib)->kernels().size()); });
}

CUresult cuLibraryEnumerateKernels(CUkernel* out, unsigned int numKernels, CUlibrary lib) {
    return entry("cuLibraryEnumerateKernels", [&] {
        require(out != nullptr || numKernels == 0);
        const auto all = libraries().get(lib)->kernels();
        std::copy_n(all.begin(), std::min<std::size_t>(all.size(), numKernels), out);
    });
}

CUresult cuLibraryGetModule(CUmodule* pMod, CUlibrary library) {
    return entry("cuLibraryGetModule", [&] { put(pMod, libraries().get(library)->module(current_context())); });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUlibrary library, const char* name) {
    return entry("cuLibraryGetGlobal", [&] {
        require(name != nullptr && (dptr != nullptr || bytes != nullptr));
        const auto module = modules().get(libraries().get(library)->module(current_context()));
        const cpu::exec::GlobalVariable& variable = module->global(name);
        put_optional(dptr, variable.address);
        put_optional(bytes, variable.size);
    });
}

CUresult cuLibraryGetManaged(CUdeviceptr* dptr, size_t* bytes, CUlibrary library, const char* name) {
    return entry("cuLibraryGetManaged", [&] {
        require(name != nullptr && (dptr != nullptr || bytes != nullptr));
        const cpu::exec::GlobalVariable variable = libraries().get(library)->managed(context_if_any(), name);
        put_optional(dptr, variable.address);
        put_optional(bytes, variable.size);
    });
}

CUresult cuLibraryGetUnifiedFunction(void** fptr, CUlibrary library, const char* symbol) {
    return entry("cuLibraryGetUnifiedFunction", [&] {
        require(fptr != nullptr && symbol != nullptr);
        libraries().get(library);
        fail(CUDA_ERROR_NOT_FOUND);  // CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS is 0
    });
}

CUresult cuKernelGetFunction(CUfunction* pFunc, CUkernel kernel) {
    return entry("cuKernelGetFunction", [&] { put(pFunc, kernels().get(kernel)->function(current_context())); });
}

CUresult cuKernelGetLibrary(CUlibrary* pLib, CUkernel kernel) {
    return entry("cuKernelGetLibrary", [&] { put(pLib, kernels().get(kernel)->library()->handle()); });
}

CUresult cuKernelGetName(const char** name, CUkernel hfunc) {
    return entry("cuKernelGetName", [&] {
        require(hfunc != nullptr);
        put(name, kernels().get(hfunc)->info().name.c_str());
    });
}

CUresult cuKernelGetAttribute(int* pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
    return entry("cuKernelGetAttribute", [&] { put(pi, kernels().get(kernel)->attribute(device(dev), attrib)); });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
    return entry("cuKernelSetAttribute", [&] { kernels().get(kernel)->set_attribute(device(dev), attrib, val); });
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
    return entry("cuKernelSetCacheConfig", [&] {
        require(config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL);
        kernels().get(kernel);
        device(dev);  // a preference without effect: there is only one kind of memory
    });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
    return entry("cuKernelGetParamInfo", [&] {
        current_context();
        require(kernel != nullptr);
        const auto known = kernels().get(kernel);
        const auto& parameters = known->info().parameters;
        require(paramOffset != nullptr && paramIndex < parameters.size());
        *paramOffset = parameters[paramIndex].offset;
        put_optional(paramSize, parameters[paramIndex].size);
    });
}
