#include "api/abi.hpp"

// cudaProfiler.h is a separate header, which not every toolkit package contains.
extern "C" {

/// No longer in the headers of CUDA 13, but still in its driver: programs find it by name. Nothing is profiled, so
/// neither file matters.
CUresult cuProfilerInitialize(const char* configFile, const char* outputFile, int outputMode) {
    return cpu::api::entry("cuProfilerInitialize", [&] {
        cpu::state::current_context();
        cpu::api::require(configFile != nullptr && outputFile != nullptr && (outputMode == 0 || outputMode == 1));
    });
}

CUresult cuProfilerStart() {
    return cpu::api::entry_unseen_by_captures("cuProfilerStart", [] { cpu::state::current_context(); });
}

CUresult cuProfilerStop() {
    return cpu::api::entry_unseen_by_captures("cuProfilerStop", [] { cpu::state::current_context(); });
}
}
