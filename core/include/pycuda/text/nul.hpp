#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace pycuda {

/// The driver and compilers read text up to a NUL: they would leave out the rest without a word. std::invalid_argument
/// if there is one; `what` is what the text is for.
inline void require_no_nul(std::string_view text, std::string_view what) {
    if (const std::size_t at = text.find('\0'); at != text.npos)
        throw std::invalid_argument("expected text without NUL characters for " + std::string(what) +
                                    ", given one at position " + std::to_string(at));
}

}  // namespace pycuda
