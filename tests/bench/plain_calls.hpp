#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <chrono>
#include <type_traits>

/// The driver that this process has already loaded; null: none.
inline void* loaded_driver() {
    void* const library = dlopen("libpycuda_cpu.so", RTLD_NOW | RTLD_NOLOAD);
    return library ? library : dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
}

template <class Function>
void find(void* library, Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
}

/// The time of `count` calls after a synchronise, in microseconds per call, or minus a CUresult that is not 0.
template <class Call>
double burst(decltype(&::cuCtxSynchronize) synchronize, int count, Call call) {
    CUresult result = synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int n = 0; n < count && result == CUDA_SUCCESS; ++n) result = call();
    if (result != CUDA_SUCCESS) return -static_cast<double>(result);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / count;
}
