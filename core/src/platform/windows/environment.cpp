#include "platform/environment.hpp"

#include <windows.h>

#include <cwchar>

#include "platform/files.hpp"
#include "platform/windows/text.hpp"
#include "text/words.hpp"

namespace pycuda {

// The system's variables, which Python sets: the C library has a copy from the process's start.

std::string environment(const char* name) {
    const std::wstring variable = windows::wide(name);
    std::wstring value;
    for (DWORD size = 128; size > value.size();) {
        value.resize(size);
        size = GetEnvironmentVariableW(variable.c_str(), value.data(), size);
        if (size < value.size()) value.resize(size);
    }
    return windows::utf8(value);
}

bool environment_has(const char* name) {
    return GetEnvironmentVariableW(windows::wide(name).c_str(), nullptr, 0) != 0;
}

std::vector<std::string> environment_variables() {
    std::vector<std::string> all;
    wchar_t* const block = GetEnvironmentStringsW();
    if (!block) return all;
    for (const wchar_t* variable = block; *variable; variable += std::wcslen(variable) + 1)
        if (*variable != L'=') all.push_back(windows::utf8(variable));  // others are the drives' current folders
    FreeEnvironmentStringsW(block);
    return all;
}

std::vector<std::string> environment_folders(const char* name) {
    std::vector<std::string> folders = parts_of(environment(name), ';');
    for (std::string& folder : folders) {
        std::erase(folder, '"');
        folder = absolute_path(folder);
    }
    return folders;
}

}  // namespace pycuda
