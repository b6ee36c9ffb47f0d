#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "files/ptx_array.hpp"
#include "files/ptx_image.hpp"

/// The files of tests/cpu/instructions: kernels of few instructions, each a name and a text below its data:
///
///     // block: 32                         threads, one block; default: as the first array has values for, and no
///                                          thread's result depends on its number or on the others
///     // in u32: 1 2 0xffffffff            one array in global memory, a value for each thread
///     // in f32*2: 0.5 -inf 0f7FFFFFFF 1   two values for each thread
///     // out f32: 0.5 nan                  one array that the kernel writes
///     // out f32 ~1e-6: 0.5                equal within that relative error
///     // shared: 128                       bytes of dynamic shared memory
///     // entry: .reqntid 32                directives of the entry
///     // tex ... and surf ...              textures and surfaces: ptx_image.hpp
///     name: add.u32 $0, $1, $2;            the text, of short_text.hpp; its further lines are indented
///
/// What a kernel does not give, it has in common with the kernel right above it; a blank line ends that.
///
/// Types: b8 b16 b32 b64, u8..u64, s8..s64, f32, f64. Floats are equal when their bits are; "nan" is any NaN; "a..b"
/// are all integers from a to b. Other lines are PTX of the module: what stands there before the kernels that use it,
/// and at the beginning the version, if it is not 8.4, and the target, if it is not sm_90.
///
/// The results $0, $1, ... are the arrays `out`, the operands after them the arrays `in`. The kernel's parameters are
/// in0, in1, ..., out0, ... and t0, ... (images). %i is the thread's number, %in0 and %out0 the address of its values,
/// %t0 a texture or surface. An array whose address the text names is loaded, or stored, by the text alone.
namespace ptx_file {

struct Kernel {
    std::string name;
    unsigned block = 0;
    unsigned shared = 0;
    std::string directives;
    bool value_a_thread = false;  ///< threads are independent: the file gives no block and no memory that they share
    std::vector<Array> in;
    std::vector<Array> out;
    std::vector<Image> images;
};

struct File {
    std::string text;  ///< the module
    std::vector<Kernel> kernels;
};

/// Throws std::runtime_error that names the line when a comment is malformed or a kernel has no data.
File read(const std::filesystem::path& path);

}  // namespace ptx_file
