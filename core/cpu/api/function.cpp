#include "api/abi.hpp"

#include "state/modules/library.hpp"

using namespace cpu::api;
using namespace cpu::state;

namespace {

/// The function, if its context has no fault; otherwise throws the fault.
std::shared_ptr<Function> sound_function(CUfunction handle) {
    auto function = functions().get(handle);
    function->module()->context()->check_fault();
    return function;
}

}  // namespace

CUresult cuFuncGetAttribute(int* pi, CUfunction_attribute attrib, CUfunction hfunc) {
    return entry("cuFuncGetAttribute", [&] { put(pi, sound_function(hfunc)->attributes().get(attrib)); });
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
    return entry("cuFuncSetAttribute", [&] { sound_function(hfunc)->attributes().set(attrib, value); });
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
    return entry("cuFuncSetCacheConfig", [&] {
        require(config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL);
        sound_function(hfunc);  // a preference without effect: there is only one kind of memory
    });
}

CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
    return entry("cuFuncSetSharedMemConfig", [&] {
        require(config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE &&
                config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
        sound_function(hfunc);
    });
}

CUresult cuFuncGetModule(CUmodule* hmod, CUfunction hfunc) {
    return entry("cuFuncGetModule", [&] {
        require(hfunc != nullptr);
        put(hmod, sound_function(hfunc)->module()->handle());
    });
}

CUresult cuFuncGetName(const char** name, CUfunction hfunc) {
    return entry("cuFuncGetName", [&] {
        require(hfunc != nullptr);
        put(name, sound_function(hfunc)->info().name.c_str());
    });
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
    return entry("cuFuncGetParamInfo", [&] {
        require(func != nullptr);
        const auto function = sound_function(func);
        const auto& parameters = function->info().parameters;
        require(paramOffset != nullptr && paramIndex < parameters.size());
        *paramOffset = parameters[paramIndex].offset;
        put_optional(paramSize, parameters[paramIndex].size);
    });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
    return entry("cuFuncIsLoaded", [&] {
        sound_function(function);
        put(state, CU_FUNCTION_LOADING_STATE_LOADED);
    });
}

CUresult cuFuncLoad(CUfunction function) {
    return entry("cuFuncLoad", [&] { sound_function(function); });
}
