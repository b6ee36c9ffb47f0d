#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace pycuda::gpuarray {

/// `text` with every $name$ replaced by its value. A name without a value is a mistake of the engine: std::logic_error.
std::string fill_in(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values);

/// `text` for each number from `first` up to before `end`, which stands for '#' in it. Loops of few steps are written
/// out this way: the compiler takes longer to unroll them than for what comes of it.
std::string each(int first, int end, std::string_view text);

}  // namespace pycuda::gpuarray
