#pragma once

#include <cuda.h>

#include <cstdint>
#include <span>
#include <vector>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// The values of the new elements of a padded array, by the modes of NumPy's pad.
enum class Padding : std::uint8_t {
    Constant,    ///< numbers
    Empty,       ///< not initialised
    LinearRamp,  ///< from a number at the border to the array's edge
    Maximum,     ///< of the elements next to the padding; NaN if there is one
    Mean,
    Median,
    Minimum,
    Edge,       ///< the array's edge
    Reflect,    ///< the array mirrored at its edge, which is not repeated
    Symmetric,  ///< the array mirrored, with its edge repeated
    Wrap,       ///< the array repeated
};

/// How to pad: each list has one element for all sides, two for the sides before and after every axis, or two for each
/// axis.
struct PaddingRule {
    Padding mode;
    std::vector<std::int64_t> widths;  ///< new elements
    std::vector<Scalar> numbers;       ///< of Constant, and at the border for LinearRamp
    std::vector<Array> values;         ///< of Constant instead, for structures: they are broadcast
    std::vector<std::int64_t> counts;  ///< how many elements a statistic includes; none, or more than there are: all

    /// As languages pass it: the mode, the number of widths, the widths, and for each number of a Constant or
    /// LinearRamp its kind (0: an integer, 1: real, 2: complex, 3: unsigned) and two words, or the counts of a
    /// statistic.
    PaddingRule(std::span<const long long> given, std::span<const Array> values, DType dtype);
};

/// A new array, extended at both ends of each axis, one axis after the other. Asynchronous on `stream`.
/// std::invalid_argument for negative widths, lists that do not fit the axes, numbers that the type cannot hold, and an
/// axis without elements that others should be computed from.
Array pad(Array array, const PaddingRule& rule, CUstream stream);

}  // namespace pycuda::gpuarray
