#include "pycuda/memory/staging.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "driver/driver_table.hpp"
#include "known_memory/page_locked.hpp"
#include "memory/captured_copy.hpp"
#include "pycuda/streams/stream.hpp"
#include "streams/host_calls.hpp"
#include "streams/kept_objects.hpp"
#include "streams/staging_pool.hpp"
#include "threads/deferred_release.hpp"

namespace pycuda {
namespace {

/// Large copies are split into pieces of this size: the device copies one while the host fills or empties another.
constexpr std::size_t piece_bytes = 4 << 20;

std::string bytes_text(std::size_t nbytes) {
    return std::to_string(nbytes) + " bytes through staging memory";
}

void stage_piece(StagingPool& pool, DevicePtr dest, const void* src, std::size_t nbytes, CUstream stream) {
    StagingBlock* block = pool.take(nbytes);
    std::memcpy(block->memory, src, nbytes);
    if (const CUresult result = driver().cuMemcpyHtoDAsync.try_call(dest, block->memory, nbytes, stream)) {
        pool.give_back(block);
        driver().cuMemcpyHtoDAsync.fail(result, bytes_text(nbytes));
    }
    pool.give_back_after(block, stream);
}

/// Return the call that writes to `dest`.
std::shared_ptr<HostCall> fetch_piece(StagingPool& pool, HostCalls& calls, void* dest, DevicePtr src,
                                      std::size_t nbytes, CUstream stream) {
    StagingBlock* block = pool.take(nbytes);
    if (const CUresult result = driver().cuMemcpyDtoHAsync.try_call(block->memory, src, nbytes, stream)) {
        pool.give_back(block);
        driver().cuMemcpyDtoHAsync.fail(result, bytes_text(nbytes));
    }
    std::shared_ptr<HostCall> written;
    try {
        written = calls.queue(
            stream, [dest, from = block->memory, nbytes] { std::memcpy(dest, from, nbytes); },
            FunctionEnds::OnAnyThread);
        block->write_back = written;
    } catch (...) {
        pool.give_back_after(block, stream);  // the copy into the block has been queued
        throw;
    }
    pool.give_back_after(block, stream);
    return written;
}

}  // namespace

/// Pageable memory has no type. cuPointerGetAttribute reports an error for it, which takes longer.
bool is_page_locked(const void* memory, std::size_t nbytes) noexcept {
    if (nbytes == 0) return false;
    if (is_known_page_locked(memory, nbytes)) return true;
    unsigned type = 0;
    CUdeviceptr start = 0;
    std::size_t size = 0;
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void* values[] = {&type, &start, &size};
    const auto address = reinterpret_cast<CUdeviceptr>(memory);
    const bool is_known = driver().cuPointerGetAttributes.try_call(3, which, values, address) == CUDA_SUCCESS;
    return is_known && type != 0 && nbytes <= size - (address - start);
}

void staged_htod(DevicePtr dest, const void* src, std::size_t nbytes, const Stream& stream) {
    const auto queue = stream.use();
    if (nbytes == 0) return;
    if (any_capture_is_open()) require_page_locked_if_captured(queue, "copy", src, nbytes);
    const auto context = stream.context();
    const ContextHold hold(context);
    const auto pool = context->attachment<StagingPool>();
    for (std::size_t done = 0; done < nbytes; done += piece_bytes)
        stage_piece(*pool, dest + done, static_cast<const char*>(src) + done, std::min(piece_bytes, nbytes - done),
                    queue);
}

void staged_dtoh(void* dest, std::size_t nbytes, DevicePtr src, const Stream& stream,
                 std::shared_ptr<void> keep_alive) {
    const auto queue = stream.use();
    if (nbytes == 0) {
        if (keep_alive) stream.keep_until_done(std::move(keep_alive));
        return;
    }
    if (any_capture_is_open()) require_page_locked_if_captured(queue, "copy", dest, nbytes);
    const auto context = stream.context();
    const ContextHold hold(context);
    const auto calls = context->attachment<HostCalls>();
    const auto pool = context->attachment<StagingPool>();
    std::vector<std::shared_ptr<HostCall>> written;
    try {
        for (std::size_t done = 0; done < nbytes; done += piece_bytes)
            written.push_back(fetch_piece(*pool, *calls, static_cast<char*>(dest) + done, src + done,
                                          std::min(piece_bytes, nbytes - done), queue));
        if (keep_alive.use_count() == 0) return;
        const auto kept = context->attachment<KeptObjects>();
        if (!kept->try_keep(queue, keep_alive)) kept->keep(queue, keep_alive);
    } catch (...) {
        for (const auto& call : written) finish(*call);  // `dest` is not kept from here on
        release_later(std::move(keep_alive));
        throw;
    }
}

}  // namespace pycuda
