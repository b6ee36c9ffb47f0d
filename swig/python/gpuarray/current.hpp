#pragma once

#include <memory>

#include "pycuda/gpuarray/kernels.hpp"
#include "pycuda/memory_pool.hpp"

namespace pycuda::python::gpuarray {

/// The kernels of the current context, remembered from call to call. LogicError when no context is current.
std::shared_ptr<pycuda::gpuarray::Kernels> current_kernels();

/// The pool that arrays of the current context take their memory from. LogicError when no context is current.
std::shared_ptr<MemoryPool> current_pool();

}  // namespace pycuda::python::gpuarray
