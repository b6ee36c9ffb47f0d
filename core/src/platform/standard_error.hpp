#pragma once

#include <string_view>

namespace pycuda {

bool standard_error_is_a_terminal() noexcept;

/// In one piece, so that lines of several threads and processes do not mix.
void write_to_standard_error(std::string_view text) noexcept;

}  // namespace pycuda
