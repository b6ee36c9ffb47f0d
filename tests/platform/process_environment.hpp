#pragma once

#include <filesystem>
#include <string>

namespace pycuda::test {

/// Sets a variable of this process's environment, which processes that it starts inherit.
void set_environment(const std::string& name, const std::string& value);
void unset_environment(const std::string& name);

/// Makes a new, empty folder for temporary files whose name begins so.
std::filesystem::path make_temporary_folder(const std::string& prefix);

}  // namespace pycuda::test
