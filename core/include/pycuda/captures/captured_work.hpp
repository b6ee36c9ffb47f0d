#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "pycuda/driver/open_captures.hpp"

namespace pycuda {

/// The streams that are known to take part in captures. Valid while the caller holds captures_begin_and_end() shared.
std::vector<CUstream> captured_streams();

/// Held exclusively while a capture begins or ends, both in the driver and in the table of open captures, so that the
/// two agree.
std::shared_mutex& captures_begin_and_end() noexcept;

/// True if `stream` takes part in a capture that this library began.
bool is_captured(CUstream stream);

/// If `stream` is captured, its graph keeps the object; otherwise false.
bool keep_in_graph(CUstream stream, const std::shared_ptr<void>& object);

/// Record that work on `stream` will use the memory that begins at `address`: if the work becomes part of a graph, the
/// graph keeps that memory. For callers for which any_capture_is_open() is true.
void note_memory_of_graph(CUstream stream, std::uint64_t address);

/// The same for host memory, which may begin before `memory`.
void note_host_memory_of_graph(CUstream stream, const void* memory);

/// The same for memory that this library does not free: the graph keeps what `keep` returns, which owns the memory.
/// `keep` is called if there is a graph that does not have that object yet. `object` identifies it for as long as it
/// lives; null: it is kept each time.
void note_owner_of_graph(CUstream stream, const void* object, const std::function<std::shared_ptr<void>()>& keep);

}  // namespace pycuda
