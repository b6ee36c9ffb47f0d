#pragma once

#include <cuda.h>

#include <algorithm>
#include <string>

#include "pycuda/launching/kernel_args.hpp"

namespace pycuda {

/// The layout that `ask`, cuFuncGetParamInfo or cuKernelGetParamInfo, reports; not known if the driver lacks it.
template <class Ask, class Kernel>
ParameterLayout read_layout(const Ask& ask, Kernel kernel, const std::string& name) {
    ParameterLayout layout;
    layout.kernel = name;
    if (!ask.is_available()) return layout;
    layout.known = true;
    // The driver ends the list by reporting an invalid value for the index after the last one.
    for (KernelParameter next{};; layout.parameters.push_back(next)) {
        const CUresult result = ask.try_call(kernel, layout.parameters.size(), &next.offset, &next.size);
        if (result == CUDA_ERROR_INVALID_VALUE) break;
        if (result != CUDA_SUCCESS) ask.fail(result, "kernel '" + name + "'");
        layout.total = std::max(layout.total, next.offset + next.size);
    }
    return layout;
}

}  // namespace pycuda
