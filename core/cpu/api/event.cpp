#include "api/abi.hpp"

#include "state/graphs/capture.hpp"
#include "state/graphs/simple_contents.hpp"
#include "state/streams/event.hpp"

using namespace cpu::api;
using namespace cpu::state;

namespace {

constexpr unsigned event_flags = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

/// The event, if its context has no fault; otherwise throws the fault.
std::shared_ptr<Event> sound_event(CUevent handle) {
    auto event = events().get(handle);
    event->context()->check_fault();
    return event;
}

}  // namespace

CUresult cuEventCreate(CUevent* phEvent, unsigned int Flags) {
    return entry("cuEventCreate", [&] {
        require(phEvent != nullptr && (Flags & ~event_flags) == 0);
        require(!(Flags & CU_EVENT_INTERPROCESS) || (Flags & CU_EVENT_DISABLE_TIMING));
        *phEvent = events().add(std::make_shared<Event>(current_context(), Flags));
    });
}

CUresult cuEventDestroy_v2(CUevent hEvent) {
    return entry_in_host_function("cuEventDestroy", [&] {
        sound_event(hEvent);
        require(events().take(hEvent) != nullptr, CUDA_ERROR_INVALID_HANDLE);
    });
}

CUresult cuEventDestroy(CUevent hEvent) {
    return cuEventDestroy_v2(hEvent);
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
    return entry_in_host_function("cuEventRecord", [&] {
        const auto stream = stream_of(hStream);
        const auto event = sound_event(hEvent);
        require(event->context() == stream->context(), CUDA_ERROR_INVALID_HANDLE);
        graphs::record(*stream, *event);
    });
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
    if (flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL)) return CUDA_ERROR_INVALID_VALUE;
    if (!flags) return cuEventRecord(hEvent, hStream);
    return entry_in_host_function("cuEventRecord", [&] {
        const auto stream = stream_of(hStream);
        sound_event(hEvent);
        require(stream->is_captured(), CUDA_ERROR_ILLEGAL_STATE);
        graphs::capture(*stream, std::make_shared<graphs::EventContent>(graphs::EventContent::What::Record, hEvent));
    });
}

CUresult cuEventQuery(CUevent hEvent) {
    return entry_in_host_function("cuEventQuery", [&] {
        const auto event = events().get(hEvent);
        graphs::refuse_captured(*event);
        graphs::check_unsafe_call();
        const bool reached = event->reached();
        event->context()->check_fault();
        return reached ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    });
}

CUresult cuEventSynchronize(CUevent hEvent) {
    return entry("cuEventSynchronize", [&] {
        const auto event = events().get(hEvent);
        graphs::refuse_captured(*event);
        graphs::check_unsafe_call();
        event->synchronize();
        event->context()->check_fault();
    });
}

CUresult cuEventElapsedTime_v2(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
    return entry_in_host_function("cuEventElapsedTime", [&] {
        require(pMilliseconds != nullptr, CUDA_ERROR_INVALID_HANDLE);  // the code that the driver returns
        const auto start = sound_event(hStart);
        const auto end = sound_event(hEnd);
        require(!graphs::is_in_capture(*start) && !graphs::is_in_capture(*end), CUDA_ERROR_CAPTURED_EVENT);
        *pMilliseconds = start->milliseconds_to(*end);
    });
}

CUresult cuEventElapsedTime(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
    return cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd);
}
