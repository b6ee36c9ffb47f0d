#pragma once

#include <cuda.h>

#include <string>
#include <vector>

#include "pycuda/kernels/tensor_map.hpp"

namespace pycuda {

/// A layout in the driver's order: the axis whose elements are adjacent comes first. Requirements of cuda.h are
/// checked; std::invalid_argument says what was expected, what was given, and what to do.
struct DriverLayout {
    explicit DriverLayout(const TensorLayout& tensor);

    /// A number for each axis, within [least, most], first axis first.
    template <class Number>
    std::vector<Number> numbers(const char* what, const std::vector<std::int64_t>& given, std::size_t count,
                                std::int64_t min, std::int64_t max) const;
    /// The number of adjacent elements per copy, limited by swizzle and dtype. `what`: their name.
    void check_inner(const char* what, std::int64_t elements) const;
    void check_tile(const std::vector<std::int64_t>& box) const;
    void check_pixels(std::int64_t channels, std::int64_t pixels) const;
    void check_wide() const;

    const TensorLayout& tensor;
    cuuint32_t rank;
    std::vector<cuuint64_t> sizes, strides;
    std::vector<cuuint32_t> steps;
    /// The possible reason if the driver rejects a layout that follows all rules; may be empty.
    std::string doubt;

private:
    void check_kind() const;
    void set_strides();
};

/// The required alignment of addresses, in bytes.
std::uint64_t tensor_alignment(const TensorLayout& tensor);
/// Raises if `address` is not aligned to it.
void check_tensor_address(DevicePtr address, std::uint64_t alignment);
/// "(8, 16)"
std::string axes_text(const std::vector<std::int64_t>& numbers);
/// "float32"
std::string element_text(TensorMapDataType dtype);

}  // namespace pycuda
