#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// The number of traces in this process. Hot paths check only this. A relaxed load suffices: an array is
/// only traced on the thread that opened the trace.
inline std::atomic<int> open_traces{0};
inline bool any_trace_is_open() noexcept {
    return open_traces.load(std::memory_order_relaxed) != 0;
}

// The traces, in fusing/, implement the rest.

/// True for an argument of a trace, and what results from it.
bool is_traced(const Array& array) noexcept;
bool is_traced(const DeviceMemory* memory) noexcept;

/// Record an operation, if an operand is traced; else null. CannotFuse if others are not, or if the trace is over;
/// what plan() raises.
std::unique_ptr<Array> try_record(Op op, std::span<const Operand> operands, ResultType type);
/// The same for a reduction to elements of `dtype` with this layout.
std::unique_ptr<Array> try_record(Reduction op, std::span<const Array* const> inputs, std::uint32_t axes, DType dtype,
                                  const Layout& layout);
/// The same for converted().
std::unique_ptr<Array> try_record_copy(const Array& array, DType dtype, const Layout& layout);

}  // namespace pycuda::gpuarray
