#pragma once

#include <cuda.h>

#include <memory>

namespace cpu::state {

struct Allocation;
class Stream;

/// A stream operation that writes a word of memory, or waits until a word has a value.
class MemoryOperation {
public:
    /// Throws CUDA_ERROR_INVALID_VALUE for invalid flags or an invalid address, CUDA_ERROR_NOT_SUPPORTED for another
    /// kind.
    explicit MemoryOperation(const CUstreamBatchMemOpParams& described);

    bool waits() const noexcept;
    void run() const noexcept;
    void submit(Stream& stream) const;

private:
    template <class T>
    void run_as(T value) const noexcept;
    std::size_t size() const noexcept;

    CUstreamBatchMemOpParams described_;
    std::shared_ptr<Allocation> held_;
};

}  // namespace cpu::state
