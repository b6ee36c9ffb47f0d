#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "files/ptx_array.hpp"
#include "files/ptx_image.hpp"

/// The `.ptx` files of tests/cpu/instructions: kernels of one instruction each, with data in the comments above each
/// entry:
///
///     // block: 32                         threads, one block; default: the values of the first array, and no thread's
///                                           result depends on its number or on the others
///     // in u32: 1 2 0xffffffff            one array in global memory, a kernel parameter
///     // out f32: 0.5 -inf 0f7FFFFFFF      one array that the kernel writes, the parameters after those
///     // out f32 ~1e-6: 0.5                equal within that relative error
///     // shared: 128                       bytes of dynamic shared memory
///     // tex ... and surf ...              textures and surfaces, the parameters after those: ptx_image.hpp
///     .visible .entry name(...)
///
/// Types: b8 b16 b32 b64, u8..u64, s8..s64, f32, f64. Floats are equal when their bits are; "nan" is any NaN; "a..b"
/// are all integers from a to b.
namespace ptx_file {

struct Kernel {
    std::string name;
    unsigned block = 0;
    unsigned shared = 0;
    bool value_a_thread = false;  ///< threads are independent: the file gives no block and no memory that they share
    std::vector<Array> in;
    std::vector<Array> out;
    std::vector<Image> images;
};

struct File {
    std::string text;
    std::vector<Kernel> kernels;
};

/// Throws std::runtime_error that names the line when a comment is malformed or an entry has no data.
File read(const std::filesystem::path& path);

}  // namespace ptx_file
