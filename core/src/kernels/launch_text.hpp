#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>

#include "pycuda/launching/launch.hpp"

namespace pycuda {

/// For the error of a launch or a kernel node that the driver refused with `result`: what was requested, and what is
/// known to be wrong with it.
[[gnu::cold]] std::string launch_text(const std::string& name, CUfunction function, const LaunchConfig& config,
                                      std::size_t nbytes, CUresult result);

}  // namespace pycuda
