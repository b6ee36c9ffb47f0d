#include "api/copies/batch.hpp"
#include "api/declarations/newer.hpp"

#include <vector>

#include "state/device.hpp"
#include "state/graphs/capture.hpp"
#include "state/memory/advice.hpp"
#include "state/memory/copy.hpp"
#include "state/memory/memory.hpp"
#include "state/memory/residency.hpp"

using namespace cpu::api;
using namespace cpu::state;

// The host and all devices access managed memory in location, so it never moves: advice and prefetches are validated
// and stored as in the driver, but have no other visible effect.
namespace {

/// A range of one managed allocation.
struct Managed {
    Managed(CUdeviceptr pointer, std::size_t bytes) : held(memory::range(pointer, bytes)) {
        require(bytes > 0 && held->kind == Allocation::Kind::Managed);
        begin = pointer - held->base;
        end = begin + bytes;
    }
    void change(const std::function<void(Advice&)>& how) const { held->advice->change(begin, end, how); }

    std::shared_ptr<Allocation> held;
    std::size_t begin, end;
};

/// Throws CUDA_ERROR_INVALID_DEVICE, or `no_device`, if there is no such device.
Location location_of(CUdevice dev, CUresult no_device = CUDA_ERROR_INVALID_DEVICE) {
    require(dev == CU_DEVICE_CPU || (dev >= 0 && dev < device_count()), no_device);
    return dev;
}

/// Host memory is a single location here.
Location location_of(const CUmemLocation& location, CUresult no_device = CUDA_ERROR_INVALID_DEVICE) {
    switch (location.type) {
        case CU_MEM_LOCATION_TYPE_DEVICE:
            require(location.id >= 0);
            return location_of(location.id, no_device);
        case CU_MEM_LOCATION_TYPE_HOST_NUMA:
            require(location.id == 0);
            return CU_DEVICE_CPU;
        case CU_MEM_LOCATION_TYPE_HOST:
        case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
            return CU_DEVICE_CPU;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

/// `where` is evaluated only if the advice concerns a location.
template <class Where>
void advise(CUdeviceptr pointer, std::size_t bytes, CUmem_advise advice, Where where) {
    current_context();
    const Managed range(pointer, bytes);
    switch (advice) {
        case CU_MEM_ADVISE_SET_READ_MOSTLY:
        case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
            return range.change([&](Advice& a) { a.read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY; });
        case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
            return range.change([location = where()](Advice& a) { a.preferred = location; });
        case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
            return range.change([](Advice& a) { a.preferred = CU_DEVICE_INVALID; });
        case CU_MEM_ADVISE_SET_ACCESSED_BY:
            return range.change([location = where()](Advice& a) { a.accessed_by.insert(location); });
        case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
            return range.change([location = where()](Advice& a) { a.accessed_by.erase(location); });
    }
    fail(CUDA_ERROR_INVALID_VALUE);
}

void prefetch(CUdeviceptr pointer, std::size_t bytes, Location location, CUstream stream) {
    graphs::refuse_if_captured(*stream_of(stream));
    Managed(pointer, bytes).change([&](Advice& a) { a.prefetched = location; });
}

/// All ranges, checked before any is changed.
std::vector<Managed> managed_ranges(const CUdeviceptr* pointers, const std::size_t* sizes, std::size_t count,
                                    unsigned long long flags, CUstream stream) {
    require(pointers != nullptr && sizes != nullptr && count > 0 && flags == 0);
    queue_of_batch(stream);
    std::vector<Managed> ranges;
    for (std::size_t k = 0; k < count; ++k) ranges.emplace_back(pointers[k], sizes[k]);
    return ranges;
}

void prefetch_all(const std::vector<Managed>& ranges, const CUmemLocation* locations, const std::size_t* begins,
                  std::size_t groups) {
    require(locations != nullptr);
    check_groups(begins, groups, ranges.size());
    std::vector<Location> places;
    for (std::size_t k = 0; k < groups; ++k) places.push_back(location_of(locations[k]));
    for (std::size_t k = 0, group = 0; k < ranges.size(); ++k) {
        if (group + 1 < groups && begins[group + 1] == k) ++group;
        ranges[k].change([&](Advice& a) { a.prefetched = places[group]; });
    }
}

/// The content of discarded memory is undefined: here it is overwritten, so that programs that still read it are found.
void discard_all(const std::vector<Managed>& ranges, const CUstream stream) {
    const auto queue = stream_of(stream);
    for (const Managed& range : ranges) {
        const CUdeviceptr begin = range.held->base + range.begin;
        copy::submit(*queue, copy::fill(begin, 0, 0xCD, 1, range.end - range.begin, 1), copy::Mode::Asynchronous);
    }
}

}  // namespace

CUresult cuMemPrefetchBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count, CUmemLocation* prefetchLocs,
                                 size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                                 CUstream hStream) {
    return entry("cuMemPrefetchBatchAsync", [&] {
        prefetch_all(managed_ranges(dptrs, sizes, count, flags, hStream), prefetchLocs, prefetchLocIdxs,
                     numPrefetchLocs);
    });
}

CUresult cuMemDiscardBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count, unsigned long long flags,
                                CUstream hStream) {
    return entry("cuMemDiscardBatchAsync",
                 [&] { discard_all(managed_ranges(dptrs, sizes, count, flags, hStream), hStream); });
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count, CUmemLocation* prefetchLocs,
                                           size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                                           CUstream hStream) {
    return entry("cuMemDiscardAndPrefetchBatchAsync", [&] {
        const auto ranges = managed_ranges(dptrs, sizes, count, flags, hStream);
        prefetch_all(ranges, prefetchLocs, prefetchLocIdxs, numPrefetchLocs);
        discard_all(ranges, hStream);
    });
}

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice dev) {
    return entry_unseen_by_captures("cuMemAdvise",
                                    [&] { advise(devPtr, count, advice, [&] { return location_of(dev); }); });
}

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location) {
    return entry_unseen_by_captures("cuMemAdvise", [&] {
        advise(devPtr, count, advice, [&] {
            const bool accessor = advice == CU_MEM_ADVISE_SET_ACCESSED_BY || advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
            require(!accessor || location.type == CU_MEM_LOCATION_TYPE_DEVICE ||
                    location.type == CU_MEM_LOCATION_TYPE_HOST);
            return location_of(location, CUDA_ERROR_INVALID_VALUE);
        });
    });
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream) {
    return entry("cuMemPrefetchAsync", [&] { prefetch(devPtr, count, location_of(dstDevice), hStream); });
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                               CUstream hStream) {
    return entry("cuMemPrefetchAsync", [&] {
        require(flags == 0);
        prefetch(devPtr, count, location_of(location), hStream);
    });
}

CUresult cuMemRangeGetAttributes(void** data, size_t* dataSizes, CUmem_range_attribute* attributes,
                                 size_t numAttributes, CUdeviceptr devPtr, size_t count) {
    return entry("cuMemRangeGetAttributes", [&] {
        require(data != nullptr && dataSizes != nullptr && attributes != nullptr && numAttributes > 0);
        const Managed range(devPtr, count);
        for (std::size_t i = 0; i < numAttributes; ++i) {
            require(data[i] != nullptr);
            range.held->advice->tell(range.begin, range.end, attributes[i], data[i], dataSizes[i]);
        }
    });
}

CUresult cuMemRangeGetAttribute(void* data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr,
                                size_t count) {
    return cuMemRangeGetAttributes(&data, &dataSize, &attribute, 1, devPtr, count);
}

CUresult cuMemGetLocationInfo(CUdeviceptr ptr, size_t size, size_t summaryGranularity, size_t samplingGranularity,
                              CUmemLocation* location_out) {
    return entry("cuMemGetLocationInfo", [&] {
        const Device& device = current_context()->device();
        require(!device.is_integrated(), CUDA_ERROR_NOT_SUPPORTED);  // as all devices of the process
        residency::tell(ptr, size, summaryGranularity, samplingGranularity, location_out);
    });
}
