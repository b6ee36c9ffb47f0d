#pragma once

#include <stdexcept>
#include <string>

namespace cpu::ptx {

/// PTX text that is malformed, or that uses what the CPU device does not execute.
class SyntaxError : public std::runtime_error {
public:
    enum class Reason {
        Invalid,      ///< CUDA_ERROR_INVALID_PTX
        Unsupported,  ///< legal PTX, refused by this device: the message names the instruction
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
