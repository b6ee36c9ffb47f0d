#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace cpu::state {

/// The two compression formats of fat binaries. Both functions throw exec::LoadError for damaged data; the result has
/// exactly `unpacked_size` bytes.
std::string unpack_lz4(std::span<const std::byte> packed, std::size_t unpacked_size);
/// Uses the system's libzstd; throws an exec::LoadError (CUDA_ERROR_NOT_SUPPORTED) that names it if it is missing.
std::string unpack_zstd(std::span<const std::byte> packed, std::size_t unpacked_size);

}  // namespace cpu::state
