#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

/// Tracks which bytes of device memory have been written, for PYCUDA_CPU_CHECK=init; a no-op without that check.
/// Untracked memory (host and managed memory, variables of modules, parameters) counts as written. Thread-safe.
namespace cpu::exec::written_bytes {

/// New memory, none of which is written.
void track(std::uintptr_t base, std::size_t size);
/// The memory was freed, or other processes may write to it from now on.
void forget(std::uintptr_t base);

void set(std::uintptr_t at, std::size_t size);
/// Copied bytes count as written where their source does.
void copy(std::uintptr_t to, std::uintptr_t from, std::size_t size);

/// The first byte that was never written.
std::optional<std::uintptr_t> first_unwritten(std::uintptr_t at, std::size_t size);

}  // namespace cpu::exec::written_bytes
