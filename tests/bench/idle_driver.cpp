// The CPU device, but for kernels, asynchronous copies and memsets of bytes, updates of kernel
// nodes, and events, which do nothing, host functions, which run at once, and device memory, which is always the same:
// what remains of a call is the host's part.

#include <cuda.h>
#include <dlfcn.h>

#include <cstring>

namespace {

void* cpu_device() {
    static void* const library = dlopen(CPU_DEVICE, RTLD_NOW | RTLD_LOCAL);
    return library;
}

/// For calls of any arguments: the convention of calls leaves them to the caller.
CUresult idle() {
    return CUDA_SUCCESS;
}

CUresult allocate(CUdeviceptr* address, size_t) {
    *address = 0x7000000000;
    return CUDA_SUCCESS;
}

CUresult run_at_once(CUstream, CUhostFn function, void* argument) {
    function(argument);
    return CUDA_SUCCESS;
}

CUresult make_event(CUevent* event, unsigned) {
    static char any;
    *event = reinterpret_cast<CUevent>(&any);
    return CUDA_SUCCESS;
}

struct Replaced {
    const char* name;
    void* function;
};

template <class Function>
void* address_of(Function* function) {
    return reinterpret_cast<void*>(function);
}

const Replaced replaced[] = {
    {"cuLaunchKernel", address_of(idle)},
    {"cuMemcpyHtoDAsync", address_of(idle)},
    {"cuMemcpyDtoHAsync", address_of(idle)},
    {"cuMemcpyDtoDAsync", address_of(idle)},
    {"cuMemcpy2DAsync", address_of(idle)},
    {"cuMemcpy3DAsync", address_of(idle)},
    {"cuMemsetD8Async", address_of(idle)},
    {"cuEventRecord", address_of(idle)},
    {"cuStreamWaitEvent", address_of(idle)},
    {"cuCtxWaitEvent", address_of(idle)},
    {"cuCtxRecordEvent", address_of(idle)},
    {"cuEventSynchronize", address_of(idle)},
    {"cuEventQuery", address_of(idle)},
    {"cuEventCreate", address_of(make_event)},
    {"cuEventDestroy", address_of(idle)},
    {"cuMemFree", address_of(idle)},
    {"cuMemAlloc", address_of(allocate)},
    {"cuGraphExecKernelNodeSetParams", address_of(idle)},
    {"cuLaunchHostFunc", address_of(run_at_once)},
};

}  // namespace

#undef cuGetProcAddress
extern "C" __attribute__((visibility("default"))) CUresult cuGetProcAddress_v2(const char* name, void** address,
                                                                               int version, cuuint64_t flags,
                                                                               CUdriverProcAddressQueryResult* found) {
    const auto real = reinterpret_cast<decltype(&cuGetProcAddress_v2)>(dlsym(cpu_device(), "cuGetProcAddress_v2"));
    const CUresult result = real(name, address, version, flags, found);
    for (const Replaced& one : replaced)
        if (result == CUDA_SUCCESS && std::strcmp(name, one.name) == 0) *address = one.function;
    return result;
}
