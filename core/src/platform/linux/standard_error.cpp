#include "platform/standard_error.hpp"

#include <unistd.h>

namespace pycuda {

bool standard_error_is_a_terminal() noexcept {
    return isatty(STDERR_FILENO) != 0;
}

void write_to_standard_error(std::string_view text) noexcept {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace pycuda
