#include "platform/standard_error.hpp"

#include <windows.h>

#include "platform/windows/text.hpp"

namespace pycuda {

bool standard_error_is_a_terminal() noexcept {
    DWORD mode = 0;
    return GetConsoleMode(GetStdHandle(STD_ERROR_HANDLE), &mode);
}

void write_to_standard_error(std::string_view text) noexcept {
    const HANDLE file = GetStdHandle(STD_ERROR_HANDLE);
    DWORD written = 0;
    if (standard_error_is_a_terminal()) {
        const std::wstring letters = windows::wide(text);
        WriteConsoleW(file, letters.data(), static_cast<DWORD>(letters.size()), &written, nullptr);
    } else {
        WriteFile(file, text.data(), static_cast<DWORD>(text.size()), &written, nullptr);
    }
}

}  // namespace pycuda
