#pragma once

#include <memory>

#include "pycuda/gpuarray/kernels.hpp"

namespace pycuda::python::gpuarray {

/// The kernels of the current context, remembered from call to call. LogicError when no context is current.
std::shared_ptr<pycuda::gpuarray::Kernels> current_kernels();

}  // namespace pycuda::python::gpuarray
