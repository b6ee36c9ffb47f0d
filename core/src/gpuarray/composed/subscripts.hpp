// The subscripts of an Einstein sum.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pycuda::gpuarray {

/// A label for each axis: a letter's code, or for the axes of an ellipsis a negative number, -1 for the last one.
using Labels = std::vector<int>;

struct Subscripts {
    std::vector<Labels> inputs;
    Labels output;
};

/// Read "ij,jk->ik" for operands with these numbers of axes; blanks are ignored. Without "->", the output has the axes
/// of ellipses, then the letters that occur once, in alphabetical order. std::invalid_argument if that is impossible.
Subscripts read_subscripts(std::string_view text, std::span<const int> axes);

/// For messages.
std::string text_of_label(int label);

}  // namespace pycuda::gpuarray
