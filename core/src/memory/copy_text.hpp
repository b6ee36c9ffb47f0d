#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace pycuda {

/// How many bytes the memory at an address has from there on; nothing if the driver does not know it.
std::optional<std::size_t> room_at(std::uint64_t address);

/// ", which has 32 bytes from there on"; empty if the driver does not know it.
std::string room_text(std::uint64_t address);

/// "64 bytes from 0x7f… to 0x7f…, which has 32 bytes from there on": a copy that failed with `result`, for messages.
std::string text_of_copy(CUresult result, std::uint64_t dest, std::uint64_t src, std::size_t nbytes);

}  // namespace pycuda
