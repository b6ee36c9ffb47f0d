#include "api/abi.hpp"

#include "state/device.hpp"
#include "state/graphs/capture.hpp"
#include "state/graphs/simple_contents.hpp"
#include "state/memory/memory.hpp"
#include "state/streams/event.hpp"

#include <algorithm>

using namespace cpu::api;
using namespace cpu::state;

namespace {

/// Creates a stream in the current context. Streams of a green context never wait for a default stream.
CUstream create(unsigned flags, int priority) {
    const auto& context = current_context();
    const auto& green = current_green();
    return green ? green->create_stream(priority)->handle : context->create_stream(flags, priority);
}

/// The context that was current at the stream's creation; for the default stream, the current one.
CUcontext context_of(const Stream& stream) {
    return stream.green() ? stream.green()->converted() : stream.context()->handle();
}

/// For calls that a captured stream allows, but not the legacy stream, if that would wait for a captured one.
std::shared_ptr<Stream> any_but_captured_legacy(CUstream handle) {
    auto stream = stream_of(handle);
    if (stream->kind() == Stream::Kind::Legacy) graphs::refuse_if_captured(*stream);
    return stream;
}

}  // namespace

CUresult cuStreamCreateWithPriority(CUstream* phStream, unsigned int flags, int priority) {
    return entry("cuStreamCreateWithPriority", [&] {
        require(phStream != nullptr && (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING)) == 0);
        *phStream = create(flags, std::clamp(priority, greatest_stream_priority, 0));
    });
}

CUresult cuStreamCreate(CUstream* phStream, unsigned int Flags) {
    return entry("cuStreamCreate", [&] {
        require(phStream != nullptr && (Flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING)) == 0);
        *phStream = create(Flags, 0);
    });
}

CUresult cuStreamDestroy_v2(CUstream hStream) {
    return entry("cuStreamDestroy", [&] {
        const auto stream = stream_of(hStream);
        require(stream->kind() == Stream::Kind::Created, CUDA_ERROR_INVALID_HANDLE);
        require(streams().take(hStream) != nullptr, CUDA_ERROR_INVALID_HANDLE);
        stream->context()->drop_stream(stream);
    });
}

CUresult cuStreamDestroy(CUstream hStream) {
    return cuStreamDestroy_v2(hStream);
}

CUresult cuStreamGetPriority(CUstream hStream, int* priority) {
    return entry_in_host_function("cuStreamGetPriority",
                                  [&] { put(priority, any_but_captured_legacy(hStream)->priority()); });
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int* flags) {
    return entry_in_host_function("cuStreamGetFlags", [&] {
        const auto stream = stream_of(hStream);
        graphs::refuse_if_captured(*stream);
        put(flags, stream->flags());
    });
}

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue* value) {
    return entry("cuStreamGetAttribute", [&] {
        require(value != nullptr);
        const auto stream = stream_of(hStream);
        if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY)
            value->priority = stream->priority();
        else
            *value = stream->attributes.get(attr);
    });
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue* value) {
    return entry("cuStreamSetAttribute", [&] {
        require(value != nullptr);
        const auto stream = stream_of(hStream);
        if (attr != CU_LAUNCH_ATTRIBUTE_PRIORITY) return stream->attributes.set(attr, *value);
        stream->set_priority(std::clamp(value->priority, greatest_stream_priority, 0));
    });
}

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src) {
    return entry("cuStreamCopyAttributes", [&] {
        const auto to = stream_of(dst), from = stream_of(src);
        require(to->context() == from->context());
        if (to == from) return;
        to->attributes.copy_from(from->attributes);
        to->set_priority(from->priority());
    });
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long* streamId) {
    return entry_in_host_function("cuStreamGetId", [&] {
        const auto stream = stream_of(hStream);
        graphs::refuse_if_captured(*stream);
        put(streamId, stream->id());
    });
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice* out) {
    return entry_in_host_function("cuStreamGetDevice",
                                  [&] { put(out, stream_of(hStream)->context()->device().ordinal()); });
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext* pctx) {
    return entry_in_host_function("cuStreamGetCtx", [&] { put(pctx, context_of(*any_but_captured_legacy(hStream))); });
}

CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext* pCtx, CUgreenCtx* pGreenCtx) {
    return entry_in_host_function("cuStreamGetCtx", [&] {
        const auto stream = any_but_captured_legacy(hStream);
        put(pCtx, stream->context()->handle());
        put_optional(pGreenCtx, stream->green() ? stream->green()->handle() : nullptr);
    });
}

CUresult cuStreamQuery(CUstream hStream) {
    return entry_in_host_function("cuStreamQuery", [&] {
        const auto stream = stream_of(hStream);
        graphs::refuse_if_captured(*stream);
        graphs::check_unsafe_call();
        const bool idle = stream->idle();
        stream->context()->check_fault();
        return idle ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    });
}

CUresult cuStreamSynchronize(CUstream hStream) {
    return entry("cuStreamSynchronize", [&] {
        const auto stream = stream_of(hStream);
        graphs::refuse_if_captured(*stream);
        graphs::check_unsafe_call();
        stream->synchronize();
        stream->context()->check_fault();
    });
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
    return entry_in_host_function("cuStreamWaitEvent", [&] {
        require((Flags & ~static_cast<unsigned>(CU_EVENT_WAIT_EXTERNAL)) == 0);
        const auto stream = stream_of(hStream);
        const auto event = events().get(hEvent);
        if (Flags == CU_EVENT_WAIT_EXTERNAL) {
            require(stream->is_captured(), CUDA_ERROR_ILLEGAL_STATE);
            graphs::capture(*stream, std::make_shared<graphs::EventContent>(graphs::EventContent::What::Wait, hEvent));
        } else if (stream->is_captured() || event->is_captured()) {
            graphs::capture_wait(*stream, *event);
        } else {
            event->hold_back(*stream);
        }
    });
}

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void* userData, unsigned int flags) {
    return entry_in_host_function("cuStreamAddCallback", [&] {
        require(callback != nullptr && flags == 0);
        const auto stream = stream_of(hStream);
        graphs::refuse_if_captured(*stream);
        // A raw pointer: the worker that runs this keeps the stream alive.
        Stream* const raw = stream.get();
        stream->enqueue(make_task(TaskKind::Callback, [callback, userData, raw] {
            HostFunctionScope scope;
            const CUstream handle = raw->kind() == Stream::Kind::Legacy ? nullptr : raw->handle;
            callback(handle, raw->context()->fault(), userData);
        }));
    });
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void* userData) {
    return entry_in_host_function("cuLaunchHostFunc", [&] {
        require(fn != nullptr);
        const auto stream = stream_of(hStream);
        if (stream->is_captured()) return graphs::capture(*stream, std::make_shared<graphs::HostContent>(fn, userData));
        stream->enqueue(make_task(TaskKind::HostFunction, [fn, userData] {
            HostFunctionScope scope;
            fn(userData);
        }));
    });
}

CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags) {
    return entry("cuStreamAttachMemAsync", [&] {
        require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST || flags == CU_MEM_ATTACH_SINGLE);
        const auto stream = stream_of(hStream);
        graphs::refuse_if_captured(*stream);
        graphs::check_unsafe_call();
        require(flags != CU_MEM_ATTACH_SINGLE || stream->kind() == Stream::Kind::Created);
        const auto held = memory::range(dptr, 1);
        require(held->kind == Allocation::Kind::Managed && held->base == dptr);
        require(length == 0 || length == held->size);
        // The host may touch managed memory at any time here, so there is nothing to attach.
    });
}

CUresult cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent) {
    return entry("cuCtxWaitEvent", [&] {
        const auto context = hCtx ? contexts().get(hCtx, CUDA_ERROR_INVALID_CONTEXT) : current_context();
        graphs::refuse_if_captured(*context);
        const auto event = events().get(hEvent);
        graphs::refuse_captured(*event);
        const auto green = hCtx ? green_of(hCtx) : current_green();
        green ? green->hold_back(*event) : event->hold_back(*context);
    });
}
