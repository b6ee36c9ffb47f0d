#pragma once

#include <cuda.h>

#include <optional>
#include <span>
#include <vector>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

// Indices that contain arrays, by NumPy's rules. Arrays of any layout and type; asynchronous on `stream`,
// except with masks, which wait for it. std::out_of_range for parts that do not fit the array, ArgumentTypeError for
// indices that are not integers. Negative indices count from the end; those out of bounds are clamped.

/// One part of such an index.
struct GatherPart {
    IndexPart basic;             ///< if there is no array
    std::optional<Array> array;  ///< integers or, for a mask, true for elements of as many axes as it has
    bool is_mask = false;
};

/// The parts as languages pass them: five numbers each, which are a kind (IndexPart's; 4: the next of the arrays, which
/// are integers; 5: the next one, a mask), 1 with a start plus 2 with a stop, the start or index, the stop, the step.
std::vector<GatherPart> gather_parts(std::span<const long long> numbers, std::span<const Array> arrays);

/// The flat indices of the elements in C order (int64), in the shape of the result.
Array flat_indices(Array array, std::span<const GatherPart> parts, CUstream stream);
/// A copy of the elements.
Array elements_at(Array array, std::span<const GatherPart> parts, CUstream stream);
/// Set the elements to values, which are converted and broadcast. std::invalid_argument if their shape does not fit.
/// With duplicate indices, which value wins is unspecified.
void put_at(Array out, std::span<const GatherPart> parts, Array values, CUstream stream);

}  // namespace pycuda::gpuarray
