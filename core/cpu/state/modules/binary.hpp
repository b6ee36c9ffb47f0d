#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cpu::state {

/// Writes advice to stderr, as programs do not show the log, and throws exec::LoadError with
/// CUDA_ERROR_NO_BINARY_FOR_GPU.
[[noreturn]] void refuse_machine_code();
/// Whether it starts as machine code does: an ELF file.
bool is_machine_code(const void* image, std::size_t size);

/// The PTX text in what a program hands to the loader: text, or a fat binary that holds text. `size` 0: not known, as
/// with cuModuleLoadData; text then ends at its NUL. Throws CUDA_ERROR_NO_BINARY_FOR_GPU for machine code without
/// text and exec::LoadError, naming what it is, for what cannot be unpacked.
std::string ptx_of(const void* image, std::size_t size = 0);

}  // namespace cpu::state
