#pragma once

#include <string>
#include <vector>

namespace pycuda {

/// The value of the environment variable; empty if it is not set.
std::string environment(const char* name);
/// True if it is set, also to nothing.
bool environment_has(const char* name);
/// "NAME=value" for each variable.
std::vector<std::string> environment_variables();
/// The folders in the value of a variable such as PATH.
std::vector<std::string> environment_folders(const char* name);

}  // namespace pycuda
