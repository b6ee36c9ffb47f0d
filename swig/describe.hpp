#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "pycuda/device.hpp"
#include "pycuda/error.hpp"
#include "pycuda/tensor_map.hpp"

/// Texts that describe wrapped objects: what both languages print after the class's name.
namespace pycuda::bindings {

inline std::string hexadecimal(std::uint64_t number) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
    return text;
}

inline std::string hexadecimal(const void* address) {
    return hexadecimal(reinterpret_cast<std::uintptr_t>(address));
}

/// " 0x7f0012345678", " of 64 bytes at 0x7f0012345678", " 'scale'"; in brackets why the object cannot be used any more.
/// Calls no driver function, and never fails because of the object's state.
template <class T>
std::string describe(const T& object) {
    try {
        if constexpr (requires { object.address(); }) {
            const std::string address = hexadecimal(object.address());
            return " of " + std::to_string(object.size()) + " bytes at " + address;
        } else if constexpr (requires { object.pointer(); }) {
            const std::string address = hexadecimal(object.pointer());
            return " of " + std::to_string(object.size()) + " bytes at " + address;
        } else if constexpr (requires { object.data(); }) {
            const std::string address = hexadecimal(reinterpret_cast<std::uintptr_t>(object.data()));
            return " of " + std::to_string(object.size()) + " bytes at " + address;
        } else if constexpr (requires { object.held_blocks(); }) {
            return " of " + std::to_string(object.active_blocks()) + " active and " +
                   std::to_string(object.held_blocks()) + " held blocks";
        } else if constexpr (requires { object.name(); }) {
            return " '" + object.name() + "'";
        } else if constexpr (requires { object.num_channels; }) {
            return " of " + std::to_string(object.width) + " x " + std::to_string(object.height) + " texels";
        } else if constexpr (requires { object.width_in_bytes; }) {
            return " of " + std::to_string(object.height) + " rows of " + std::to_string(object.width_in_bytes) +
                   " bytes";
        } else if constexpr (!requires { object.handle(); }) {
            return {};
        } else {
            return " " + hexadecimal(object.handle());
        }
    } catch (const Error& error) {
        return std::string(" (") + error.what() + ")";
    }
}

inline std::string describe(const TensorMap& map) {
    return " of " + map.text() + " at " + hexadecimal(map.start());
}

inline std::string describe(const Device& device) {
    return " " + std::to_string(device.handle()) + ": " + device.name();
}

}  // namespace pycuda::bindings
