#include "pycuda/memory/memory_ranges.hpp"

#include <string>

#include "driver/driver_table.hpp"
#include "memory/memory_location.hpp"
#include "pycuda/captures/captured_work.hpp"
#include "pycuda/devices/device.hpp"
#include "pycuda/streams/stream.hpp"

namespace pycuda {
namespace {

CUmemLocation location_of_ordinal(int device) {
    return device == -1 ? CUmemLocation{CU_MEM_LOCATION_TYPE_HOST, 0} : device_location(Device(device));
}

}  // namespace

void MemoryRanges::add(const HeldAddress& devptr, std::size_t nbytes) {
    ranges_.push_back({devptr.address, nbytes});
    owners_.add(devptr.owner);
}

/// Calls the driver for all ranges; `more` are its arguments between the ranges and the stream.
template <class Function, class... More>
void MemoryRanges::queue(const Function& function, const Stream& stream, More... more) const {
    const auto in_use = stream.use();
    if (ranges_.empty()) return;
    std::vector<CUdeviceptr> addresses;
    std::vector<std::size_t> sizes;
    for (const Range& range : ranges_) {
        addresses.push_back(range.address);
        sizes.push_back(range.nbytes);
        if (any_capture_is_open()) [[unlikely]]
            note_memory_of_graph(in_use, range.address);
    }
    if (const CUresult result =
            function.try_call(addresses.data(), sizes.data(), count(), more..., 0ULL, static_cast<CUstream>(in_use)))
        function.fail(result, std::to_string(count()) +
                                  " ranges, which must be managed memory; the stream must not be the default stream");
    owners_.keep_until_done(&stream);
}

/// The same for a function that moves them all to one place.
template <class Function>
void MemoryRanges::queue_to(const Function& function, int device, const Stream& stream) const {
    CUmemLocation to = location_of_ordinal(device);
    std::size_t begin = 0;
    queue(function, stream, &to, &begin, std::size_t{1});
}

void MemoryRanges::prefetch(int device, const Stream& stream) const {
    queue_to(driver().cuMemPrefetchBatchAsync, device, stream);
}

void MemoryRanges::discard(const Stream& stream) const {
    queue(driver().cuMemDiscardBatchAsync, stream);
}

void MemoryRanges::discard_and_prefetch(int device, const Stream& stream) const {
    queue_to(driver().cuMemDiscardAndPrefetchBatchAsync, device, stream);
}

}  // namespace pycuda
