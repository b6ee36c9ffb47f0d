// How libFuzzer mutates PTX between runs: a change of bytes mostly stops in the lexer, so half of the changes are made
// on whole tokens and statements, which gets past the grammar into the verifier and lowering.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using Random = std::minstd_rand;

bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == ':';
}

/// Words with the '.' or '%' before them; everything else, spaces included, one character each.
std::vector<std::string_view> tokens(std::string_view text) {
    std::vector<std::string_view> result;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        if (in_word(text[at]) || text[at] == '.' || text[at] == '%')
            while (end < text.size() && in_word(text[end])) ++end;
        result.push_back(text.substr(at, end - at));
        at = end;
    }
    return result;
}

/// Tokens of one class can stand in each other's place.
int token_class(std::string_view token) {
    const auto first = static_cast<unsigned char>(token[0]);
    return std::isdigit(first) ? '0' : std::isalpha(first) || first == '_' || first == '$' ? 'a' : first;
}

std::string other_token(const std::vector<std::string_view>& all, std::string_view old, Random& random) {
    static constexpr std::string_view numbers[] = {"0",  "1",   "2",          "4",          "31",
                                                   "32", "64",  "2147483648", "4294967295", "18446744073709551615",
                                                   "7",  "256", "0f7F800000", "4294967296", "9223372036854775807"};
    if (token_class(old) == '0' && random() % 2) return std::string(numbers[random() % std::size(numbers)]);
    for (int attempt = 0; attempt < 50; ++attempt) {
        const std::string_view candidate = all[random() % all.size()];
        if (token_class(candidate) == token_class(old) && candidate != old) return std::string(candidate);
    }
    return std::string(all[random() % all.size()]);
}

/// The statement around a byte, up to and with its end.
std::string_view statement(std::string_view text, std::size_t at) {
    const std::size_t before = at == 0 ? text.npos : text.find_last_of(";{}", at - 1);
    const std::size_t start = before == text.npos ? 0 : before + 1;
    const std::size_t end = std::min(text.find_first_of(";{}", at), text.size() - 1);
    return text.substr(start, end + 1 - start);
}

std::string changed(const std::string& text, Random& random) {
    const auto all = tokens(text);
    const std::string_view token = all[random() % all.size()];
    const auto position = [&](std::string_view part) { return static_cast<std::size_t>(part.data() - text.data()); };
    const std::string_view here = statement(text, random() % text.size());
    const std::string_view there = statement(text, random() % text.size());
    std::string result = text;
    switch (random() % 6) {
        case 0:
            return result.erase(position(token), token.size());
        case 1:
            return result.insert(position(token), all[random() % all.size()]);
        case 2:
            return result.erase(position(here), here.size());
        case 3:
            return result.insert(position(here), there);
        default:
            return result.replace(position(token), token.size(), other_token(all, token, random));
    }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
    Random random(seed);
    random.discard(2);
    if (size == 0 || random() % 2) return LLVMFuzzerMutate(data, size, max_size);
    std::string text(reinterpret_cast<const char*>(data), size);
    for (auto changes = 1 + random() % 3; changes-- > 0 && !text.empty();) text = changed(text, random);
    const std::size_t length = std::min(text.size(), max_size);
    std::memcpy(data, text.data(), length);
    return length;
}
