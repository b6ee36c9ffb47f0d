#include "gpuarray/text.hpp"

#include <cctype>
#include <stdexcept>

namespace pycuda::gpuarray {

std::string fill_in(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values) {
    std::string filled;
    for (;;) {
        const std::size_t begin = text.find('$');
        filled += text.substr(0, begin);
        if (begin == std::string_view::npos) return filled;
        const std::size_t end = text.find('$', begin + 1);
        const std::string_view name = text.substr(begin + 1, end - begin - 1);
        bool found = false;
        for (const auto& [key, value] : values)
            if (key == name) filled += value, found = true;
        if (!found) throw std::logic_error("no value for '" + std::string(name) + "' in a kernel's text");
        text.remove_prefix(end + 1);
    }
}

std::string each(int first, int end, std::string_view text) {
    std::string all;
    for (int k = first; k < end; ++k)
        for (const char c : text) all += c == '#' ? std::to_string(k) : std::string(1, c);
    return all;
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::vector<std::string> tokens_of(const std::string& text) {
    std::vector<std::string> tokens;
    bool joined = false;
    for (const char c : text) {
        if (std::isspace(static_cast<unsigned char>(c))) {
            joined = false;
            continue;
        }
        const bool joins = joined && is_word(c) && is_word(tokens.back().back());
        if (joins)
            tokens.back() += c;
        else
            tokens.push_back(std::string(1, c));
        joined = true;
    }
    return tokens;
}

}  // namespace pycuda::gpuarray
