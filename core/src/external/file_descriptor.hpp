#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "pycuda/constants/constants.hpp"

/// The descriptors of imports from other interfaces.
namespace pycuda {

inline void require_descriptor(int descriptor) {
    if (descriptor < 0) throw std::invalid_argument("expected a file descriptor, not " + std::to_string(descriptor));
}

inline std::string descriptor_text(int descriptor) {
    return "file descriptor " + std::to_string(descriptor) + ", which still belongs to the program";
}

/// Why a handle cannot be imported by a file descriptor. `type`: the C++ name of its enum.
inline std::string not_a_descriptor(std::string_view type, int handle_type, const char* descriptors) {
    std::string given = "handle type " + std::to_string(handle_type);
    for (const EnumTable& table : enum_tables())
        if (table.cpp_name == type)
            for (const EnumValue& value : table.values)
                if (value.value == handle_type) given = value.name;
    return given + " is not a file descriptor: such handles exist on Windows or with NvSci; expected " + descriptors;
}

}  // namespace pycuda
