#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cpu::state {

/// Writes advice to stderr, because programs rarely show the log, and throws exec::LoadError with
/// CUDA_ERROR_NO_BINARY_FOR_GPU.
[[noreturn]] void refuse_machine_code();
/// True if it starts like machine code: an ELF file.
bool is_machine_code(const void* image, std::size_t size);

/// The PTX text in what a program passes to the loader: text, or a fat binary that contains text. `size` 0: unknown, as
/// with cuModuleLoadData; then text ends at its NUL. Throws CUDA_ERROR_NO_BINARY_FOR_GPU for machine code without text,
/// and an exec::LoadError that names the format for data that cannot be unpacked.
std::string ptx_of(const void* image, std::size_t size = 0);

/// The bytes of a file that a program names instead. Throws CUDA_ERROR_FILE_NOT_FOUND, and CUDA_ERROR_INVALID_IMAGE if
/// it is empty.
std::string read_binary(const char* path);

}  // namespace cpu::state
