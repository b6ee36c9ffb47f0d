#pragma once

#include <string>
#include <vector>

namespace pycuda {

/// Properties of a machine that determine where NVIDIA's software is installed.
struct HostPlatform {
    std::string machine;  ///< as `uname -m` says: "x86_64", "aarch64"
    std::string release;  ///< the kernel's: that of a Jetson ends with "-tegra"
    std::string system;   ///< "Linux", "Windows"

    static HostPlatform of_this_machine();
    bool is_jetson() const { return release.find("tegra") != std::string::npos; }
};

/// The environment variable that names folders of libraries.
extern const char* const library_path_variable;
/// The file of NVIDIA's driver, as the loader finds it.
extern const char* const driver_file;

/// Possible paths of the driver, for when the loader does not find it, best first.
std::vector<std::string> driver_folders(const HostPlatform& host, const std::string& root = "");

/// A toolkit's folders for this machine's programs, relative to its root, best first. Servers and Jetsons with Arm
/// processors have folders of their own, and a toolkit to cross-compile with has both.
std::vector<std::string> toolkit_targets(const HostPlatform& host);

}  // namespace pycuda
