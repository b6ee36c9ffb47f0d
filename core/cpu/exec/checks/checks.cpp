#include "exec/checks/checks.hpp"

#include <sstream>
#include <string>

#include "exec/environment.hpp"

namespace cpu::exec {

namespace {

Checks read_checks() {
    Checks found;
    std::istringstream words{platform::environment("PYCUDA_CPU_CHECK")};
    for (std::string word; std::getline(words, word, ',');) {
        if (word == "init")
            found.init = true;
        else if (word == "race")
            found.race = true;
        else if (word == "continue")
            found.go_on = true;
        else if (!word.empty())
            ignore_setting("PYCUDA_CPU_CHECK", word, "init, race or continue");
    }
    return found;
}

}  // namespace

const Checks& enabled_checks() {
    static const Checks found = read_checks();
    return found;
}

}  // namespace cpu::exec
