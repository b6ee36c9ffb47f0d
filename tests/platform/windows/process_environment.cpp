#include "platform/process_environment.hpp"

#include <windows.h>

#include <cstdlib>
#include <random>
#include <stdexcept>

namespace pycuda::test {

/// Both the C library's and the system's.
void set_environment(const std::string& name, const std::string& value) {
    ::_putenv_s(name.c_str(), value.c_str());
    if (value.empty()) ::SetEnvironmentVariableA(name.c_str(), "");  // the C library removes it
}

void unset_environment(const std::string& name) {
    ::_putenv_s(name.c_str(), "");
    ::SetEnvironmentVariableA(name.c_str(), nullptr);
}

std::filesystem::path make_temporary_folder(const std::string& prefix) {
    std::random_device random;
    for (int attempt = 0; attempt < 100; ++attempt) {
        const auto folder = std::filesystem::temp_directory_path() / (prefix + std::to_string(random()));
        if (std::filesystem::create_directory(folder)) return folder;
    }
    throw std::runtime_error("no folder for temporary files");
}

}  // namespace pycuda::test
