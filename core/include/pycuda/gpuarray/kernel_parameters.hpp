#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pycuda/gpuarray/dtype.hpp"

namespace pycuda::gpuarray {

/// One parameter of a user's kernel.
struct KernelParameterText {
    std::string type;  ///< C type of the value or of the elements, with single blanks: "unsigned int"
    std::string name;
    bool is_vector = false;

    /// "float *x" or "float x".
    std::string declarator() const { return type + (is_vector ? " *" : " ") + name; }
};

/// One C parameter declaration ("const float *x", "float x[]", "unsigned n"): const, volatile, restrict, __restrict__
/// are dropped. std::invalid_argument, which quotes the text, if it is not one.
KernelParameterText parse_parameter(const std::string& declaration);
/// A comma separated list of them; commas within <> and () do not count. Empty text gives none.
std::vector<KernelParameterText> parse_parameters(const std::string& list);

/// The element type of a C name in any of its usual spellings ("unsigned int", "int
/// unsigned"); empty for other names.
std::optional<DType> dtype_of_c_name(const std::string& name);

}  // namespace pycuda::gpuarray
