#pragma once

#include <cstddef>

namespace pycuda {

/// Zeroed memory from the system, which it backs at once; null if there is none. It is never returned.
void* take_pages(std::size_t nbytes) noexcept;

}  // namespace pycuda
