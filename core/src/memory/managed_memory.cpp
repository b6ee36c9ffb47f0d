#include "pycuda/memory/managed_memory.hpp"

#include "driver/driver_table.hpp"
#include "pycuda/devices/device.hpp"

namespace pycuda {
namespace {

CUdevice location_of(int device) {
    return device == -1 ? CU_DEVICE_CPU : Device(device).handle();
}

}  // namespace

void mem_prefetch_async(DevicePtr devptr, std::size_t count, int device, const Stream* stream) {
    driver().cuMemPrefetchAsync(devptr, count, location_of(device), use_of(stream));
}

void mem_advise(DevicePtr devptr, std::size_t count, MemAdvice advice, int device) {
    const RelaxedCapture relaxed;  // no capture is affected
    driver().cuMemAdvise(devptr, count, static_cast<CUmem_advise>(advice), location_of(device));
}

}  // namespace pycuda
