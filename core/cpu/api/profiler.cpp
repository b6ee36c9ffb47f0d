#include "api/abi.hpp"

// cudaProfiler.h is a header of its own, not part of every toolkit package.
extern "C" {

CUresult cuProfilerStart() {
    return cpu::api::entry("cuProfilerStart", [] { cpu::state::current_context(); });
}

CUresult cuProfilerStop() {
    return cpu::api::entry("cuProfilerStop", [] { cpu::state::current_context(); });
}
}
