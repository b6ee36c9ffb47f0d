#include "pycuda/staging.hpp"

#include <algorithm>
#include <cstring>

#include "deferred_release.hpp"
#include "driver_table.hpp"
#include "staging_pool.hpp"

namespace pycuda {
namespace {

/// Large copies go in pieces of this size, so that the device copies one while the host fills the next.
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

/// Runs on a thread of the driver, which may call no driver function.
void write_back(void* argument) {
    using State = StagingBlock::WriteBack;
    auto* block = static_cast<StagingBlock*>(argument);
    auto expected = State::Queued;
    if (!block->write_back.compare_exchange_strong(expected, State::Running)) return;
    if (block->nbytes != 0) std::memcpy(block->dest, block->memory, block->nbytes);
    release_later(std::move(block->keep_alive));
    block->write_back = State::Done;
}

}  // namespace

void staged_htod(DevicePtr dest, const void* src, std::size_t nbytes, const Stream& stream) {
    const CUstream queue = stream.handle();
    const ContextScope scope(*stream.context());
    const auto pool = stream.context()->attachment<StagingPool>();
    for (std::size_t done = 0; done < nbytes; done += piece_bytes)
        stage_piece(*pool, dest + done, static_cast<const char*>(src) + done, std::min(piece_bytes, nbytes - done),
                    queue);
}

void staged_dtoh(void* dest, std::size_t nbytes, DevicePtr src, const Stream& stream,
                 std::shared_ptr<void> keep_alive) {
    const CUstream queue = stream.handle();
    if (nbytes == 0 && !keep_alive) return;
    const ContextScope scope(*stream.context());
    const auto pool = stream.context()->attachment<StagingPool>();
    StagingBlock* block = pool->take(nbytes);
    const CUresult copied =
        nbytes ? driver().cuMemcpyDtoHAsync.try_call(block->memory, src, nbytes, queue) : CUDA_SUCCESS;
    if (copied != CUDA_SUCCESS) {
        pool->give_back(block);
        driver().cuMemcpyDtoHAsync.fail(copied, bytes_text(nbytes));
    }
    block->dest = dest;
    block->nbytes = nbytes;
    block->keep_alive = std::move(keep_alive);
    block->write_back = StagingBlock::WriteBack::Queued;
    const CUresult result = driver().cuLaunchHostFunc.try_call(queue, write_back, block);
    if (result != CUDA_SUCCESS) block->write_back = StagingBlock::WriteBack::Cancelled;
    pool->give_back_after(block, queue);  // also in failure: the copy into the block is under way
    if (result != CUDA_SUCCESS) driver().cuLaunchHostFunc.fail(result, bytes_text(nbytes));
}

}  // namespace pycuda
