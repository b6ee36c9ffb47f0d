#pragma once

#include <string>

namespace pycuda {

/// A source without attributes behind the closing brace of a type, as in `typedef struct { ... } __align__(16) pair;`,
/// possibly through a macro that the source defines. nvcc, with GCC, applies such an attribute to the type. NVRTC
/// silently applies it only to the name, which changes the size of the type and the layout of arrays.
struct LeadingAlignments {
    /// Each of them is behind `struct`, where both compilers apply it to the type. Lines keep their numbers.
    std::string source;
    /// False if one is left, because the type's head was not found.
    bool complete = true;
};
LeadingAlignments with_leading_alignments(const std::string& source);

}  // namespace pycuda
