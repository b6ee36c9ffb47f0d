#pragma once

#include <optional>
#include <string>

#include "pycuda/gpuarray/own/kernel_text.hpp"

namespace pycuda::gpuarray {

/// The loop of an elementwise kernel whose threads take packs of 16 adjacent bytes, and what stands before the kernel.
struct VectorLoop {
    std::string types;
    std::string loop;
};

/// Empty if the code might do anything else than compute elements of vectors, which it uses as x[i] only, from others
/// at the same index: if it has conditions, its own index, declarations of the program, or characters that are not of
/// plain arithmetic.
std::optional<VectorLoop> vector_loop(const ElementwiseText& text);

}  // namespace pycuda::gpuarray
