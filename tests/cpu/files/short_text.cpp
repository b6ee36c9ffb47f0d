#include "files/short_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace short_text {

const std::string scratch = ".reg .pred %p<24>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %d<24>;\n";

Operand::Operand(const std::string& word, std::size_t number) {
    const std::size_t star = word.find('*');
    type = word.substr(0, star);
    const std::string name = "%x" + std::to_string(number);
    if (star == word.npos) {
        registers = {name};
        text = name;
        return;
    }
    const std::size_t count = std::stoul(word.substr(star + 1));
    for (std::size_t k = 0; k < count; ++k) {
        registers.push_back(name + "_" + std::to_string(k));
        text += (k ? ", " : "{") + registers[k];
    }
    text += "}";
}

std::vector<std::string> alternatives(const std::string& text) {
    std::size_t open = 0, close = 0;
    do {
        open = text.find('{', close);
        close = text.find_first_of("{}", open + 1);
        if (open == text.npos || close == text.npos) return {text};
    } while (text[close] == '{' || text.find('|', open) > close);
    std::vector<std::string> all;
    for (std::size_t at = open; at != close;) {
        const std::size_t end = std::min(close, text.find('|', at + 1));
        const std::string one = text.substr(at + 1, end - at - 1);
        for (std::string& rest : alternatives(text.substr(0, open) + one + text.substr(close + 1)))
            all.push_back(std::move(rest));
        at = end;
    }
    return all;
}

std::string filled_in(const std::string& text, const std::vector<Operand>& operands) {
    std::string filled;
    for (std::size_t at = 0;;) {
        const std::size_t dollar = text.find('$', at);
        filled += text.substr(at, dollar - at);
        if (dollar == text.npos) return filled;
        std::size_t digits = 0;
        const std::size_t number = std::stoul(text.substr(dollar + 1), &digits);
        if (number >= operands.size()) throw std::runtime_error("there is no operand $" + std::to_string(number));
        filled += operands[number].text;
        at = dollar + 1 + digits;
    }
}

}  // namespace short_text
