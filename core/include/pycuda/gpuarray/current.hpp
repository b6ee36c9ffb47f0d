#pragma once

#include <cuda.h>

#include <memory>

#include "pycuda/gpuarray/kernels.hpp"
#include "pycuda/pools/memory_pool.hpp"

namespace pycuda {
class Stream;
}

namespace pycuda::gpuarray {

/// The state of a context that arrays use.
struct Current {
    CUcontext handle = nullptr;  ///< null: nothing is remembered
    std::shared_ptr<Kernels> kernels;
    std::shared_ptr<MemoryPool> pool;  ///< the arrays' memory
    std::shared_ptr<Context> kept;     ///< keeps another library's context object alive; null for ours
    CUstream stream = nullptr;         ///< of operations without an explicit stream
};

/// State of the current context, cached per thread: a lookup takes a tenth of a launch. Valid until this thread calls
/// again with another context current; copy values before running user code. LogicError if no
/// context is current.
const Current& current();

/// A reference to the kernels of the current context. LogicError if no context is current.
inline std::shared_ptr<Kernels> current_kernels() {
    return current().kernels;
}

/// LogicError where kernels of the current context cannot use memory at `address`, which belongs to `owner`.
void require_access(const Context& owner, std::uint64_t address);

/// Make `stream` the default of this thread's operations in its context, and of their memory, until
/// end_stream_use. Calls may be nested. While the stream is captured, memory comes from the graph's pool.
/// A closed stream is destroyed only afterwards. It first follows the one in use (follow_stream_in_use). If that is
/// captured, it joins the capture, and the one in use before waits for it at the end. `owner`, which may be null, keeps
/// the stream.
void begin_stream_use(const Stream& stream, std::shared_ptr<void> owner = nullptr);
/// Ends the innermost use of this thread. LogicError if there is none.
void end_stream_use();
/// Ends the innermost use with this owner, of this thread or else of another: a block of code may be left on another
/// thread than it was entered on. LogicError if there is none.
void end_stream_use(const void* owner);
/// The owner of the innermost use in the current context; null if there is none.
std::shared_ptr<void> owner_of_stream_in_use();
/// Order work that is queued on `stream` from now on after that of this thread's operations up to now, in the stream's
/// context if that is current. No-op in a capture of either stream, whose work cannot wait for other work.
void follow_stream_in_use(const Stream& stream);
/// The stream of the innermost use in the current context; null, the default stream, if there is none.
CUstream stream_in_use();

}  // namespace pycuda::gpuarray
