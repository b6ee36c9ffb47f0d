#include "plain_driver.hpp"

#include <cuda.h>
#include <dlfcn.h>
#include <jni.h>

#include <chrono>
#include <type_traits>

#include "../core/kernels.hpp"

namespace {

constexpr std::size_t copied = 1600;

struct Driver {
    decltype(&::cuCtxSynchronize) synchronize;
    decltype(&::cuModuleLoadData) load;
    decltype(&::cuModuleGetFunction) find;
    decltype(&::cuLaunchKernel) launch;
    decltype(&::cuMemAlloc) allocate;
    decltype(&::cuMemFree) free;
    decltype(&::cuMemcpyHtoD) copy;
} driver;

CUfunction add;
CUdeviceptr arrays[3];
char host[copied];

template <class Call>
double burst(int count, Call call) {
    CUresult result = driver.synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int n = 0; n < count && result == CUDA_SUCCESS; ++n) result = call();
    if (result != CUDA_SUCCESS) return -static_cast<double>(result);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / count;
}

}  // namespace

const char* plain_kernel() {
    return pycuda::test::kernels;
}

int plain_open() {
    void* library = dlopen("libpycuda_cpu.so", RTLD_NOW | RTLD_NOLOAD);
    if (!library) library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!library) return -1;
    const auto get = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    get(driver.synchronize, "cuCtxSynchronize");
    get(driver.load, "cuModuleLoadData");
    get(driver.find, "cuModuleGetFunction");
    get(driver.launch, "cuLaunchKernel");
    get(driver.allocate, "cuMemAlloc_v2");
    get(driver.free, "cuMemFree_v2");
    get(driver.copy, "cuMemcpyHtoD_v2");
    CUmodule module;
    CUresult result = driver.load(&module, plain_kernel());
    if (result == CUDA_SUCCESS) result = driver.find(&add, module, "add");
    for (CUdeviceptr& array : arrays)
        if (result == CUDA_SUCCESS) result = driver.allocate(&array, copied);
    return static_cast<int>(result);
}

double plain_launch(int count) {
    return burst(count, [] {
        int elements = 32;
        void* arguments[] = {&arrays[0], &arrays[1], &arrays[2], &elements};
        return driver.launch(add, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
    });
}

double plain_allocate_free(int count) {
    return burst(count, [] {
        CUdeviceptr memory = 0;
        const CUresult result = driver.allocate(&memory, 1 << 20);
        return result == CUDA_SUCCESS ? driver.free(memory) : result;
    });
}

double plain_copy(int count) {
    return burst(count, [] { return driver.copy(arrays[0], host, copied); });
}

extern "C" {
JNIEXPORT jint JNICALL Java_LaunchBench_plainOpen(JNIEnv*, jclass) {
    return plain_open();
}
JNIEXPORT jdouble JNICALL Java_LaunchBench_plainLaunch(JNIEnv*, jclass, jint count) {
    return plain_launch(count);
}
JNIEXPORT jdouble JNICALL Java_LaunchBench_plainAllocateFree(JNIEnv*, jclass, jint count) {
    return plain_allocate_free(count);
}
}
