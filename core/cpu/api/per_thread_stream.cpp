// The variants for programs built with per-thread default streams: stream 0 is the calling thread's stream.

#include "api/abi.hpp"

using cpu::api::per_thread;

#define PTSZ(name, parameters, ...)   \
    CUresult name##_ptsz parameters { \
        return name(__VA_ARGS__);     \
    }

PTSZ(cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream s), dst, src, n, per_thread(s))
PTSZ(cuMemcpyPeerAsync, (CUdeviceptr dst, CUcontext dc, CUdeviceptr src, CUcontext sc, size_t n, CUstream s), dst, dc,
     src, sc, n, per_thread(s))
PTSZ(cuMemcpyHtoDAsync_v2, (CUdeviceptr dst, const void* src, size_t n, CUstream s), dst, src, n, per_thread(s))
PTSZ(cuMemcpyDtoHAsync_v2, (void* dst, CUdeviceptr src, size_t n, CUstream s), dst, src, n, per_thread(s))
PTSZ(cuMemcpyDtoDAsync_v2, (CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream s), dst, src, n, per_thread(s))
PTSZ(cuMemsetD8Async, (CUdeviceptr d, unsigned char v, size_t n, CUstream s), d, v, n, per_thread(s))
PTSZ(cuMemsetD16Async, (CUdeviceptr d, unsigned short v, size_t n, CUstream s), d, v, n, per_thread(s))
PTSZ(cuMemsetD32Async, (CUdeviceptr d, unsigned int v, size_t n, CUstream s), d, v, n, per_thread(s))
PTSZ(cuMemsetD2D8Async, (CUdeviceptr d, size_t p, unsigned char v, size_t w, size_t h, CUstream s), d, p, v, w, h,
     per_thread(s))
PTSZ(cuMemsetD2D16Async, (CUdeviceptr d, size_t p, unsigned short v, size_t w, size_t h, CUstream s), d, p, v, w, h,
     per_thread(s))
PTSZ(cuMemsetD2D32Async, (CUdeviceptr d, size_t p, unsigned int v, size_t w, size_t h, CUstream s), d, p, v, w, h,
     per_thread(s))
PTSZ(cuStreamGetPriority, (CUstream s, int* out), per_thread(s), out)
PTSZ(cuStreamGetDevice, (CUstream s, CUdevice* out), per_thread(s), out)
PTSZ(cuStreamGetFlags, (CUstream s, unsigned int* out), per_thread(s), out)
PTSZ(cuStreamGetAttribute, (CUstream s, CUstreamAttrID id, CUstreamAttrValue* out), per_thread(s), id, out)
PTSZ(cuStreamSetAttribute, (CUstream s, CUstreamAttrID id, const CUstreamAttrValue* value), per_thread(s), id, value)
PTSZ(cuStreamCopyAttributes, (CUstream to, CUstream from), per_thread(to), per_thread(from))
PTSZ(cuStreamGetId, (CUstream s, unsigned long long* out), per_thread(s), out)
PTSZ(cuStreamGetCtx, (CUstream s, CUcontext* out), per_thread(s), out)
PTSZ(cuStreamGetCtx_v2, (CUstream s, CUcontext* out, CUgreenCtx* green), per_thread(s), out, green)
PTSZ(cuStreamWaitEvent, (CUstream s, CUevent e, unsigned int flags), per_thread(s), e, flags)
PTSZ(cuStreamAddCallback, (CUstream s, CUstreamCallback f, void* data, unsigned int flags), per_thread(s), f, data,
     flags)
PTSZ(cuStreamAttachMemAsync, (CUstream s, CUdeviceptr d, size_t n, unsigned int flags), per_thread(s), d, n, flags)
PTSZ(cuStreamQuery, (CUstream s), per_thread(s))
PTSZ(cuStreamSynchronize, (CUstream s), per_thread(s))
PTSZ(cuGraphicsMapResources, (unsigned int n, CUgraphicsResource* r, CUstream s), n, r, per_thread(s))
PTSZ(cuGraphicsUnmapResources, (unsigned int n, CUgraphicsResource* r, CUstream s), n, r, per_thread(s))
PTSZ(cuEventRecord, (CUevent e, CUstream s), e, per_thread(s))
PTSZ(cuEventRecordWithFlags, (CUevent e, CUstream s, unsigned int flags), e, per_thread(s), flags)
PTSZ(cuLaunchKernel,
     (CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by,
      unsigned int bz, unsigned int shared, CUstream s, void** parameters, void** extra),
     f, gx, gy, gz, bx, by, bz, shared, per_thread(s), parameters, extra)
PTSZ(cuLaunchCooperativeKernel,
     (CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by,
      unsigned int bz, unsigned int shared, CUstream s, void** parameters),
     f, gx, gy, gz, bx, by, bz, shared, per_thread(s), parameters)
PTSZ(cuLaunchHostFunc, (CUstream s, CUhostFn f, void* data), per_thread(s), f, data)

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction f, void** parameters, void** extra) {
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    CUlaunchConfig own = *config;
    own.hStream = per_thread(own.hStream);
    return cuLaunchKernelEx(&own, f, parameters, extra);
}

namespace {

/// A synchronous call on the thread's stream is the asynchronous call followed by a wait.
CUresult finish(CUresult submitted) {
    return submitted == CUDA_SUCCESS ? cuStreamSynchronize(CU_STREAM_PER_THREAD) : submitted;
}

}  // namespace

#define PTDS(name, parameters, ...)   \
    CUresult name##_ptds parameters { \
        return finish(__VA_ARGS__);   \
    }

PTDS(cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t n), cuMemcpyAsync_ptsz(dst, src, n, nullptr))
PTDS(cuMemcpyPeer, (CUdeviceptr dst, CUcontext dc, CUdeviceptr src, CUcontext sc, size_t n),
     cuMemcpyPeerAsync_ptsz(dst, dc, src, sc, n, nullptr))
PTDS(cuMemcpyHtoD_v2, (CUdeviceptr dst, const void* src, size_t n), cuMemcpyHtoDAsync_v2_ptsz(dst, src, n, nullptr))
PTDS(cuMemcpyDtoH_v2, (void* dst, CUdeviceptr src, size_t n), cuMemcpyDtoHAsync_v2_ptsz(dst, src, n, nullptr))
PTDS(cuMemcpyDtoD_v2, (CUdeviceptr dst, CUdeviceptr src, size_t n), cuMemcpyDtoDAsync_v2_ptsz(dst, src, n, nullptr))
PTDS(cuMemsetD8_v2, (CUdeviceptr d, unsigned char v, size_t n), cuMemsetD8Async_ptsz(d, v, n, nullptr))
PTDS(cuMemsetD16_v2, (CUdeviceptr d, unsigned short v, size_t n), cuMemsetD16Async_ptsz(d, v, n, nullptr))
PTDS(cuMemsetD32_v2, (CUdeviceptr d, unsigned int v, size_t n), cuMemsetD32Async_ptsz(d, v, n, nullptr))
PTDS(cuMemsetD2D8_v2, (CUdeviceptr d, size_t p, unsigned char v, size_t w, size_t h),
     cuMemsetD2D8Async_ptsz(d, p, v, w, h, nullptr))
PTDS(cuMemsetD2D16_v2, (CUdeviceptr d, size_t p, unsigned short v, size_t w, size_t h),
     cuMemsetD2D16Async_ptsz(d, p, v, w, h, nullptr))
PTDS(cuMemsetD2D32_v2, (CUdeviceptr d, size_t p, unsigned int v, size_t w, size_t h),
     cuMemsetD2D32Async_ptsz(d, p, v, w, h, nullptr))

PTSZ(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D* c, CUstream s), c, per_thread(s))
PTSZ(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D* c, CUstream s), c, per_thread(s))
PTSZ(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER* c, CUstream s), c, per_thread(s))
PTSZ(cuMemcpyHtoAAsync_v2, (CUarray d, size_t o, const void* h, size_t n, CUstream s), d, o, h, n, per_thread(s))
PTSZ(cuMemcpyAtoHAsync_v2, (void* h, CUarray d, size_t o, size_t n, CUstream s), h, d, o, n, per_thread(s))
PTSZ(cuMemAllocAsync, (CUdeviceptr * d, size_t n, CUstream s), d, n, per_thread(s))
PTSZ(cuMemAllocFromPoolAsync, (CUdeviceptr * d, size_t n, CUmemoryPool p, CUstream s), d, n, p, per_thread(s))
PTSZ(cuMemFreeAsync, (CUdeviceptr d, CUstream s), d, per_thread(s))
PTSZ(cuMemPrefetchAsync, (CUdeviceptr d, size_t n, CUdevice to, CUstream s), d, n, to, per_thread(s))
PTSZ(cuMemPrefetchAsync_v2, (CUdeviceptr d, size_t n, CUmemLocation to, unsigned int flags, CUstream s), d, n, to,
     flags, per_thread(s))
PTSZ(cuMemcpyBatchAsync_v2,
     (CUdeviceptr * d, CUdeviceptr* from, size_t* sizes, size_t n, CUmemcpyAttributes* kinds, size_t* begins,
      size_t kind_count, CUstream s),
     d, from, sizes, n, kinds, begins, kind_count, per_thread(s))
PTSZ(cuMemcpy3DBatchAsync_v2, (size_t n, CUDA_MEMCPY3D_BATCH_OP* all, unsigned long long flags, CUstream s), n, all,
     flags, per_thread(s))
PTSZ(cuMemPrefetchBatchAsync,
     (CUdeviceptr * d, size_t* sizes, size_t n, CUmemLocation* to, size_t* begins, size_t places,
      unsigned long long flags, CUstream s),
     d, sizes, n, to, begins, places, flags, per_thread(s))
PTSZ(cuMemDiscardBatchAsync, (CUdeviceptr * d, size_t* sizes, size_t n, unsigned long long flags, CUstream s), d, sizes,
     n, flags, per_thread(s))
PTSZ(cuMemDiscardAndPrefetchBatchAsync,
     (CUdeviceptr * d, size_t* sizes, size_t n, CUmemLocation* to, size_t* begins, size_t places,
      unsigned long long flags, CUstream s),
     d, sizes, n, to, begins, places, flags, per_thread(s))
PTDS(cuMemcpy2D_v2, (const CUDA_MEMCPY2D* c), cuMemcpy2DAsync_v2_ptsz(c, nullptr))
PTDS(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D* c), cuMemcpy2DAsync_v2_ptsz(c, nullptr))
PTDS(cuMemcpy3D_v2, (const CUDA_MEMCPY3D* c), cuMemcpy3DAsync_v2_ptsz(c, nullptr))
PTDS(cuMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER* c), cuMemcpy3DPeerAsync_ptsz(c, nullptr))
PTDS(cuMemcpyHtoA_v2, (CUarray d, size_t o, const void* h, size_t n), cuMemcpyHtoAAsync_v2_ptsz(d, o, h, n, nullptr))
PTDS(cuMemcpyAtoH_v2, (void* h, CUarray d, size_t o, size_t n), cuMemcpyAtoHAsync_v2_ptsz(h, d, o, n, nullptr))

// Copies within the device are ordered with the legacy stream in both variants: the thread's stream waits for it.
PTDS(cuMemcpyDtoA_v2, (CUarray d, size_t o, CUdeviceptr p, size_t n), cuMemcpyDtoA_v2(d, o, p, n))
PTDS(cuMemcpyAtoD_v2, (CUdeviceptr p, CUarray d, size_t o, size_t n), cuMemcpyAtoD_v2(p, d, o, n))
PTDS(cuMemcpyAtoA_v2, (CUarray d, size_t o, CUarray from, size_t at, size_t n), cuMemcpyAtoA_v2(d, o, from, at, n))
PTSZ(cuStreamBeginCapture, (CUstream s), per_thread(s))
PTSZ(cuStreamBeginCapture_v2, (CUstream s, CUstreamCaptureMode mode), per_thread(s), mode)
PTSZ(cuStreamBeginCaptureToGraph,
     (CUstream s, CUgraph graph, const CUgraphNode* nodes, const CUgraphEdgeData* edges, size_t n,
      CUstreamCaptureMode mode),
     per_thread(s), graph, nodes, edges, n, mode)
PTSZ(cuStreamEndCapture, (CUstream s, CUgraph* out), per_thread(s), out)
PTSZ(cuStreamUpdateCaptureDependencies, (CUstream s, CUgraphNode* nodes, size_t n, unsigned int flags), per_thread(s),
     nodes, n, flags)
PTSZ(cuStreamUpdateCaptureDependencies_v2,
     (CUstream s, CUgraphNode* nodes, const CUgraphEdgeData* edges, size_t n, unsigned int flags), per_thread(s), nodes,
     edges, n, flags)
PTSZ(cuGraphLaunch, (CUgraphExec e, CUstream s), e, per_thread(s))
PTSZ(cuGraphUpload, (CUgraphExec e, CUstream s), e, per_thread(s))
PTSZ(cuStreamGetCaptureInfo, (CUstream s, CUstreamCaptureStatus* out, cuuint64_t* id), per_thread(s), out, id)
PTSZ(cuStreamIsCapturing, (CUstream s, CUstreamCaptureStatus* out), per_thread(s), out)
PTSZ(cuStreamGetCaptureInfo_v2,
     (CUstream s, CUstreamCaptureStatus* out, cuuint64_t* id, CUgraph* graph, const CUgraphNode** nodes, size_t* n),
     per_thread(s), out, id, graph, nodes, n)
PTSZ(cuStreamGetCaptureInfo_v3,
     (CUstream s, CUstreamCaptureStatus* out, cuuint64_t* id, CUgraph* graph, const CUgraphNode** nodes,
      const CUgraphEdgeData** edges, size_t* n),
     per_thread(s), out, id, graph, nodes, edges, n)
PTSZ(cuStreamWaitValue32_v2, (CUstream s, CUdeviceptr d, cuuint32_t v, unsigned int flags), per_thread(s), d, v, flags)
PTSZ(cuStreamWaitValue64_v2, (CUstream s, CUdeviceptr d, cuuint64_t v, unsigned int flags), per_thread(s), d, v, flags)
PTSZ(cuStreamBatchMemOp_v2, (CUstream s, unsigned int n, CUstreamBatchMemOpParams* all, unsigned int flags),
     per_thread(s), n, all, flags)
PTSZ(cuStreamWriteValue32_v2, (CUstream s, CUdeviceptr d, cuuint32_t v, unsigned int flags), per_thread(s), d, v, flags)
PTSZ(cuStreamWriteValue64_v2, (CUstream s, CUdeviceptr d, cuuint64_t v, unsigned int flags), per_thread(s), d, v, flags)
PTSZ(cuSignalExternalSemaphoresAsync,
     (const CUexternalSemaphore* all, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* values, unsigned int n, CUstream s),
     all, values, n, per_thread(s))
PTSZ(cuWaitExternalSemaphoresAsync,
     (const CUexternalSemaphore* all, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* values, unsigned int n, CUstream s),
     all, values, n, per_thread(s))
