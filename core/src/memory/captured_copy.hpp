#pragma once

#include <cuda.h>

#include <cstddef>

namespace pycuda {

/// Throws LogicError if `stream` is being captured and `call` copies pageable host memory: nothing would keep that
/// memory for the graph.
void require_page_locked_if_captured(CUstream stream, const char* call, const void* memory, std::size_t nbytes);

}  // namespace pycuda
