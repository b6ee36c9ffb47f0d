#include "api/abi.hpp"

#include "exec/checks/written_bytes.hpp"
#include "state/graphs/capture.hpp"
#include "state/memory/memory.hpp"

#include <atomic>
#include <chrono>
#include <thread>

using namespace cpu::api;
using namespace cpu::state;

// Streams that write a word of memory, or wait until it has a value.
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

template <class T>
CUresult wait_value(const char* name, CUstream stream, CUdeviceptr address, T value, unsigned flags) {
    return entry(name, [&] {
        require((flags & ~static_cast<unsigned>(CU_STREAM_WAIT_VALUE_FLUSH)) <= CU_STREAM_WAIT_VALUE_NOR);
        require(address % sizeof(T) == 0);
        const auto queue = stream_of(stream);
        graphs::refuse_if_captured(*queue);
        // On the worker: the thread that waits for the stream may be the one that writes the word.
        const auto wait = [held = memory::range(address, sizeof(T)), address, value, flags] {
            const std::atomic_ref<T> word(*reinterpret_cast<T*>(address));
            while (!arrived(word.load(std::memory_order_acquire), value, flags))
                std::this_thread::sleep_for(std::chrono::microseconds(20));
        };
        queue->enqueue(make_task(TaskKind::HostFunction, wait));
    });
}

template <class T>
CUresult write_value(const char* name, CUstream stream, CUdeviceptr address, T value, unsigned flags) {
    return entry(name, [&] {
        require(flags == CU_STREAM_WRITE_VALUE_DEFAULT);
        require(address % sizeof(T) == 0);
        const auto queue = stream_of(stream);
        graphs::refuse_if_captured(*queue);
        const auto write = [held = memory::range(address, sizeof(T)), address, value] {
            std::atomic_ref<T>(*reinterpret_cast<T*>(address)).store(value, std::memory_order_release);
            cpu::exec::written_bytes::set(address, sizeof(T));
        };
        if (!queue->run_here_if_idle(write)) queue->enqueue(make_task(TaskKind::Work, write));
    });
}

}  // namespace

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
    return wait_value("cuStreamWaitValue32", stream, addr, value, flags);
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
    return wait_value("cuStreamWaitValue64", stream, addr, value, flags);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
    return write_value("cuStreamWriteValue32", stream, addr, value, flags);
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
    return write_value("cuStreamWriteValue64", stream, addr, value, flags);
}
