#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>

namespace cpu::state {

class Context;

/// Core dumps: settings of the process and of contexts, which follow the process's where they have none of their own. A
/// dump is a text: the process, the device and the report of the fault.
namespace core_dumps {

/// Called with the process's id and the device's ordinal.
using Callback = void(CUDA_CB*)(void* user, int pid, CUdevice device);
enum class Moment { Start, Complete };

/// Bytes of the value. Throws CUDA_ERROR_INVALID_VALUE for a setting that does not exist.
std::size_t size_of(CUcoredumpSettings setting);
/// The bytes of a value; `context` is null for the process's.
std::string get(const Context* context, CUcoredumpSettings setting);
/// Throws CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_PERMITTED for a setting that only the process has,
/// CUDA_ERROR_NOT_SUPPORTED for pipes that cause dumps and for compressed dumps.
void set(const Context* context, CUcoredumpSettings setting, const std::string& bytes);
/// The context has ended.
void forget(const Context& context) noexcept;

/// Throws CUDA_ERROR_NOT_PERMITTED within a callback.
void* add(Moment moment, Callback callback, void* user);
/// The same, and CUDA_ERROR_INVALID_VALUE for another handle.
void remove(Moment moment, void* handle);

/// A kernel has failed: writes a dump, if that is enabled, and ends the process, unless the flags say otherwise.
void write_after_fault(const Context& context, CUresult code, const std::string& report) noexcept;

}  // namespace core_dumps

}  // namespace cpu::state
