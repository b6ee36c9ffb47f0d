// What the calls of Java's arrays get of Java: arrays and streams, by the addresses of their C++ objects.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "array_calls.hpp"
#include "pycuda/gpuarray/array.hpp"
#include "pycuda/stream.hpp"

namespace pycuda_java {

inline const pycuda::gpuarray::Array& at(ArrayHandle handle) {
    return *reinterpret_cast<const pycuda::gpuarray::Array*>(handle);
}

/// Java deletes it.
inline ArrayHandle give(std::unique_ptr<pycuda::gpuarray::Array> array) {
    return reinterpret_cast<ArrayHandle>(array.release());
}
inline ArrayHandle give(pycuda::gpuarray::Array array) {
    return reinterpret_cast<ArrayHandle>(new pycuda::gpuarray::Array(std::move(array)));
}

/// For the call in whose arguments it stands.
inline auto stream_of(std::uint64_t stream) {
    return pycuda::use_of(reinterpret_cast<const pycuda::Stream*>(stream));
}

}  // namespace pycuda_java
