#pragma once

#include <string>

namespace pycuda {

/// Whether an attribute stands behind the closing brace of a type: `typedef struct { ... } __align__(16) pair;`, also
/// by a macro that the source defines. It is the type's for nvcc, with GCC. NVRTC gives it to the name alone, without a
/// word: the size of the type, and so the layout of arrays, is another.
bool has_trailing_alignment(const std::string& source);

}  // namespace pycuda
