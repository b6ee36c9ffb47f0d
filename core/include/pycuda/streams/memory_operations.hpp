#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pycuda/constants/constants.hpp"
#include "pycuda/streams/held_address.hpp"

namespace pycuda {

class Stream;

/// Writes of words, and waits for them, which a stream or a node of a graph carries out in order by one driver call:
/// those of Stream, and more. Keeps the words' owners; queued work and nodes of graphs keep them, too. At most 256.
class MemoryOperations {
public:
    MemoryOperations() = default;

    void write_value32(const HeldAddress& word, std::uint32_t value, unsigned flags = 0);
    void write_value64(const HeldAddress& word, std::uint64_t value, unsigned flags = 0);
    void wait_value32(const HeldAddress& word, std::uint32_t value, unsigned flags = 0);
    void wait_value64(const HeldAddress& word, std::uint64_t value, unsigned flags = 0);
    /// Later operations see what earlier ones wrote. `flags`: stream_memory_barrier_flags. The CPU device has none.
    void barrier(unsigned flags = 0);
    /// Later operations see what other devices wrote before (GPUDirect RDMA). The CPU device has none.
    void flush_remote_writes();
    /// Keep an object as long as the memory's owners.
    void keep(std::shared_ptr<void> owner) { owners_.add(std::move(owner)); }
    /// How many there are.
    std::size_t count() const noexcept { return operations_.size(); }
    /// "write_value32(140000000000000, 1, 0)": of each, the address, the value and the flags.
    std::vector<std::string> texts() const;

    /// Queue all (cuStreamBatchMemOp); without any, a no-op. LogicError if there are more than 256.
    void queue(const Stream* stream = nullptr) const;

#ifndef SWIG
    explicit MemoryOperations(std::vector<CUstreamBatchMemOpParams> operations) : operations_(std::move(operations)) {}
    /// For a node of a graph in `context`; it points to this object's operations.
    CUDA_BATCH_MEM_OP_NODE_PARAMS for_node(CUcontext context) const;
    /// Of the words.
    std::vector<DevicePtr> addresses() const;
    /// Of the words' memory, as one object; may be null.
    std::shared_ptr<void> owners() const noexcept { return owners_.all(); }
#endif

private:
    void add(CUstreamBatchMemOpType kind, const HeldAddress& word, std::uint64_t value, unsigned flags);
    std::vector<CUstreamBatchMemOpParams> operations_;
    HeldOwners owners_;
};

}  // namespace pycuda
