#pragma once

#include <cstdint>

namespace pycuda::gpuarray {

/// A launch of one dimension.
struct Geometry {
    unsigned blocks, threads;
};

/// The geometry for `n` entries of a kernel whose loop steps by the number of its threads: few blocks of a warp each
/// for few entries, at most so many blocks of 128 threads that every multiprocessor has 32. What client packages launch
/// theirs with.
Geometry splay(std::int64_t n, unsigned multiprocessors, unsigned warp_size) noexcept;

/// The same for the current context's device. LogicError when no context is current.
Geometry splay(std::int64_t n);

}  // namespace pycuda::gpuarray
