#pragma once

#include <cuda.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace pycuda {

/// True if PYCUDA_TRACE is set to something other than 0 or the name of a timeline. Read once.
bool trace_enabled() noexcept;

/// True if the value of PYCUDA_TRACE names the file of a timeline: it ends with .json or .pftrace.
bool names_a_timeline(std::string_view value) noexcept;

/// Writes "[pycuda] name(arguments) = RESULT" to stderr in a single write, so that lines of several threads do not mix.
void trace_line(const char* name, const std::string& arguments, int result);

// The text of one argument: pointers, handles and device addresses in hex, text in quotes, others as a number.
std::string trace_text(const void* pointer);
std::string trace_text(const char* text);
std::string trace_text(unsigned long long address);
std::string trace_text(float value);

template <class T>
std::string trace_argument(const T& value) {
    if constexpr (std::is_same_v<T, const char*> || std::is_same_v<T, unsigned long long> || std::is_same_v<T, float>)
        return trace_text(value);
    else if constexpr (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>)
        return trace_text(reinterpret_cast<const void*>(value));
    else if constexpr (std::is_pointer_v<T>)
        return trace_text(static_cast<const void*>(value));
    else if constexpr (std::is_enum_v<T>)
        return std::to_string(static_cast<std::underlying_type_t<T>>(value));
    else if constexpr (std::is_integral_v<T>)
        return std::to_string(value);
    else
        return "{" + std::to_string(sizeof value) + " bytes}";
}

template <class... Arguments>
std::string trace_arguments(const Arguments&... arguments) {
    std::string text;
    ((text += text.empty() ? "" : ", ", text += trace_argument(arguments)), ...);
    return text;
}

}  // namespace pycuda
