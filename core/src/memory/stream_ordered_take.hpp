#pragma once

#include "captures/captures.hpp"
#include "driver/driver_table.hpp"
#include "memory/out_of_memory.hpp"
#include "pycuda/memory/stream_ordered.hpp"
#include "pycuda/streams/stream.hpp"

namespace pycuda {

template <class Call, class Attempt>
std::unique_ptr<StreamOrderedAllocation> StreamOrderedAllocation::take_with(std::size_t bytes, const Stream* stream,
                                                                            const Call& call, Attempt attempt) {
    // For zero bytes, drivers return the null address.
    if (bytes == 0) call.fail(CUDA_ERROR_INVALID_VALUE, asked_for(0) + ", at least 1 is needed");
    const auto queue = use_of(stream);
    auto owner = stream ? stream->context() : Context::owner_of_new();
    CUdeviceptr address = 0;
    const RelaxedCapture relaxed;  // captures of other streams are not affected
    const auto graph = any_capture_is_open() ? captures::resources_of(queue) : nullptr;
    if (const CUresult result = with_room_made([&] { return attempt(&address, queue); }))
        call.fail(result, asked_for(bytes) + shortage_text(result, bytes));
    try {
        if (!owner) owner = Context::current();  // raises if there is none
        std::unique_ptr<StreamOrderedAllocation> made(new StreamOrderedAllocation(address, bytes, std::move(owner)));
        if (graph) made->belongs_to(graph);
        return made;
    } catch (...) {
        if (!graph) driver().cuMemFreeAsync.clean_up(address, queue);
        throw;
    }
}

template <class Call, class Attempt>
std::unique_ptr<StreamOrderedAllocation> StreamOrderedAllocation::import_with(const Call& call, Attempt attempt) {
    auto owner = Context::current();
    CUdeviceptr address = 0;
    if (const CUresult result = attempt(&address))
        call.fail(result, "the handle must be of memory that another process exported from this pool");
    try {
        CUdeviceptr start = 0;
        std::size_t size = 0;
        driver().cuMemGetAddressRange(&start, &size, address);
        size -= static_cast<std::size_t>(address - start);
        return std::unique_ptr<StreamOrderedAllocation>(new StreamOrderedAllocation(address, size, std::move(owner)));
    } catch (...) {
        driver().cuMemFree.clean_up(address);
        throw;
    }
}

}  // namespace pycuda
