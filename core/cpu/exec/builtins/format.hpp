#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace cpu::exec {

/// The text that device printf writes. `arguments` holds the values as vprintf receives them, each aligned to its size;
/// `text` reads a string from device memory. A conversion without a value, or of an unknown kind, is copied unchanged.
/// `count` receives the number of values used.
std::string format_text(std::string_view format, std::span<const std::byte> arguments,
                        const std::function<std::string(std::uint64_t)>& text, int& count);

}  // namespace cpu::exec
