#include "platform/process_environment.hpp"

#include <cstdlib>
#include <stdexcept>

namespace pycuda::test {

void set_environment(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
}

void unset_environment(const std::string& name) {
    ::unsetenv(name.c_str());
}

std::filesystem::path make_temporary_folder(const std::string& prefix) {
    std::string pattern = std::filesystem::temp_directory_path() / (prefix + "XXXXXX");
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("no folder for temporary files");
    return pattern;
}

}  // namespace pycuda::test
