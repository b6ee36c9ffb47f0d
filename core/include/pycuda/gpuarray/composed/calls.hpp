#pragma once

#include <cuda.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// Functions on arrays by name, so that a language binds all of them at once. Outputs are the first arguments.
struct ArrayCall {
    using Arrays = std::span<const Array>;
    using Numbers = std::span<const long long>;  ///< floating-point numbers as their bits
    static constexpr int any_number = -1;

    std::string_view name;
    int arrays, numbers;
    /// Nothing, an array, or several.
    std::vector<Array> (*run)(Arrays a, Numbers n, CUstream stream);

    bool takes(std::size_t array_count, std::size_t number_count) const {
        return (arrays == any_number || array_count == static_cast<std::size_t>(arrays)) &&
               (numbers == any_number || number_count == static_cast<std::size_t>(numbers));
    }
};

/// All of them, in the order of their names, which are unique.
std::span<const ArrayCall> array_calls() noexcept;
/// Null if there is none of this name.
const ArrayCall* find_array_call(std::string_view name) noexcept;

}  // namespace pycuda::gpuarray
