#include "platform/toolkit_folders.hpp"

#include <windows.h>

#include <algorithm>

#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "platform/process.hpp"
#include "platform/windows/text.hpp"
#include "text/versions.hpp"

namespace pycuda {

namespace {

/// The folder that an installer of the toolkit wrote into the registry; empty if there is none.
std::string installed_folder(const std::wstring& version) {
    const std::wstring key = L"SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA\\" + version;
    wchar_t folder[1024];
    DWORD size = sizeof folder;
    if (RegGetValueW(HKEY_LOCAL_MACHINE, key.c_str(), L"InstallDir", RRF_RT_REG_SZ, nullptr, folder, &size) !=
        ERROR_SUCCESS)
        return {};
    return absolute_path(windows::utf8(folder));
}

std::vector<std::string> registered_versions() {
    std::vector<std::string> versions;
    HKEY key = nullptr;
    constexpr const wchar_t* name = L"SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA";
    if (RegOpenKeyExW(HKEY_LOCAL_MACHINE, name, 0, KEY_READ, &key) != ERROR_SUCCESS) return versions;
    wchar_t version[256];
    for (DWORD n = 0, size = 256;
         RegEnumKeyExW(key, n, version, &size, nullptr, nullptr, nullptr, nullptr) == ERROR_SUCCESS; ++n, size = 256)
        versions.push_back(windows::utf8(version));
    RegCloseKey(key);
    return versions;
}

/// "v13.1" before "v12.9".
std::vector<std::string> newest_first(std::vector<std::string> names) {
    std::vector<std::string> sorted;
    for (std::string name; !(name = newest_version(names, "v")).empty(); std::erase(names, name))
        sorted.push_back(name);
    return sorted;
}

}  // namespace

/// Of installations and environments, and of a user's folder "Python313".
std::vector<std::string> package_folders(const std::string& prefix) {
    std::vector<std::string> folders;
    for (const char* name : {"Lib/site-packages", "site-packages"})
        if (std::string folder = join_path(prefix, name); is_directory(folder)) folders.push_back(std::move(folder));
    return folders;
}

/// <prefix>/Lib/site-packages
std::string environment_of_packages(const std::string& packages) {
    return parent_path(parent_path(packages));
}

std::string toolkit_of_environment(const std::string& prefix) {
    return join_path(prefix, "Library");
}

std::vector<NamedFolder> python_installations() {
    std::vector<NamedFolder> found;
    if (const std::string python = find_program("python"); !python.empty()) {
        const std::string folder = parent_path(python);
        found.push_back({"python on PATH", folder.ends_with("/Scripts") ? parent_path(folder) : folder});
    }
    if (const std::string data = environment("APPDATA"); !data.empty()) {
        const std::string users = join_path(absolute_path(data), "Python");
        for (const std::string& name : directory_entries(users)) found.push_back({"user", join_path(users, name)});
    }
    return found;
}

std::vector<NamedFolder> system_toolkits() {
    std::vector<NamedFolder> toolkits;
    for (const std::string& version : newest_first(registered_versions()))
        if (std::string folder = installed_folder(windows::wide(version)); !folder.empty())
            toolkits.push_back({"registry", std::move(folder)});
    if (const std::string programs = environment("ProgramFiles"); !programs.empty()) {
        const std::string all = join_path(absolute_path(programs), "NVIDIA GPU Computing Toolkit/CUDA");
        for (const std::string& version : newest_first(directory_entries(all)))
            toolkits.push_back({"system", join_path(all, version)});
    }
    return toolkits;
}

/// The DLLs of toolkits and of pip's packages, then the libraries for linking.
std::vector<std::string> library_folders_of_toolkit(const std::string& root, const HostPlatform&) {
    return {root + "/bin/x64", root + "/bin/x86_64", root + "/bin", root + "/lib/x64"};
}

std::string static_library_file(const std::string& name) {
    return name + ".lib";
}

std::vector<std::string> static_library_folders(const HostPlatform&) {
    return {};
}

}  // namespace pycuda
