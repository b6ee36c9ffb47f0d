#pragma once

#include <cxxabi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "pycuda/devices/device.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/kernels/tensor_map.hpp"
#include "pycuda/launching/kernel_args.hpp"

/// Texts that describe wrapped objects: both languages print them after the name of the class.
namespace pycuda::bindings {

inline std::string hexadecimal(std::uint64_t number) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
    return text;
}

inline std::string hexadecimal(const void* address) {
    return hexadecimal(reinterpret_cast<std::uintptr_t>(address));
}

/// " 'scale(float*, float, int)'", as in the source. For extern "C" kernels, whose names contain no types, the sizes:
/// " 'scale' with parameters of 8, 4 and 4 bytes". Only the name if the driver does not report the parameters.
inline std::string describe_kernel(const std::string& name, const ParameterLayout& layout) {
    if (name.starts_with("_Z")) {
        int status = 0;
        char* const plain = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
        if (status == 0) {
            const std::string text = " '" + std::string(plain) + "'";
            std::free(plain);
            return text;
        }
    }
    std::string text = " '" + name + "'";
    if (!layout.known) return text;
    const std::size_t count = layout.parameters.size();
    if (count == 0) return text + " without parameters";
    text += count == 1 ? " with a parameter of " : " with parameters of ";
    for (std::size_t i = 0; i < count; ++i)
        text += (i == 0 ? "" : i + 1 == count ? " and " : ", ") + std::to_string(layout.parameters[i].size);
    return text + " bytes";
}

/// " 0x7f0012345678", " of 64 bytes at 0x7f0012345678" or " 'scale'"; if the object is unusable, the reason in
/// brackets. Calls no driver function, and never fails because of the object's state.
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
        } else if constexpr (requires { object.layout(), object.name(); }) {
            return describe_kernel(object.name(), object.layout());
        } else if constexpr (requires { object.library(), object.name(); }) {
            return describe_kernel(object.name(), {});
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
