#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cpu::state {

/// Whether it starts as machine code does: an ELF file.
/// Throws exec::LoadError with CUDA_ERROR_NO_BINARY_FOR_GPU, after it has said what can be done. No program shows the
/// log.
[[noreturn]] void refuse_machine_code();
bool is_machine_code(const void* image, std::size_t size);

/// The PTX text in what a program hands to the loader: text, or a fat binary that holds text. `size` 0: not known, as
/// with cuModuleLoadData; text then ends at its NUL. Throws CUDA_ERROR_NO_BINARY_FOR_GPU for machine code without
/// text and exec::LoadError, naming what it is, for what cannot be unpacked.
std::string ptx_of(const void* image, std::size_t size = 0);

}  // namespace cpu::state
