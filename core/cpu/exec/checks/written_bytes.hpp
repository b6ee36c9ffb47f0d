#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

/// Which bytes of device memory something has written, for PYCUDA_CPU_CHECK=init. Nothing is kept, and nothing done,
/// without that check. Memory that is not tracked (the host's, managed, variables of modules, parameters) counts as
/// written. Safe between threads.
namespace cpu::exec::written_bytes {

/// New memory: nothing of it is written.
void track(std::uintptr_t base, std::size_t size);
/// It was freed, or others than this process may write to it from now on.
void forget(std::uintptr_t base);

void set(std::uintptr_t at, std::size_t size);
/// What was copied is as much written as its source.
void copy(std::uintptr_t to, std::uintptr_t from, std::size_t size);

/// The first byte that nothing wrote.
std::optional<std::uintptr_t> first_unwritten(std::uintptr_t at, std::size_t size);

}  // namespace cpu::exec::written_bytes
