#pragma once

#include <memory>

#include "pycuda/gpuarray/kernels.hpp"
#include "pycuda/memory_pool.hpp"

namespace pycuda::python::gpuarray {

/// What arrays use of a context.
struct Current {
    CUcontext handle = nullptr;  ///< null: nothing is remembered
    std::shared_ptr<pycuda::gpuarray::Kernels> kernels;
    std::shared_ptr<MemoryPool> pool;  ///< where arrays take their memory from
    std::shared_ptr<Context> kept;     ///< of a context that nobody else here holds: another library's
};

/// Of the current context, remembered from call to call; good until other Python code runs. LogicError when no context
/// is current.
const Current& current();

/// The kernels of the current context, to be kept. LogicError when no context is current.
inline std::shared_ptr<pycuda::gpuarray::Kernels> current_kernels() {
    return current().kernels;
}

}  // namespace pycuda::python::gpuarray
