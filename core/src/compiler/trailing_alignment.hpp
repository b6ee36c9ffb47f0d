#pragma once

#include <string>

namespace pycuda {

/// True if an attribute follows the closing brace of a type, as in `typedef struct { ... } __align__(16) pair;`,
/// possibly through a macro that the source defines. nvcc, with GCC, applies it to the type. NVRTC silently applies it
/// only to the name, which changes the size of the type and the layout of arrays.
bool has_trailing_alignment(const std::string& source);

}  // namespace pycuda
