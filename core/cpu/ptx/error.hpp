#pragma once

#include <stdexcept>
#include <string>

namespace cpu::ptx {

/// PTX text is malformed, or uses a feature that the CPU device does not support.
class SyntaxError : public std::runtime_error {
public:
    enum class Reason {
        Invalid,      ///< CUDA_ERROR_INVALID_PTX
        Unsupported,  ///< legal PTX that this device does not support: the message names the instruction
    };
    SyntaxError(int line, const std::string& message, Reason reason = Reason::Invalid)
        : std::runtime_error(message), line_(line), reason_(reason) {}
    int line() const noexcept { return line_; }  ///< 1-based line of the PTX text
    Reason reason() const noexcept { return reason_; }

private:
    int line_;
    Reason reason_;
};

}  // namespace cpu::ptx
