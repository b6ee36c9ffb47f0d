#pragma once

#include <cstddef>
#include <string>

namespace pycuda {

/// "1 byte", "2 bytes".
inline std::string bytes_text(std::size_t nbytes) {
    return std::to_string(nbytes) + (nbytes == 1 ? " byte" : " bytes");
}

}  // namespace pycuda
