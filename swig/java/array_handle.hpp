// What the calls of Java's arrays get of Java: arrays and streams as numbers.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <utility>

#include "array_calls.hpp"
#include "pycuda/gpuarray/array.hpp"

namespace pycuda_java {

inline const pycuda::gpuarray::Array& at(ArrayHandle handle) {
    return *reinterpret_cast<const pycuda::gpuarray::Array*>(handle);
}

/// Java deletes it.
inline ArrayHandle give(pycuda::gpuarray::Array array) {
    return reinterpret_cast<ArrayHandle>(new pycuda::gpuarray::Array(std::move(array)));
}

inline CUstream stream_of(std::uint64_t handle) {
    return reinterpret_cast<CUstream>(handle);
}

}  // namespace pycuda_java
