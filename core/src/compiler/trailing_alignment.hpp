#pragma once

#include <string>

namespace pycuda {

/// Whether an attribute stands behind the closing brace of a type: `typedef struct { ... } __align__(16) pair;`, also
/// by a macro that the source defines. nvcc, with GCC, applies it to the type. NVRTC silently applies it to the name
/// alone, which changes the size of the type and the layout of arrays.
bool has_trailing_alignment(const std::string& source);

}  // namespace pycuda
