#pragma once

namespace pycuda {

/// A range of the calling thread in the NVTX domain "pycuda", from its construction to its end. Profilers such as
/// Nsight Systems show it. Without a profiler, it costs a call and the test of a pointer.
class NvtxRange {
public:
    explicit NvtxRange(const char* name) noexcept;
    ~NvtxRange();
    NvtxRange(const NvtxRange&) = delete;
    NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace pycuda
