#include "platform/host_platform.hpp"

#include <sys/utsname.h>

namespace pycuda {

const char* const library_path_variable = "LD_LIBRARY_PATH";
const char* const driver_file = "libcuda.so.1";

HostPlatform HostPlatform::of_this_machine() {
    utsname name;
    if (uname(&name) != 0) return {"x86_64", "", "Linux"};
    return {name.machine, name.release, name.sysname};
}

std::vector<std::string> driver_folders(const HostPlatform& host, const std::string& root) {
    std::vector<std::string> folders = {"/usr/local/cuda/compat"};
    if (host.is_jetson())
        for (const char* folder : {"nvidia", "tegra"})  // JetPack 6 and later, JetPack 5
            folders.push_back("/usr/lib/" + host.machine + "-linux-gnu/" + folder);
    folders.push_back("/usr/lib/wsl/lib");
    for (std::string& folder : folders) folder.insert(0, root);
    return folders;
}

std::vector<std::string> toolkit_targets(const HostPlatform& host) {
    if (host.machine != "aarch64") return {"targets/" + host.machine + "-linux"};
    if (host.is_jetson()) return {"targets/aarch64-linux", "targets/sbsa-linux"};
    return {"targets/sbsa-linux", "targets/aarch64-linux"};
}

}  // namespace pycuda
