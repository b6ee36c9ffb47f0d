#pragma once

#include <cuda.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace cpu::state {

/// cuInit, once a process. In a child of fork() every call fails, as in the real driver: the worker threads do not
/// exist there.
void initialize(unsigned flags);
bool is_initialized() noexcept;
/// True in a child that was forked after initialize: it leaves the parent's objects alone, because threads that exist
/// only there may hold their locks.
bool is_forked_child() noexcept;

/// A byte count such as 1073741824, 512M or 2GiB; nullopt for anything else.
std::optional<std::size_t> parse_bytes(std::string_view text);

/// The widest instruction set that the executor can use here: "AVX-512", "AVX2", "SSE2", ...
const char* instruction_set() noexcept;

}  // namespace cpu::state
