#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>

#include "pycuda/context.hpp"
#include "pycuda/memory_pool.hpp"

namespace pycuda::gpuarray {

/// Device memory for a few launches on one stream, from the current context's pool. It may go back as soon as they are
/// queued: the pool keeps the order of their stream.
class Scratch {
public:
    Scratch(std::size_t nbytes, CUstream stream)
        : pool_(default_device_pool(*Context::current())), block_(pool_->take(nbytes, stream)) {}
    ~Scratch() { pool_->give(block_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    std::uint64_t pointer() const noexcept { return block_.address; }

private:
    std::shared_ptr<MemoryPool> pool_;
    PoolBlock block_;
};

}  // namespace pycuda::gpuarray
