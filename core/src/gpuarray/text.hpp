#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace pycuda::gpuarray {

/// `text` with every $name$ replaced by its value. A name without a value is a mistake of the engine: std::logic_error.
std::string fill_in(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values);

}  // namespace pycuda::gpuarray
