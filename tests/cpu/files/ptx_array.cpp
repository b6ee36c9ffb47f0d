#include "files/ptx_array.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace ptx_file {
namespace {

std::size_t bits_of(const std::string& type) {
    const std::size_t bits = type.size() > 1 ? std::strtoul(type.c_str() + 1, nullptr, 10) : 0;
    const bool known = std::string_view("busf").find(type[0]) != std::string_view::npos;
    if (!known || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
        throw std::runtime_error("unknown type " + type);
    return bits;
}

std::uint64_t pattern(const std::string& type, const std::string& text) {
    char* end = nullptr;
    std::uint64_t bits = 0;
    const bool exact = text.starts_with("0f") || text.starts_with("0d");
    if (exact) {
        bits = std::strtoull(text.c_str() + 2, &end, 16);
    } else if (type == "f32") {
        bits = std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), &end));
    } else if (type == "f64") {
        bits = std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), &end));
    } else {
        bits = text[0] == '-' ? static_cast<std::uint64_t>(std::strtoll(text.c_str(), &end, 0))
                              : std::strtoull(text.c_str(), &end, 0);
    }
    if (!end || *end) throw std::runtime_error("malformed value " + text);
    return bits;
}

void append(Array& array, const std::string& word) {
    const std::uint64_t bits = pattern(array.type, word);
    const auto* bytes = reinterpret_cast<const std::byte*>(&bits);
    array.bytes.insert(array.bytes.end(), bytes, bytes + array.element_bytes);
    array.any_nan.push_back(word == "nan");
}

double as_double(const Array& array, const std::byte* at) {
    if (array.type == "f32") {
        float value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    double value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

bool equal(const Array& expected, std::size_t i, const std::byte* got) {
    const std::byte* want = expected.bytes.data() + i * expected.element_bytes;
    if (expected.type[0] != 'f') return std::memcmp(want, got, expected.element_bytes) == 0;
    const double a = as_double(expected, want), b = as_double(expected, got);
    if (expected.any_nan[i]) return std::isnan(b);
    if (expected.tolerance > 0 && std::isfinite(a) && std::isfinite(b))
        return std::fabs(a - b) <= expected.tolerance * std::fmax(std::fabs(a), 1e-30);
    return std::memcmp(want, got, expected.element_bytes) == 0;
}

std::string show(const Array& array, const std::byte* at) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, array.element_bytes);
    std::ostringstream text;
    text << std::hex << "0x" << bits;
    if (array.type[0] == 'f') text << " (" << as_double(array, at) << ")";
    return text.str();
}

}  // namespace

Array read_array(std::istringstream& words, std::string type_and_colon) {
    Array array;
    const auto strip_colon = [](std::string& word) {
        const bool had = word.ends_with(':');
        if (had) word.pop_back();
        return had;
    };
    bool closed = strip_colon(type_and_colon);
    const std::size_t star = type_and_colon.find('*');
    if (star != std::string::npos) array.width = std::stoul(type_and_colon.substr(star + 1));
    array.type = type_and_colon.substr(0, star);
    array.element_bytes = bits_of(array.type) / 8;
    std::string word;
    if (!closed && words >> word && word.starts_with('~')) {
        closed = strip_colon(word);
        array.tolerance = std::strtod(word.c_str() + 1, nullptr);
    }
    if (!closed) throw std::runtime_error("expected ':' after the type");
    while (words >> word) {
        const std::size_t dots = word.find("..");
        if (dots == word.npos) {
            append(array, word);
            continue;
        }
        const long last = std::stol(word.substr(dots + 2));
        for (long n = std::stol(word.substr(0, dots)); n <= last; ++n) append(array, std::to_string(n));
    }
    return array;
}

std::string difference(const Array& expected, const std::vector<std::byte>& got) {
    for (std::size_t i = 0; i < expected.count(); ++i) {
        const std::byte* at = got.data() + i * expected.element_bytes;
        if (equal(expected, i, at)) continue;
        return "element " + std::to_string(i) + " is " + show(expected, at) + ", expected " +
               show(expected, expected.bytes.data() + i * expected.element_bytes);
    }
    return "";
}

}  // namespace ptx_file
