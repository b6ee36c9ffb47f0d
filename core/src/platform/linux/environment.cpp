#include "platform/environment.hpp"

#include <unistd.h>

#include <cstdlib>

#include "text/words.hpp"

extern char** environ;

namespace pycuda {

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

bool environment_has(const char* name) {
    return std::getenv(name) != nullptr;
}

std::vector<std::string> environment_variables() {
    std::vector<std::string> all;
    for (char** variable = environ; *variable; ++variable) all.emplace_back(*variable);
    return all;
}

std::vector<std::string> environment_folders(const char* name) {
    return parts_of(environment(name), ':');
}

}  // namespace pycuda
