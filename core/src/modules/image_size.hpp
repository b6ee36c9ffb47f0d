#pragma once

#include <cstddef>

namespace pycuda {

/// The number of bytes that a driver will read of a module's image, according to the header of a cubin (ELF) or a
/// fatbin. 0 for text, which ends at its NUL. More than `nbytes` if not even the header is complete.
std::size_t size_of_image(const void* image, std::size_t nbytes) noexcept;

}  // namespace pycuda
