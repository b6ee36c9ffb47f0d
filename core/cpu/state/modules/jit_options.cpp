#include "state/modules/jit_options.hpp"

#include "ptx/inputs.hpp"
#include "state/error.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace cpu::state {

namespace {

// The driver's convention: numbers are stored in the pointer itself, 32 bits wide.
unsigned number(const void* value) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(value));
}

}  // namespace

JitOptions::JitOptions(unsigned count, const CUjit_option* options, void** values) {
    require(count == 0 || (options != nullptr && values != nullptr));
    for (unsigned i = 0; i < count; ++i) {
        switch (options[i]) {
            case CU_JIT_INFO_LOG_BUFFER:
                info_.buffer = static_cast<char*>(values[i]);
                break;
            case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
                info_.size = &values[i];
                break;
            case CU_JIT_ERROR_LOG_BUFFER:
                error_.buffer = static_cast<char*>(values[i]);
                break;
            case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
                error_.size = &values[i];
                break;
            case CU_JIT_WALL_TIME:
                wall_time_ = &values[i];
                break;
            case CU_JIT_MAX_REGISTERS:
                max_registers_ = number(values[i]);
                break;
            case CU_JIT_LOG_VERBOSE:
                verbose_ = number(values[i]) != 0;
                break;
            default:
                require(options[i] >= 0 && options[i] < CU_JIT_NUM_OPTIONS);
        }
    }
    for (Log* log : {&info_, &error_}) {
        log->capacity = log->size ? number(*log->size) : 0;
        log->write("");
    }
}

void JitOptions::Log::write(std::string_view text) {
    if (!buffer || capacity == 0) return;
    const std::size_t length = std::min(text.size(), capacity - 1 - used);
    if (length) std::memcpy(buffer + used, text.data(), length);
    used += length;
    buffer[used] = '\0';
    // Like the driver, report the length of the text or, if it was truncated, the size of the buffer.
    *size = reinterpret_cast<void*>(length < text.size() && capacity > 1 ? capacity : used);
}

void JitOptions::write_wall_time(float milliseconds) {
    if (wall_time_) std::memcpy(wall_time_, &milliseconds, sizeof milliseconds);
}

void JitOptions::apply_to(std::string& ptx) const {
    if (max_registers_) ptx::limit_registers(ptx, max_registers_);
}

std::string error_log_line(const exec::LoadError& error) {
    const std::string where = error.line() ? "ptx input, line " + std::to_string(error.line()) + "; " : "ptx input; ";
    return where + "error   : " + error.what() + "\n";
}

}  // namespace cpu::state
