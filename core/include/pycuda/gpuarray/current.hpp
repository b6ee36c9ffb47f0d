#pragma once

#include <cuda.h>

#include <memory>

#include "pycuda/gpuarray/kernels.hpp"
#include "pycuda/memory_pool.hpp"

namespace pycuda::gpuarray {

/// What arrays use of a context.
struct Current {
    CUcontext handle = nullptr;  ///< null: nothing is remembered
    std::shared_ptr<Kernels> kernels;
    std::shared_ptr<MemoryPool> pool;  ///< where arrays take their memory from
    std::shared_ptr<Context> kept;     ///< keeps another library's context object alive; null for ours
    CUstream stream = nullptr;         ///< where operations go that are not told
};

/// State of the current context, cached per thread: a lookup takes a tenth of a launch. Valid until this thread calls
/// again with another context current; copy what you need before running user code. LogicError when no context is
/// current.
const Current& current();

/// The kernels of the current context, to be kept. LogicError when no context is current.
inline std::shared_ptr<Kernels> current_kernels() {
    return current().kernels;
}

/// LogicError where kernels of the current context cannot use memory at `address`, which belongs to `owner`.
void require_access(const Context& owner, std::uint64_t address);

/// From here on `stream` is where this thread's operations in its context go that are not told, and what their memory
/// is meant for; where it is being captured, that is the graph's. Until end_stream_use; calls may be nested. The stream
/// is not destroyed meanwhile, if it is closed.
void begin_stream_use(const Stream& stream);
/// LogicError when none began on this thread.
void end_stream_use();
/// The stream of the innermost use in the current context; null, the default stream, where there is none.
CUstream stream_in_use();

}  // namespace pycuda::gpuarray
