#pragma once

#include <cuda.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "pycuda/driver/failures.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda::python {

/// Classes that have nothing to do with the driver: the compiler's, and what describes the driver.
inline bool is_of_no_driver(std::string_view name) noexcept {
    constexpr std::string_view others[] = {"Toolkit", "Report", "CacheEntryInfo", "_DriverInfo"};
    return name.starts_with("Compile") || std::ranges::find(others, name) != std::end(others);
}

/// The class of a method that a %extend added, "Class_method"; empty for a function.
inline std::string_view class_in(std::string_view function) noexcept {
    const std::size_t begin = function.starts_with('_');
    const bool has_class = begin < function.size() && function[begin] >= 'A' && function[begin] <= 'Z';
    return has_class ? function.substr(0, function.find('_', begin)) : std::string_view();
}

/// Whether to run a wrapped function, with the name of its class if it is a method. In a forked child, false for
/// destructors of the parent's objects, and LogicError for their methods: threads of the parent may hold their locks.
/// Functions call the driver, which refuses them.
inline bool may_call(std::string_view function, std::string_view owner) {
    if (!is_forked_child()) [[likely]]
        return true;
    if (owner.empty()) owner = class_in(function);
    if (owner.empty() || is_of_no_driver(owner) || function.ends_with("__repr__")) return true;
    if (function.starts_with("delete_")) return false;
    pycuda::raise(function.data(), CUDA_ERROR_NOT_INITIALIZED);
}

}  // namespace pycuda::python
