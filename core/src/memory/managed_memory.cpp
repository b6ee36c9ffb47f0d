#include "pycuda/managed_memory.hpp"

#include "driver_table.hpp"
#include "pycuda/device.hpp"

namespace pycuda {

void mem_prefetch_async(DevicePtr devptr, std::size_t count, int device, const Stream* stream) {
    const CUdevice place = device == -1 ? CU_DEVICE_CPU : Device(device).handle();
    driver().cuMemPrefetchAsync(devptr, count, place, stream_handle(stream));
}

}  // namespace pycuda
