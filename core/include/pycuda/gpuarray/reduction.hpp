#pragma once

#include <cuda.h>

#include <cstdint>
#include <span>
#include <string>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

/// The reductions (reductions.def).
enum class Reduction : std::uint8_t {
#define X(name, ...) name,
#include "pycuda/gpuarray/reductions.def"
#undef X
};

inline constexpr int reduction_count = 0
#define X(...) +1
#include "pycuda/gpuarray/reductions.def"
#undef X
    ;
template <>
inline constexpr unsigned values_of<Reduction> = reduction_count;

/// std::invalid_argument if there is no reduction of that name.
Reduction reduction_of_name(const char* name);

/// The result type unless the caller requests another: bool for any and all, int64 for indices and counts, float64 for
/// the mean of integers and their deviations; else the common type of the operands, without widening (PyCUDA's rule;
/// NumPy widens small integers). ArgumentTypeError for types that the reduction is not defined for (structures; min,
/// max, argmin, argmax and deviations of complex numbers).
DType result_type(Reduction op, std::span<const DType> operands);

/// Reduce `inputs` (broadcast together; all of one shape in the usual case) over the axes in `axes`, a bit mask of
/// axis numbers of their common shape (all bits: the whole array), asynchronously on `stream`: one launch, or two for
/// large inputs, with scratch memory from the context's pool. The result stays on the device.
///
/// `out` has one axis for each kept axis, in order, any strides, and any numeric dtype to which the result's type
/// converts; argmin and argmax give flat C indices within the reduced axes, int64 or another integer type. Empty
/// reductions give the neutral element: 0, 1, the ends of the range, and -1 for indices. The order of summation
/// depends only on shape and strides, so results are reproducible on every device.
///
/// Raises what result_type raises; std::invalid_argument for shapes that do not fit and memory that is not aligned.
void reduce(Kernels& kernels, Reduction op, const ArrayRef& out, std::span<const ArrayRef> inputs, std::uint32_t axes,
            CUstream stream);
inline constexpr std::uint32_t all_axes = 0xffffffff;

/// C text of the least or greatest value of a real type: the neutral element of its maximum or minimum. Infinities for
/// floating types.
std::string lowest_value(DType dtype);
std::string highest_value(DType dtype);

}  // namespace pycuda::gpuarray
