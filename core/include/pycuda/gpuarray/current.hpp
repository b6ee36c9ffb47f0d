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
};

/// State of the current context, cached per thread: a lookup takes a tenth of a launch. Valid until this thread calls
/// again with another context current; copy what you need before running user code. LogicError when no context is
/// current.
const Current& current();

/// The kernels of the current context, to be kept. LogicError when no context is current.
inline std::shared_ptr<Kernels> current_kernels() {
    return current().kernels;
}

}  // namespace pycuda::gpuarray
