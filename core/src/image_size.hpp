#pragma once

#include <cstddef>

namespace pycuda {

/// How many bytes a driver will read of a module's image, as its header says: of a cubin (ELF) or a fatbin. 0 for text,
/// which ends at its NUL. More than `nbytes` when not even the header is complete.
std::size_t size_of_image(const void* image, std::size_t nbytes) noexcept;

}  // namespace pycuda
