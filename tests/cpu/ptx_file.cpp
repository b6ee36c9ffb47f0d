#include "ptx_file.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

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

Array read_array(std::istringstream& words, std::string type_and_colon) {
    Array array;
    const auto strip_colon = [](std::string& word) {
        const bool had = word.ends_with(':');
        if (had) word.pop_back();
        return had;
    };
    bool closed = strip_colon(type_and_colon);
    array.type = type_and_colon;
    array.element_bytes = bits_of(array.type) / 8;
    std::string word;
    if (!closed && words >> word && word.starts_with('~')) {
        closed = strip_colon(word);
        array.tolerance = std::strtod(word.c_str() + 1, nullptr);
    }
    if (!closed) throw std::runtime_error("expected ':' after the type");
    while (words >> word) {
        const std::uint64_t bits = pattern(array.type, word);
        const auto* bytes = reinterpret_cast<const std::byte*>(&bits);
        array.bytes.insert(array.bytes.end(), bytes, bytes + array.element_bytes);
        array.any_nan.push_back(word == "nan");
    }
    return array;
}

void read_comment(Kernel& kernel, const std::string& line) {
    std::istringstream words(line.substr(2));
    std::string key, rest;
    words >> key;
    if (key == "block:")
        words >> kernel.block;
    else if (key == "shared:")
        words >> kernel.shared;
    else if (key == "in" && words >> rest)
        kernel.in.push_back(read_array(words, rest));
    else if (key == "out" && words >> rest)
        kernel.out.push_back(read_array(words, rest));
}

void finish(Kernel& kernel, const std::string& line) {
    const std::size_t from = line.find(".entry") + 6;
    const std::size_t start = line.find_first_not_of(' ', from);
    kernel.name = line.substr(start, line.find_first_of("( ", start) - start);
    if (kernel.out.empty()) throw std::runtime_error("entry " + kernel.name + " has no expected values");
    if (kernel.block == 0)
        kernel.block = static_cast<unsigned>((kernel.in.empty() ? kernel.out : kernel.in)[0].count());
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

File read(const std::filesystem::path& path) {
    File file;
    std::ifstream lines(path);
    if (!lines) throw std::runtime_error("cannot open " + path.string());
    Kernel kernel;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        file.text += line + "\n";
        try {
            if (line.starts_with("//")) read_comment(kernel, line);
            if (line.find(".entry") == std::string::npos || line.starts_with("//")) continue;
            finish(kernel, line);
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(path.string() + ":" + std::to_string(number) + ": " + error.what());
        }
        file.kernels.push_back(std::exchange(kernel, {}));
    }
    return file;
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
