#include "state/streams/memory_operation.hpp"

#include "exec/checks/written_bytes.hpp"
#include "state/context.hpp"
#include "state/error.hpp"
#include "state/log.hpp"
#include "state/memory/memory.hpp"
#include "state/streams/stream.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <type_traits>

namespace cpu::state {

namespace {

template <class T>
bool arrived(T now, T wanted, unsigned flags) noexcept {
    switch (flags & ~static_cast<unsigned>(CU_STREAM_WAIT_VALUE_FLUSH)) {
        case CU_STREAM_WAIT_VALUE_EQ:
            return now == wanted;
        case CU_STREAM_WAIT_VALUE_AND:
            return (now & wanted) != 0;
        case CU_STREAM_WAIT_VALUE_NOR:
            return static_cast<T>(~(now | wanted)) != 0;
        default:
            return static_cast<std::make_signed_t<T>>(now - wanted) >= 0;  // CU_STREAM_WAIT_VALUE_GEQ, cyclic
    }
}

/// CUDA_ERROR_INVALID_VALUE, with the reason in the driver's log.
void require_word(bool holds, const char* otherwise) {
    if (holds) return;
    log::explain(otherwise);
    fail(CUDA_ERROR_INVALID_VALUE);
}

}  // namespace

MemoryOperation::MemoryOperation(const CUstreamBatchMemOpParams& described) : described_(described) {
    const auto& word = described.waitValue;  // writes have the same fields
    switch (described.operation) {
        case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        case CU_STREAM_MEM_OP_WAIT_VALUE_64:
            require((word.flags & ~static_cast<unsigned>(CU_STREAM_WAIT_VALUE_FLUSH)) <= CU_STREAM_WAIT_VALUE_NOR);
            break;
        case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        case CU_STREAM_MEM_OP_WRITE_VALUE_64:
            require(word.flags == CU_STREAM_WRITE_VALUE_DEFAULT);
            break;
        case CU_STREAM_MEM_OP_BARRIER:
        case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
            fail(CUDA_ERROR_NOT_SUPPORTED);
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
    require_word(word.address % size() == 0, "The address is not a multiple of the size of the word");
    held_ = memory::range(word.address, size());
    require_word(held_->kind != Allocation::Kind::Managed, "Batch memory operations do not support managed memory");
    require_word(!held_->pooled,
                 "Batch memory operation address is not accessible from supplied device: it is of a pool");
}

bool MemoryOperation::waits() const noexcept {
    return described_.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
           described_.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

std::size_t MemoryOperation::size() const noexcept {
    const bool narrow = described_.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
                        described_.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32;
    return narrow ? sizeof(cuuint32_t) : sizeof(cuuint64_t);
}

template <class T>
void MemoryOperation::run_as(T value) const noexcept {
    const CUdeviceptr address = described_.waitValue.address;
    const std::atomic_ref<T> word(*reinterpret_cast<T*>(address));
    if (waits()) {
        while (!arrived(word.load(std::memory_order_acquire), value, described_.waitValue.flags))
            std::this_thread::sleep_for(std::chrono::microseconds(20));
    } else {
        word.store(value, std::memory_order_release);
        exec::written_bytes::set(address, sizeof(T));
    }
}

void MemoryOperation::run() const noexcept {
    if (size() == sizeof(cuuint32_t))
        run_as<cuuint32_t>(described_.waitValue.value);
    else
        run_as<cuuint64_t>(described_.waitValue.value64);
}

void MemoryOperation::submit(Stream& stream) const {
    const auto work = [self = *this] { self.run(); };
    // A wait runs on the worker: the thread that waits for the stream may be the one that writes the word.
    if (waits())
        stream.context()->note_wait(stream.enqueue(make_task(TaskKind::HostFunction, work)));
    else if (!stream.run_here_if_idle(work))
        stream.enqueue(make_task(TaskKind::Work, work));
}

}  // namespace cpu::state
