#pragma once

#include <cuda.h>

#include <optional>

namespace cpu::state {

/// PYCUDA_CPU_FAULTS="cuMemAlloc:2:2,cuLaunchKernel:1:700": the n-th call of the named function (name without
/// version suffix, counted from 1 over all threads) does nothing and returns the chosen CUresult.
/// The result that this call of `name` must return; almost always nullopt.
std::optional<CUresult> injected_fault(const char* name) noexcept;

}  // namespace cpu::state
