#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace pycuda {

/// "1 byte", "2 bytes".
inline std::string bytes_text(std::size_t nbytes) {
    return std::to_string(nbytes) + (nbytes == 1 ? " byte" : " bytes");
}

/// "0x7f28961f6000".
inline std::string address_text(std::uint64_t address) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

}  // namespace pycuda
