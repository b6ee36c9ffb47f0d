#pragma once

#include "platform/process.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

/// The PYCUDA_CPU_ variables. An invalid value is reported once on standard error and ignored.
namespace cpu::exec {

/// "" when unset.
/// Prints "pycuda: name=value is not `expected`; ignored", once for each name and value.
void ignore_setting(const char* name, std::string_view value, std::string_view expected);

/// Whether the variable is this word, the only one that it may be.
bool environment_is(const char* name, std::string_view word);

/// The value of the variable if it is a number from `min` to `max`.
template <class Number>
std::optional<Number> environment_number(const char* name, Number min, Number max, std::string_view expected) {
    const std::string text = platform::environment(name);
    if (text.empty()) return std::nullopt;
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= min && value <= max) return value;
    ignore_setting(name, text, expected);
    return std::nullopt;
}

/// Prints the text on standard error, unless it was printed before.
void say_once(const std::string& text);

}  // namespace cpu::exec
