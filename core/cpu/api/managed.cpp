#include "api/abi.hpp"

#include "state/device.hpp"
#include "state/memory.hpp"

using namespace cpu::api;
using namespace cpu::state;

// Managed memory lies where the host and all devices reach it, so it never moves: advice and prefetches are checked as
// the driver checks them, and change nothing that a program can see.
namespace {

void check_managed(CUdeviceptr pointer, std::size_t bytes) {
    require(bytes > 0);
    require(memory::range(pointer, bytes)->kind == Allocation::Kind::Managed);
}

void check_place(int device_or_cpu) {
    if (device_or_cpu != CU_DEVICE_CPU) device(device_or_cpu);
}

void check_location(const CUmemLocation& location) {
    switch (location.type) {
        case CU_MEM_LOCATION_TYPE_DEVICE: device(location.id); return;
        case CU_MEM_LOCATION_TYPE_HOST:
        case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: return;
        default: fail(CUDA_ERROR_INVALID_VALUE);
    }
}

bool has_place(CUmem_advise advice) {
    require(advice >= CU_MEM_ADVISE_SET_READ_MOSTLY && advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY);
    return advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION || advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
           advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
}

}  // namespace

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice dev) {
    return entry("cuMemAdvise", [&] {
        current_context();
        if (has_place(advice)) check_place(dev);
        check_managed(devPtr, count);
    });
}

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location) {
    return entry("cuMemAdvise", [&] {
        current_context();
        if (has_place(advice)) check_location(location);
        check_managed(devPtr, count);
    });
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream) {
    return entry("cuMemPrefetchAsync", [&] {
        stream_of(hStream);
        check_place(dstDevice);
        check_managed(devPtr, count);
    });
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                               CUstream hStream) {
    return entry("cuMemPrefetchAsync", [&] {
        require(flags == 0);
        stream_of(hStream);
        check_location(location);
        check_managed(devPtr, count);
    });
}
