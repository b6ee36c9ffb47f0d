#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// The `.ptx` files of tests/cpu/ptx: kernels of one instruction each, with data in the comments above each entry:
///
///     // block: 32                         threads, one block; default: the values of the first array
///     // in u32: 1 2 0xffffffff            one array in global memory, a kernel parameter
///     // out f32: 0.5 -inf 0f7FFFFFFF      one array that the kernel writes, the parameters after those
///     // out f32 ~1e-6: 0.5                equal within that relative error
///     // shared: 128                       bytes of dynamic shared memory
///     .visible .entry name(...)
///
/// Types: b8 b16 b32 b64, u8..u64, s8..s64, f32, f64. Floats are equal when their bits are; "nan" is any NaN.
namespace ptx_file {

struct Array {
    std::string type;
    std::size_t element_bytes = 0;
    double tolerance = 0;
    std::vector<std::byte> bytes;
    std::vector<bool> any_nan;  ///< elements that were written "nan"

    std::size_t count() const noexcept { return bytes.size() / element_bytes; }
};

struct Kernel {
    std::string name;
    unsigned block = 0;
    unsigned shared = 0;
    std::vector<Array> in;
    std::vector<Array> out;
};

struct File {
    std::string text;
    std::vector<Kernel> kernels;
};

/// Throws std::runtime_error that names the line when a comment is malformed or an entry has no data.
File read(const std::filesystem::path& path);

/// "" when `got` holds the expected values, else the first element that differs.
std::string difference(const Array& expected, const std::vector<std::byte>& got);

}  // namespace ptx_file
