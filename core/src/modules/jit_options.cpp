#include "modules/jit_options.hpp"

#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace pycuda {
namespace {

/// The text in a log buffer, without the trailing blanks that some drivers leave.
std::string text_in(const std::vector<char>& buffer) {
    std::string text(buffer.data(), ::strnlen(buffer.data(), buffer.size()));
    text.erase(text.find_last_not_of(" \n\r\t") + 1);
    return text;
}

bool is_log_option(CUjit_option key) {
    return key == CU_JIT_INFO_LOG_BUFFER || key == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ||
           key == CU_JIT_ERROR_LOG_BUFFER || key == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
}

}  // namespace

JitOptions::JitOptions(const std::vector<JitSetting>& settings) : info_(log_bytes), error_(log_bytes) {
    for (const auto& [option, value] : settings) {
        const auto key = static_cast<CUjit_option>(option);
        if (is_log_option(key))
            throw std::invalid_argument("log buffers cannot be given as options: messages are returned in the log");
        add(key, value);
    }
    add(CU_JIT_INFO_LOG_BUFFER, reinterpret_cast<std::uintptr_t>(info_.data()));
    add(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, log_bytes);
    add(CU_JIT_ERROR_LOG_BUFFER, reinterpret_cast<std::uintptr_t>(error_.data()));
    add(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, log_bytes);
}

void JitOptions::add(CUjit_option key, std::size_t value) {
    keys_.push_back(key);
    values_.push_back(reinterpret_cast<void*>(value));
}

JitLog JitOptions::log(bool success) const {
    return {success, text_in(info_), text_in(error_)};
}

}  // namespace pycuda
