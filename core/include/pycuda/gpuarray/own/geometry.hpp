#pragma once

#include <cstdint>

namespace pycuda::gpuarray {

/// A launch of one dimension.
struct Geometry {
    unsigned blocks, threads;
};

/// The geometry for `n` elements of a kernel whose loop steps by the number of its threads: few blocks of one
/// warp for few elements, and at most 32 blocks of 128 threads per multiprocessor. Client packages use it
/// for their kernels.
Geometry splay(std::int64_t n, unsigned multiprocessors, unsigned warp_size) noexcept;

/// The same for the current context's device. LogicError if no context is current.
Geometry splay(std::int64_t n);

}  // namespace pycuda::gpuarray
