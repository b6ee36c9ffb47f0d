#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace cpu::exec {

/// What device printf writes: `arguments` holds the values as vprintf gets them, each aligned to its size; `text` reads
/// a string of the device. A conversion without a value, or of an unknown kind, is written as it stands. `count`:
/// values used.
std::string format_text(std::string_view format, std::span<const std::byte> arguments,
                        const std::function<std::string(std::uint64_t)>& text, int& count);

}  // namespace cpu::exec
