#pragma once

#include <cuda.h>

#include "pycuda/arrays/memcpy_nd.hpp"

namespace pycuda {

class Stream;

/// A capture's graph keeps the memory of both ends alive, even if the program frees it; it cannot keep pageable memory.
void note_in_captures(CUstream stream, const CopyEnd& src, const CopyEnd& dst);

/// Keeps the owners of both ends until the stream has passed the copy that was just queued.
void keep_until_done(const Stream& stream, CUstream in_use, const CopyEnd& src, const CopyEnd& dst);

}  // namespace pycuda
