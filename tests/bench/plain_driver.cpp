#include "plain_driver.hpp"

#include <cuda.h>
#include <jni.h>

#include "../core/test_kernels.hpp"
#include "plain_calls.hpp"

namespace {

constexpr std::size_t copied = 1600, large = 16 << 20, argument = 128;

struct Driver {
    decltype(&::cuCtxSynchronize) synchronize;
    decltype(&::cuModuleLoadData) load;
    decltype(&::cuModuleGetFunction) find;
    decltype(&::cuLaunchKernel) launch;
    decltype(&::cuMemAlloc) allocate;
    decltype(&::cuMemFree) free;
    decltype(&::cuMemcpyHtoD) copy;
    decltype(&::cuMemcpyDtoH) fetch;
    decltype(&::cuMemcpyHtoDAsync) queue_copy;
    decltype(&::cuMemcpyDtoHAsync) queue_fetch;
    decltype(&::cuMemHostAlloc) allocate_host;
    decltype(&::cuStreamCreate) create_stream;
} driver;

CUfunction add;
CUdeviceptr arrays[3];
CUdeviceptr large_array;
CUstream stream;
char* host;         ///< pageable
void* pinned_host;  ///< both are of `large` bytes

CUresult launch_add(CUstream on) {
    int elements = 32;
    void* arguments[] = {&arrays[0], &arrays[1], &arrays[2], &elements};
    return driver.launch(add, 1, 1, 1, 32, 1, 1, 0, on, arguments, nullptr);
}

}  // namespace

const char* fast_kernel() {
    return pycuda::test::kernels;
}

int plain_open() {
    void* const library = loaded_driver();
    if (!library) return -1;
    const auto get = [library](auto& function, const char* name) { find(library, function, name); };
    get(driver.synchronize, "cuCtxSynchronize");
    get(driver.load, "cuModuleLoadData");
    get(driver.find, "cuModuleGetFunction");
    get(driver.launch, "cuLaunchKernel");
    get(driver.allocate, "cuMemAlloc_v2");
    get(driver.free, "cuMemFree_v2");
    get(driver.copy, "cuMemcpyHtoD_v2");
    get(driver.fetch, "cuMemcpyDtoH_v2");
    get(driver.queue_copy, "cuMemcpyHtoDAsync_v2");
    get(driver.queue_fetch, "cuMemcpyDtoHAsync_v2");
    get(driver.allocate_host, "cuMemHostAlloc");
    get(driver.create_stream, "cuStreamCreate");
    CUmodule module;
    CUresult result = driver.load(&module, fast_kernel());
    if (result == CUDA_SUCCESS) result = driver.find(&add, module, "add");
    for (CUdeviceptr& array : arrays)
        if (result == CUDA_SUCCESS) result = driver.allocate(&array, copied);
    if (result == CUDA_SUCCESS) result = driver.allocate(&large_array, large);
    if (result == CUDA_SUCCESS) result = driver.allocate_host(&pinned_host, large, 0);
    if (result == CUDA_SUCCESS) result = driver.create_stream(&stream, CU_STREAM_DEFAULT);
    host = new char[large]();
    return static_cast<int>(result);
}

double plain_launch(int count) {
    return burst(driver.synchronize, count, [] { return launch_add(nullptr); });
}

double plain_allocate_free(int count) {
    return burst(driver.synchronize, count, [] {
        CUdeviceptr memory = 0;
        const CUresult result = driver.allocate(&memory, 1 << 20);
        return result == CUDA_SUCCESS ? driver.free(memory) : result;
    });
}

double plain_copy(int count) {
    return burst(driver.synchronize, count, [] { return driver.copy(arrays[0], host, copied); });
}

double plain_copy_pinned(int count) {
    return burst(driver.synchronize, count, [] { return driver.queue_copy(arrays[0], pinned_host, copied, stream); });
}

double plain_copy_large(int count) {
    return burst(driver.synchronize, count, [] { return driver.copy(large_array, host, large); });
}

double plain_copy_large_pinned(int count) {
    return burst(driver.synchronize, count, [] { return driver.copy(large_array, pinned_host, large); });
}

double plain_in_out(int count) {
    return burst(driver.synchronize, count, [] {
        CUresult result = driver.copy(arrays[1], host, argument);
        if (result == CUDA_SUCCESS) result = driver.copy(arrays[2], host, argument);
        if (result == CUDA_SUCCESS) result = launch_add(nullptr);
        return result == CUDA_SUCCESS ? driver.fetch(host + copied, arrays[0], argument) : result;
    });
}

double plain_in_out_pinned(int count) {
    return burst(driver.synchronize, count, [] {
        CUresult result = driver.queue_copy(arrays[1], pinned_host, argument, stream);
        if (result == CUDA_SUCCESS) result = driver.queue_copy(arrays[2], pinned_host, argument, stream);
        if (result == CUDA_SUCCESS) result = launch_add(stream);
        auto* const results = static_cast<char*>(pinned_host) + copied;
        return result == CUDA_SUCCESS ? driver.queue_fetch(results, arrays[0], argument, stream) : result;
    });
}

extern "C" {
JNIEXPORT jint JNICALL Java_PlainC_plainOpen(JNIEnv*, jclass) {
    return plain_open();
}
/// One of the calls above, in their order.
JNIEXPORT jdouble JNICALL Java_PlainC_plainCall(JNIEnv*, jclass, jint call, jint count) {
    constexpr double (*calls[])(int) = {plain_launch,     plain_allocate_free,     plain_copy,   plain_copy_pinned,
                                        plain_copy_large, plain_copy_large_pinned, plain_in_out, plain_in_out_pinned};
    return calls[call](count);
}
}
