#include "api/abi.hpp"

#include "state/graphs/capture.hpp"
#include "state/memory/copy.hpp"

using namespace cpu::api;
using namespace cpu::state;
using copy::Mode;
using copy::Place;

namespace {

/// A linear copy between the places that `to` and `from` look up; for zero bytes, nothing is looked up.
template <class To, class From>
CUresult linear(const char* name, CUstream stream, std::size_t bytes, Mode mode, To to, From from) {
    return entry(name, [&] {
        const auto queue = stream_of(stream);
        if (bytes == 0) {
            if (queue->kind() == Stream::Kind::Legacy) graphs::refuse_if_captured(*queue);
            return;
        }
        copy::submit(*queue, to(), from(), {bytes}, mode);
    });
}

auto on_device(CUdeviceptr pointer, std::size_t bytes) {
    return [=] { return copy::device(pointer, bytes); };
}
auto on_host(const void* pointer, std::size_t bytes) {
    return [=] { return copy::host(pointer, bytes); };
}
auto anywhere(CUdeviceptr pointer, std::size_t bytes) {
    return [=] { return copy::unified(pointer, bytes); };
}

}  // namespace

CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void* src, size_t n) {
    return linear("cuMemcpyHtoD", nullptr, n, Mode::Synchronous, on_device(dst, n), on_host(src, n));
}

CUresult cuMemcpyDtoH_v2(void* dst, CUdeviceptr src, size_t n) {
    return linear("cuMemcpyDtoH", nullptr, n, Mode::Synchronous, on_host(dst, n), on_device(src, n));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t n) {
    return linear("cuMemcpyDtoD", nullptr, n, Mode::Synchronous, on_device(dst, n), on_device(src, n));
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t n) {
    return linear("cuMemcpy", nullptr, n, Mode::Synchronous, anywhere(dst, n), anywhere(src, n));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void* src, size_t n, CUstream stream) {
    return linear("cuMemcpyHtoDAsync", stream, n, Mode::Asynchronous, on_device(dst, n), on_host(src, n));
}

CUresult cuMemcpyDtoHAsync_v2(void* dst, CUdeviceptr src, size_t n, CUstream stream) {
    return linear("cuMemcpyDtoHAsync", stream, n, Mode::Asynchronous, on_host(dst, n), on_device(src, n));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream stream) {
    return linear("cuMemcpyDtoDAsync", stream, n, Mode::Asynchronous, on_device(dst, n), on_device(src, n));
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream stream) {
    return linear("cuMemcpyAsync", stream, n, Mode::Asynchronous, anywhere(dst, n), anywhere(src, n));
}

namespace {

/// A peer copy is ordered with the work of all contexts that it names; nullptr is the current context.
void wait_for_peer(CUcontext handle, const Stream& queue) {
    if (!handle || handle == queue.context()->handle()) return;
    const auto context = contexts().get(handle, CUDA_ERROR_INVALID_CONTEXT);
    context->check_fault();
    context->synchronize();
}

CUresult peer(const char* name, CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context,
              std::size_t bytes, CUstream stream, Mode mode) {
    return entry(name, [&] {
        const auto queue = stream_of(stream);
        graphs::refuse_if_captured(*queue);
        wait_for_peer(dst_context, *queue);
        wait_for_peer(src_context, *queue);
        if (bytes) copy::submit(*queue, copy::device(dst, bytes), copy::device(src, bytes), {bytes}, mode);
    });
}

}  // namespace

CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context, size_t n) {
    return peer("cuMemcpyPeer", dst, dst_context, src, src_context, n, nullptr, Mode::Synchronous);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context, size_t n,
                           CUstream stream) {
    return peer("cuMemcpyPeerAsync", dst, dst_context, src, src_context, n, stream, Mode::Asynchronous);
}

namespace {

CUresult fill(const char* name, CUdeviceptr dst, std::size_t pitch, std::uint32_t value, std::size_t element_size,
              std::size_t width, std::size_t height, CUstream stream, Mode mode) {
    return entry(name, [&] {
        const auto queue = stream_of(stream);
        copy::submit(*queue, copy::fill(dst, pitch, value, element_size, width, height), mode);
    });
}

}  // namespace

CUresult cuMemsetD8_v2(CUdeviceptr dst, unsigned char value, size_t n) {
    return fill("cuMemsetD8", dst, 0, value, 1, n, 1, nullptr, Mode::Synchronous);
}
CUresult cuMemsetD16_v2(CUdeviceptr dst, unsigned short value, size_t n) {
    return fill("cuMemsetD16", dst, 0, value, 2, n, 1, nullptr, Mode::Synchronous);
}
CUresult cuMemsetD32_v2(CUdeviceptr dst, unsigned int value, size_t n) {
    return fill("cuMemsetD32", dst, 0, value, 4, n, 1, nullptr, Mode::Synchronous);
}
CUresult cuMemsetD2D8_v2(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height) {
    return fill("cuMemsetD2D8", dst, pitch, value, 1, width, height, nullptr, Mode::Synchronous);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height) {
    return fill("cuMemsetD2D16", dst, pitch, value, 2, width, height, nullptr, Mode::Synchronous);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr dst, size_t pitch, unsigned int value, size_t width, size_t height) {
    return fill("cuMemsetD2D32", dst, pitch, value, 4, width, height, nullptr, Mode::Synchronous);
}
CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t n, CUstream stream) {
    return fill("cuMemsetD8Async", dst, 0, value, 1, n, 1, stream, Mode::Asynchronous);
}
CUresult cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t n, CUstream stream) {
    return fill("cuMemsetD16Async", dst, 0, value, 2, n, 1, stream, Mode::Asynchronous);
}
CUresult cuMemsetD32Async(CUdeviceptr dst, unsigned int value, size_t n, CUstream stream) {
    return fill("cuMemsetD32Async", dst, 0, value, 4, n, 1, stream, Mode::Asynchronous);
}
CUresult cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height,
                           CUstream stream) {
    return fill("cuMemsetD2D8Async", dst, pitch, value, 1, width, height, stream, Mode::Asynchronous);
}
CUresult cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height,
                            CUstream stream) {
    return fill("cuMemsetD2D16Async", dst, pitch, value, 2, width, height, stream, Mode::Asynchronous);
}
CUresult cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned int value, size_t width, size_t height,
                            CUstream stream) {
    return fill("cuMemsetD2D32Async", dst, pitch, value, 4, width, height, stream, Mode::Asynchronous);
}
