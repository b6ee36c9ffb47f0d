#pragma once

#include <string>
#include <vector>

#include "platform/host_platform.hpp"

namespace pycuda {

// Where programs install NVIDIA's software on this system, and how it is laid out there.

/// A folder, and what named it.
struct NamedFolder {
    std::string found_by;
    std::string path;
};

/// The folders of pip's packages in a Python installation or a virtual environment.
std::vector<std::string> package_folders(const std::string& prefix);
/// The installation or environment to which a folder of packages belongs; empty if that is none of its own.
std::string environment_of_packages(const std::string& packages);
/// Where conda puts a toolkit in this environment.
std::string toolkit_of_environment(const std::string& prefix);
/// Python installations that pip's packages may lie in: of the Python on PATH, this user's, the system's.
std::vector<NamedFolder> python_installations();
/// Toolkits for all users, best first; they may not exist.
std::vector<NamedFolder> system_toolkits();
/// The folders of a toolkit, or of a part of it, that may hold libraries.
std::vector<std::string> library_folders_of_toolkit(const std::string& root, const HostPlatform& host);

/// The name of a library's file for linking of device code: "libcudadevrt.a".
std::string static_library_file(const std::string& name);
/// Folders outside toolkits that may hold such files.
std::vector<std::string> static_library_folders(const HostPlatform& host);

}  // namespace pycuda
