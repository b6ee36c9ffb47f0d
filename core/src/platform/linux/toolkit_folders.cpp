#include "platform/toolkit_folders.hpp"

#include <algorithm>

#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "platform/process.hpp"
#include "text/versions.hpp"

namespace pycuda {

std::vector<std::string> package_folders(const std::string& prefix) {
    std::vector<std::string> folders;
    const std::string lib = join_path(prefix, "lib");
    for (const std::string& name : directory_entries(lib))
        for (const char* packages : {"site-packages", "dist-packages"})
            if (std::string folder = join_path(join_path(lib, name), packages);
                name.starts_with("python3") && is_directory(folder))
                folders.push_back(std::move(folder));
    return folders;
}

/// <prefix>/lib/python3.x/site-packages
std::string environment_of_packages(const std::string& packages) {
    const std::string prefix = parent_path(parent_path(parent_path(packages)));
    return prefix.size() > 1 && prefix != "/usr" ? prefix : std::string{};
}

std::string toolkit_of_environment(const std::string& prefix) {
    return prefix;
}

std::vector<NamedFolder> python_installations() {
    std::vector<NamedFolder> found;
    // Do not follow the links of a virtual environment.
    if (const std::string python = find_program("python3"); !python.empty())
        found.push_back({"python3 on PATH", parent_path(parent_path(python))});
    if (const std::string home = environment("HOME"); !home.empty())
        found.push_back({"~/.local", join_path(home, ".local")});
    found.push_back({"system", "/usr/local"});
    return found;
}

std::vector<NamedFolder> system_toolkits() {
    std::vector<NamedFolder> toolkits = {{"system", "/usr/local/cuda"}};
    std::vector<std::string> names = directory_entries("/usr/local");
    for (std::string name; !(name = newest_version(names, "cuda-")).empty(); std::erase(names, name))
        toolkits.push_back({"system", "/usr/local/" + name});
    for (const char* prefix : {"/opt/cuda", "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit", "/usr"})
        toolkits.push_back({"system", prefix});
    return toolkits;
}

std::vector<std::string> library_folders_of_toolkit(const std::string& root, const HostPlatform& host) {
    return {root + "/lib64", root + "/lib", root + "/lib/" + host.machine + "-linux-gnu"};
}

std::string static_library_file(const std::string& name) {
    return "lib" + name + ".a";
}

std::vector<std::string> static_library_folders(const HostPlatform& host) {
    return {"/usr/lib/" + host.machine + "-linux-gnu", "/usr/lib64"};
}

}  // namespace pycuda
