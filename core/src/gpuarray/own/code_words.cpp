#include "gpuarray/own/code_words.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace pycuda::gpuarray {

bool leaves_out_indices(const std::vector<std::string>& words) {
    static constexpr std::array<std::string_view, 9> conditions{"?",   "if",     "&",      "|",   "while",
                                                                "for", "switch", "return", "goto"};
    for (std::size_t k = 0; k < words.size(); ++k) {
        if (std::find(conditions.begin(), conditions.end(), words[k]) != conditions.end()) return true;
        if (words[k] != "i") continue;
        const auto word = [&](std::size_t at) { return at < words.size() ? std::string_view(words[at]) : ""; };
        const bool is_declared = k > 0 && is_word(words[k - 1][0]);
        const bool is_assigned = (word(k + 1) == "=") != (word(k + 2) == "=") && word(k + 1) != "]" &&
                                 word(k + 1) != "<" && word(k + 1) != ">" && word(k + 1) != "!";
        const auto steps = [](std::string_view a, std::string_view b) { return a == b && (a == "+" || a == "-"); };
        const bool is_stepped = steps(word(k + 1), word(k + 2)) || (k > 1 && steps(words[k - 2], words[k - 1]));
        if (is_declared || is_assigned || is_stepped) return true;
    }
    return false;
}

}  // namespace pycuda::gpuarray
