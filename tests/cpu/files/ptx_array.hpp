#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

namespace ptx_file {

/// Values of one type in a comment of a file of instructions.
struct Array {
    std::string type;
    std::size_t width = 1;  ///< values of each thread
    std::size_t element_bytes = 1;
    double tolerance = 0;
    std::vector<std::byte> bytes;
    std::vector<bool> any_nan;  ///< elements that were written "nan"

    std::size_t count() const noexcept { return bytes.size() / element_bytes; }
};

/// Reads the values up to the end of `words`; the type's word ends in ':', or a tolerance follows. Throws
/// std::runtime_error.
Array read_array(std::istringstream& words, std::string type_and_colon);

/// Empty when `got` holds the expected values, otherwise the first element that differs.
std::string difference(const Array& expected, const std::vector<std::byte>& got);

}  // namespace ptx_file
