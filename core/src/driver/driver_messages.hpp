#pragma once

#include <cuda.h>

#include <string>

namespace pycuda {

/// "12.4" for 12040.
std::string version_text(int version);

/// PYCUDA_DRIVER: "auto" (also when unset), "cuda" or "cpu". LogicError for anything else.
std::string wanted_driver();

/// Why cuInit failed, with the usual causes.
std::string init_failure_text(CUresult result);
/// The usual causes alone; empty if none are known.
std::string init_failure_causes(CUresult result);

/// Says that the real driver cannot be opened, `why`, and what to do.
std::string no_driver_text(const std::string& why);
/// `tried`: a line for each path that was tried, with the reason why it failed.
std::string no_cpu_device_text(const std::string& tried);
/// The notice of `auto` that the real driver is not used, and `why`.
std::string fallback_text(const std::string& why);

}  // namespace pycuda
