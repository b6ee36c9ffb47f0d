#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>

/// The log of failed calls (cuLogs*): the last 100 lines of the process, each "[time][thread][CUDA][E] message".
/// Thread-safe.
namespace cpu::state::log {

/// Logs why the call that this thread is in is about to fail.
void explain(const char* why) noexcept;
/// Logs "Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuMemFree".
void note_failure(const char* routine, CUresult code, const char* name) noexcept;

/// The number of lines so far: the place of the next one.
unsigned end() noexcept;
/// The lines from the `since`-th on that are kept; the newest ones if there are more than `capacity_in_bytes` of them.
std::string lines(unsigned since, std::size_t capacity_in_bytes);

/// Calls `callback` with each later line, on the thread that logs it. Throws std::bad_alloc.
CUlogsCallbackHandle add(CUlogsCallback callback, void* data);
/// False if there is no such callback.
bool remove(CUlogsCallbackHandle handle) noexcept;

}  // namespace cpu::state::log
