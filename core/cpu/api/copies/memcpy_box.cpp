#include "api/abi.hpp"

#include "state/memory/copy_box.hpp"
#include "state/textures/array.hpp"

using namespace cpu::api;
using namespace cpu::state;
using copy::Mode;

namespace {

template <class Copy>
void submit_box(const Copy* description, CUstream stream, Mode mode) {
    require(description != nullptr);
    const auto queue = stream_of(stream);
    const copy::Extent size = copy::extent(*description);
    if (size.empty()) return;
    const auto from = copy::source(*description);
    const auto to = copy::target(*description);
    copy::submit(*queue, copy::place_of(to, size), copy::place_of(from, size), size, mode);
}

template <class Copy>
CUresult box(const char* name, const Copy* description, CUstream stream, Mode mode) {
    return entry(name, [&] { submit_box(description, stream, mode); });
}

CUresult peer_box(const char* name, const CUDA_MEMCPY3D_PEER* description, CUstream stream, Mode mode) {
    return entry(name, [&] {
        require(description != nullptr);
        const bool captured = stream_of(stream)->is_captured();
        for (CUcontext peer : {description->dstContext, description->srcContext})
            if (peer && !captured) contexts().get(peer, CUDA_ERROR_INVALID_CONTEXT)->synchronize();
        submit_box(description, stream, mode);
    });
}

}  // namespace

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* pCopy) {
    return box("cuMemcpy2D", pCopy, nullptr, Mode::Synchronous);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* pCopy) {
    return box("cuMemcpy2DUnaligned", pCopy, nullptr, Mode::Synchronous);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* pCopy, CUstream stream) {
    return box("cuMemcpy2DAsync", pCopy, stream, Mode::Asynchronous);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* pCopy) {
    return box("cuMemcpy3D", pCopy, nullptr, Mode::Synchronous);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* pCopy, CUstream stream) {
    return box("cuMemcpy3DAsync", pCopy, stream, Mode::Asynchronous);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* pCopy) {
    return peer_box("cuMemcpy3DPeer", pCopy, nullptr, Mode::Synchronous);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* pCopy, CUstream stream) {
    return peer_box("cuMemcpy3DPeerAsync", pCopy, stream, Mode::Asynchronous);
}

namespace {

/// One side of a copy of `bytes` bytes in an array's first row; these calls reach no other row.
copy::Place array_bytes(CUarray handle, std::size_t offset, std::size_t bytes) {
    auto array = arrays().get(handle, CUDA_ERROR_INVALID_VALUE);
    require(offset <= array->row_bytes() && bytes <= array->row_bytes() - offset);
    copy::Place place;
    place.data = array->data() + offset;
    place.array = handle;
    place.row_pitch = array->row_bytes();
    place.slice_pitch = array->slice_bytes();
    place.held = std::move(array);
    return place;
}

template <class To, class From>
CUresult array_copy(const char* name, CUstream stream, std::size_t bytes, Mode mode, To to, From from) {
    return entry(name, [&] {
        const auto queue = stream_of(stream);
        if (bytes) copy::submit(*queue, to(), from(), {bytes}, mode);
    });
}

}  // namespace

CUresult cuMemcpyDtoA_v2(CUarray dst, size_t offset, CUdeviceptr src, size_t n) {
    return array_copy(
        "cuMemcpyDtoA", nullptr, n, Mode::Synchronous, [=] { return array_bytes(dst, offset, n); },
        [=] { return copy::device(src, n); });
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t offset, size_t n) {
    return array_copy(
        "cuMemcpyAtoD", nullptr, n, Mode::Synchronous, [=] { return copy::device(dst, n); },
        [=] { return array_bytes(src, offset, n); });
}

CUresult cuMemcpyHtoA_v2(CUarray dst, size_t offset, const void* src, size_t n) {
    return array_copy(
        "cuMemcpyHtoA", nullptr, n, Mode::Synchronous, [=] { return array_bytes(dst, offset, n); },
        [=] { return copy::host(src, n); });
}

CUresult cuMemcpyAtoH_v2(void* dst, CUarray src, size_t offset, size_t n) {
    return array_copy(
        "cuMemcpyAtoH", nullptr, n, Mode::Synchronous, [=] { return copy::host(dst, n); },
        [=] { return array_bytes(src, offset, n); });
}

CUresult cuMemcpyAtoA_v2(CUarray dst, size_t dst_offset, CUarray src, size_t src_offset, size_t n) {
    return array_copy(
        "cuMemcpyAtoA", nullptr, n, Mode::Synchronous, [=] { return array_bytes(dst, dst_offset, n); },
        [=] { return array_bytes(src, src_offset, n); });
}

CUresult cuMemcpyHtoAAsync_v2(CUarray dst, size_t offset, const void* src, size_t n, CUstream stream) {
    return array_copy(
        "cuMemcpyHtoAAsync", stream, n, Mode::Asynchronous, [=] { return array_bytes(dst, offset, n); },
        [=] { return copy::host(src, n); });
}

CUresult cuMemcpyAtoHAsync_v2(void* dst, CUarray src, size_t offset, size_t n, CUstream stream) {
    return array_copy(
        "cuMemcpyAtoHAsync", stream, n, Mode::Asynchronous, [=] { return copy::host(dst, n); },
        [=] { return array_bytes(src, offset, n); });
}
