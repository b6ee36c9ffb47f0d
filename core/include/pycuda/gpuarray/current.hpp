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
    std::shared_ptr<Context> kept;     ///< of a context that nobody else here holds: another library's
};

/// Of the current context, remembered by each thread from call to call: looking it up takes a tenth of a launch. Good
/// until this thread asks again with another context current; whoever runs other people's code in between copies what
/// is needed. LogicError when no context is current.
const Current& current();

/// The kernels of the current context, to be kept. LogicError when no context is current.
inline std::shared_ptr<Kernels> current_kernels() {
    return current().kernels;
}

}  // namespace pycuda::gpuarray
