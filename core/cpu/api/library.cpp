#include "api/abi.hpp"

#include "state/device.hpp"
#include "state/modules/binary.hpp"
#include "state/modules/jit_options.hpp"
#include "state/modules/library.hpp"
#include "state/primary_context.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace cpu::api;
using namespace cpu::state;

namespace {

CUlibrary load_library(const void* code, std::size_t size, JitOptions options) {
    try {
        std::string ptx = ptx_of(code, size);
        options.apply_to(ptx);
        const auto library = std::make_shared<Library>(std::move(ptx));
        // A real driver also loads lazily, but it reports invalid code at this call.
        library->module(current_context());
        library->handle = reinterpret_cast<CUlibrary>(new_handle_value());
        libraries().add_as(library->handle, library);
        return library->handle;
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

/// A kernel's function in the current context, if that is on `dev`.
std::shared_ptr<Function> function_on(CUkernel kernel, CUdevice dev) {
    const auto& context = current_context();
    require(&context->device() == &device(dev), CUDA_ERROR_INVALID_CONTEXT);
    return functions().get(kernels().get(kernel)->function(context));
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
        std::ifstream file(fileName, std::ios::binary);
        require(file.good(), CUDA_ERROR_FILE_NOT_FOUND);
        const std::string code{std::istreambuf_iterator<char>(file), {}};
        require(!code.empty(), CUDA_ERROR_INVALID_IMAGE);
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
        *pKernel = libraries().get(library)->kernel(current_context(), name);
    });
}

CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary lib) {
    return entry("cuLibraryGetKernelCount",
                 [&] { put(count, libraries().get(lib)->kernels(current_context()).size()); });
}

CUresult cuLibraryEnumerateKernels(CUkernel* out, unsigned int numKernels, CUlibrary lib) {
    return entry("cuLibraryEnumerateKernels", [&] {
        require(out != nullptr || numKernels == 0);
        const auto all = libraries().get(lib)->kernels(current_context());
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

CUresult cuLibraryGetManaged(CUdeviceptr*, size_t*, CUlibrary library, const char* name) {
    return entry("cuLibraryGetManaged", [&] {
        require(name != nullptr);
        libraries().get(library);
        fail(CUDA_ERROR_NOT_FOUND);  // PTX cannot define a managed variable: the compiler's host code does
    });
}

CUresult cuKernelGetFunction(CUfunction* pFunc, CUkernel kernel) {
    return entry("cuKernelGetFunction", [&] { put(pFunc, kernels().get(kernel)->function(current_context())); });
}

CUresult cuKernelGetLibrary(CUlibrary* pLib, CUkernel kernel) {
    return entry("cuKernelGetLibrary", [&] { put(pLib, kernels().get(kernel)->library()->handle); });
}

CUresult cuKernelGetName(const char** name, CUkernel hfunc) {
    return entry("cuKernelGetName", [&] {
        require(hfunc != nullptr);
        put(name, kernels().get(hfunc)->name().c_str());
    });
}

CUresult cuKernelGetAttribute(int* pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
    return entry("cuKernelGetAttribute", [&] { put(pi, function_on(kernel, dev)->attribute(attrib)); });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
    return entry("cuKernelSetAttribute", [&] { function_on(kernel, dev)->set_attribute(attrib, val); });
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
    return entry("cuKernelSetCacheConfig", [&] {
        require(config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL);
        function_on(kernel, dev);
    });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
    return entry("cuKernelGetParamInfo", [&] {
        require(kernel != nullptr);
        const auto function = functions().get(kernels().get(kernel)->function(current_context()));
        const auto& parameters = function->info().parameters;
        require(paramOffset != nullptr && paramIndex < parameters.size());
        *paramOffset = parameters[paramIndex].offset;
        put_optional(paramSize, parameters[paramIndex].size);
    });
}
