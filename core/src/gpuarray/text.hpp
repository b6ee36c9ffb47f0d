#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pycuda::gpuarray {

/// `text` with every $name$ replaced by its value. A name without a value is a bug in this library: std::logic_error.
std::string fill_in(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values);

/// Repeats `text` for each number from `first` up to, but not including, `end`; '#' stands for the number. Short loops
/// are written out this way, because the compiler would take long to unroll them.
std::string each(int first, int end, std::string_view text);

/// True for characters of C's identifiers and numbers.
bool is_word(char c);
/// The tokens of C code: identifiers, numbers, and other non-blank characters one by one.
std::vector<std::string> tokens_of(const std::string& text);

}  // namespace pycuda::gpuarray
