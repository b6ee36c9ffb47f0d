#pragma once

#include <cuda.h>

#include <exception>

namespace cpu::state {

/// The error code of a failing driver call. Thrown by state/, converted to a return value by api/.
class DriverError : public std::exception {
public:
    explicit DriverError(CUresult code) noexcept : code_(code) {}
    CUresult code() const noexcept { return code_; }
    const char* what() const noexcept override { return "driver error"; }

private:
    CUresult code_;
};

[[noreturn]] inline void fail(CUresult code) {
    throw DriverError(code);
}

inline void require(bool condition, CUresult code = CUDA_ERROR_INVALID_VALUE) {
    if (!condition) fail(code);
}

}  // namespace cpu::state
