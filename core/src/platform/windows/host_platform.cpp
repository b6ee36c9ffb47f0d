#include "platform/host_platform.hpp"

#include <windows.h>

namespace pycuda {

const char* const library_path_variable = "PATH";
const char* const driver_file = "nvcuda.dll";

/// GetVersionEx says what the program's manifest asks for; the kernel says what it is.
HostPlatform HostPlatform::of_this_machine() {
    using GetVersion = LONG(WINAPI*)(OSVERSIONINFOW*);
    OSVERSIONINFOW version{};
    version.dwOSVersionInfoSize = sizeof version;
    const HMODULE kernel = GetModuleHandleW(L"ntdll.dll");
    const auto get = reinterpret_cast<GetVersion>(reinterpret_cast<void*>(GetProcAddress(kernel, "RtlGetVersion")));
    std::string release;
    if (get && get(&version) == 0)
        release = std::to_string(version.dwMajorVersion) + "." + std::to_string(version.dwMinorVersion) + "." +
                  std::to_string(version.dwBuildNumber);
    return {"x86_64", release, "Windows"};
}

/// The installer puts it into the system's folder, where the loader looks.
std::vector<std::string> driver_folders(const HostPlatform&, const std::string&) {
    return {};
}

std::vector<std::string> toolkit_targets(const HostPlatform&) {
    return {};
}

}  // namespace pycuda
