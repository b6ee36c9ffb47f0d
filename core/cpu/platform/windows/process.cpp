#include "platform/process.hpp"

#include <windows.h>

#include <iterator>

namespace cpu::platform {

namespace {

std::string utf8(std::wstring_view wide) {
    const int given = static_cast<int>(wide.size());
    const int size = WideCharToMultiByte(CP_UTF8, 0, wide.data(), given, nullptr, 0, nullptr, nullptr);
    std::string text(static_cast<std::size_t>(size), '\0');
    WideCharToMultiByte(CP_UTF8, 0, wide.data(), given, text.data(), size, nullptr, nullptr);
    return text;
}

}  // namespace

int process_id() noexcept {
    return static_cast<int>(GetCurrentProcessId());
}

std::uint64_t thread_number() noexcept {
    return GetCurrentThreadId();
}

std::string host_name() {
    wchar_t name[256];
    DWORD size = std::size(name);
    return GetComputerNameExW(ComputerNameDnsHostname, name, &size) ? utf8({name, size}) : std::string{};
}

void stay_loaded() noexcept {
    HMODULE own = nullptr;
    const auto here = reinterpret_cast<const wchar_t*>(reinterpret_cast<void*>(&stay_loaded));
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, here, &own);
}

/// There are no forks.
void call_in_forked_children(void (*)()) noexcept {}

/// The system's variables, which Python sets: the C library has a copy from the process's start.
std::string environment(const char* name) {
    const std::wstring variable(name, name + std::char_traits<char>::length(name));
    std::wstring value;
    for (DWORD size = 128; size > value.size();) {
        value.resize(size);
        size = GetEnvironmentVariableW(variable.c_str(), value.data(), size);
        if (size < value.size()) value.resize(size);
    }
    return utf8(value);
}

std::tm local_time(std::time_t time) noexcept {
    std::tm parts{};
    localtime_s(&parts, &time);
    return parts;
}

std::filesystem::path path_of(std::string_view name) {
    return std::u8string(name.begin(), name.end());
}

}  // namespace cpu::platform
