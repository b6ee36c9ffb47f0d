#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>

namespace cpu::state {

/// cuInit, once a process. In a child of fork() every call fails as with the real driver: the workers are gone.
void initialize(unsigned flags);
bool is_initialized() noexcept;

/// An environment variable, or "" when unset.
std::string environment(const char* name);
/// A byte count such as 1073741824, 512M or 2G. Throws std::invalid_argument for anything else.
std::size_t parse_bytes(const std::string& text);

/// Processors this process may use; at least 1.
unsigned processor_count() noexcept;
/// Memory this machine, or the control group of this process, may use.
std::size_t physical_memory() noexcept;
/// The widest instruction set the executor can use here: "AVX-512", "AVX2", "SSE2", ...
const char* instruction_set() noexcept;

}  // namespace cpu::state
