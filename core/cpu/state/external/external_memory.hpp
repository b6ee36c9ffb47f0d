#pragma once

#include "state/memory/shared_file.hpp"
#include "state/registry.hpp"

#include <cuda.h>

#include <cstddef>
#include <memory>

namespace cpu::state {

class Context;

/// Memory of another interface: here that of memfd_create.
class ExternalMemory {
public:
    /// The caller closes the descriptor afterwards, as it is the driver's then. Throws CUDA_ERROR_OPERATING_SYSTEM for
    /// one that is not of such memory, CUDA_ERROR_INVALID_VALUE for a size of 0 or beyond the memory's.
    ExternalMemory(Context& context, int descriptor, std::size_t size);

    Context& context() const noexcept { return *context_; }
    std::size_t size() const noexcept { return size_; }
    const SharedFile& file() const noexcept { return file_; }

    /// The address of `size` bytes from `offset` on, until cuMemFree. Throws CUDA_ERROR_INVALID_VALUE for no bytes, and
    /// for bytes that it does not have.
    CUdeviceptr map_buffer(std::size_t offset, std::size_t size) const;
    /// The levels follow each other from `offset` on, each at a multiple of MipmappedArray::level_alignment, with rows
    /// without gaps. Throws CUDA_ERROR_INVALID_VALUE for an offset without it, and for bytes that the memory does not
    /// have.
    CUmipmappedArray map_levels(std::size_t offset, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned levels) const;

private:
    Context* context_;
    std::size_t size_;
    SharedFile file_;
};

inline Registry<ExternalMemory, CUexternalMemory>& external_memories() {
    return registry<ExternalMemory, CUexternalMemory>();
}

}  // namespace cpu::state
