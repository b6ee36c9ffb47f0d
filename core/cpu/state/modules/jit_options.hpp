#pragma once

#include "exec/image.hpp"

#include <cuda.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace cpu::state {

/// The CUjit_option list of a load or link call. Throws CUDA_ERROR_INVALID_VALUE for an option that does not exist.
/// Options for code generation are accepted, but have no effect here.
class JitOptions {
public:
    JitOptions(unsigned count, const CUjit_option* options, void** values);

    /// Copies text into the program's buffer, truncated to fit and NUL-terminated, and stores the used length.
    void write_info(std::string_view text) { info_.write(text); }
    void write_error(std::string_view text) { error_.write(text); }
    void write_wall_time(float milliseconds);
    /// Adds the options' limits for kernels to the text.
    void apply_to(std::string& ptx) const;
    bool verbose() const noexcept { return verbose_; }

private:
    struct Log {
        char* buffer = nullptr;
        void** size = nullptr;  ///< holds the capacity, and the length after a write
        std::size_t used = 0;
        std::size_t capacity = 0;
        void write(std::string_view text);
    };
    Log info_;
    Log error_;
    void** wall_time_ = nullptr;
    unsigned max_registers_ = 0;  ///< for each thread; 0: any number
    bool verbose_ = false;
};

/// The error log's line for text that cannot be loaded, in the format of NVIDIA's assembler.
std::string error_log_line(const exec::LoadError& error);

}  // namespace cpu::state
