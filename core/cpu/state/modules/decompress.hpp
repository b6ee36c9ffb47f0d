#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace cpu::state {

/// The two compressions of fat binaries. Both throw exec::LoadError for damaged data; the result has exactly
/// `unpacked_size` bytes.
std::string unpack_lz4(std::span<const std::byte> packed, std::size_t unpacked_size);
/// Through the system's libzstd; throws exec::LoadError (CUDA_ERROR_NOT_SUPPORTED), naming it, when there is none.
std::string unpack_zstd(std::span<const std::byte> packed, std::size_t unpacked_size);

}  // namespace cpu::state
