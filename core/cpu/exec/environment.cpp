#include "exec/environment.hpp"

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

namespace cpu::exec {

void ignore_setting(const char* name, std::string_view value, std::string_view expected) {
    say_once(std::string(name) + "=" + std::string(value) + " is not " + std::string(expected) + "; ignored");
}

bool environment_is(const char* name, std::string_view word) {
    const std::string text = platform::environment(name);
    if (!text.empty() && text != word) ignore_setting(name, text, word);
    return text == word;
}

void say_once(const std::string& text) {
    static auto* const mutex = new std::mutex;
    static auto* const said = new std::set<std::string>;
    std::lock_guard lock(*mutex);
    if (said->insert(text).second) std::fprintf(stderr, "pycuda: %s\n", text.c_str());
}

}  // namespace cpu::exec
