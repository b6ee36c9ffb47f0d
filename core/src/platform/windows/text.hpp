#pragma once

#include <string>
#include <string_view>

namespace pycuda::windows {

std::wstring wide(std::string_view utf8);
std::string utf8(std::wstring_view wide);

/// For the system, which wants backslashes, and a prefix before long paths.
std::wstring system_path(std::string_view path);
/// As the core writes paths: with slashes.
std::string core_path(std::wstring_view path);

/// Sets errno to what corresponds to the last error of the system.
void note_error() noexcept;
/// The system's text for an error.
std::string error_text(unsigned long error);

}  // namespace pycuda::windows
