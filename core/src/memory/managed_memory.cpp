#include "pycuda/memory/managed_memory.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/driver_table.hpp"
#include "pycuda/devices/device.hpp"
#include "pycuda/streams/stream.hpp"

namespace pycuda {
namespace {

CUdevice location_of(int device) {
    return device == -1 ? CU_DEVICE_CPU : Device(device).handle();
}

}  // namespace

void mem_prefetch_async(DevicePtr devptr, std::size_t count, int device, const Stream* stream) {
    driver().cuMemPrefetchAsync(devptr, count, location_of(device), use_of(stream));
}

int mem_range_get_attribute(DevicePtr devptr, std::size_t count, MemRangeAttribute attribute) {
    const RelaxedCapture relaxed;
    const auto& ask = driver().cuMemRangeGetAttribute;
    if (attribute == MemRangeAttribute::ACCESSED_BY)
        ask.fail(CUDA_ERROR_INVALID_VALUE, "several devices may access a range: ask mem_range_is_accessed_by");
    int value = 0;
    if (const CUresult result =
            ask.try_call(&value, sizeof value, static_cast<CUmem_range_attribute>(attribute), devptr, count))
        ask.fail(result, "attribute " + std::to_string(static_cast<int>(attribute)));
    return value;
}

bool mem_range_is_accessed_by(DevicePtr devptr, std::size_t count, int device) {
    const RelaxedCapture relaxed;
    const int wanted = location_of(device);
    std::vector<int> devices(static_cast<std::size_t>(Device::count()) + 1, CU_DEVICE_INVALID);  // and the host
    driver().cuMemRangeGetAttribute(devices.data(), devices.size() * sizeof(int), CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
                                    devptr, count);
    return std::find(devices.begin(), devices.end(), wanted) != devices.end();
}

std::vector<MemoryLocation> mem_range_get_locations(DevicePtr devptr, std::size_t count, std::size_t region,
                                                    std::size_t sampling) {
    constexpr std::size_t most = std::size_t{1} << 24;
    if (region == 0) region = count;
    const std::size_t regions = region == 0 ? 0 : count / region + (count % region != 0);
    if (regions > most)
        throw std::invalid_argument(std::to_string(count) + " bytes have " + std::to_string(regions) + " regions of " +
                                    std::to_string(region) + " bytes, more than " + std::to_string(most) +
                                    ": ask for larger regions");
    std::vector<CUmemLocation> found(std::max<std::size_t>(regions, 1));
    const RelaxedCapture relaxed;
    const auto& ask = driver().cuMemGetLocationInfo;
    if (const CUresult result = ask.try_call(devptr, count, region, sampling, found.data()))
        ask.fail(result,
                 std::to_string(count) + " bytes, regions of " + std::to_string(region) + ", samples every " +
                     std::to_string(sampling) +
                     " bytes: expected managed memory, or pageable memory that is not registered, and samples no "
                     "further apart than a region is long");
    std::vector<MemoryLocation> locations;
    for (const CUmemLocation& location : found)
        locations.push_back({static_cast<MemLocationType>(location.type), location.id});
    return locations;
}

void mem_advise(DevicePtr devptr, std::size_t count, MemAdvice advice, int device) {
    const RelaxedCapture relaxed;  // no capture is affected
    driver().cuMemAdvise(devptr, count, static_cast<CUmem_advise>(advice), location_of(device));
}

}  // namespace pycuda
