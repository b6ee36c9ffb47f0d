#pragma once

#include "state/memory/page_block.hpp"
#include "state/registry.hpp"

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace cpu::state {

class Context;
class Stream;

/// A semaphore of another interface: here the first 8 bytes of memory of memfd_create: a timeline's value, or 1 for
/// a binary semaphore that is signalled, else 0. Other processes, and the program, can map the memory, too.
class ExternalSemaphore {
public:
    /// The caller closes the descriptor afterwards, as it is the driver's then. Throws CUDA_ERROR_OPERATING_SYSTEM for
    /// one that is not of such memory, CUDA_ERROR_INVALID_VALUE for less than 8 bytes.
    ExternalSemaphore(const std::shared_ptr<Context>& context, int descriptor, bool is_timeline);

    /// Null once it is gone.
    std::shared_ptr<Context> context() const noexcept { return context_.lock(); }
    /// A timeline gets `value`.
    void signal(std::uint64_t value) noexcept;
    /// Polls, because the other side may be another process.
    void wait(std::uint64_t value) noexcept;

private:
    bool arrived(std::uint64_t value) noexcept;
    std::atomic_ref<std::uint64_t> word() const noexcept {
        return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(block_.data()));
    }

    std::weak_ptr<Context> context_;
    bool is_timeline_;
    PageBlock block_;
};

inline Registry<ExternalSemaphore, CUexternalSemaphore>& external_semaphores() {
    return registry<ExternalSemaphore, CUexternalSemaphore>();
}

/// A signal of several semaphores, or a wait for all of them.
class SemaphoreWork {
public:
    enum class What { Signal, Wait };
    struct Entry {
        std::shared_ptr<ExternalSemaphore> semaphore;
        std::uint64_t value;
    };

    SemaphoreWork(What what, std::vector<Entry> entries) : what_(what), entries_(std::move(entries)) {}
    /// That of the first semaphore.
    std::shared_ptr<Context> context() const noexcept { return entries_.front().semaphore->context(); }
    void run() const noexcept;
    void submit(Stream& stream) const;

private:
    What what_;
    std::vector<Entry> entries_;
};

/// Throws CUDA_ERROR_INVALID_VALUE for no semaphores, null and flags, CUDA_ERROR_INVALID_HANDLE for an unknown one.
/// `Parameters`: of signals or of waits.
template <class Parameters>
std::vector<SemaphoreWork::Entry> semaphore_entries(const CUexternalSemaphore* semaphores, const Parameters* parameters,
                                                    unsigned count) {
    require(count > 0 && semaphores != nullptr && parameters != nullptr);
    std::vector<SemaphoreWork::Entry> entries;
    for (unsigned k = 0; k < count; ++k) {
        require(parameters[k].flags == 0);
        entries.push_back({external_semaphores().get(semaphores[k]), parameters[k].params.fence.value});
    }
    return entries;
}

}  // namespace cpu::state
