#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pycuda/constants/constants.hpp"
#include "pycuda/external/shared_handle.hpp"

namespace pycuda {

struct ExternalSemaphoreTraits {
    using type = CUexternalSemaphore;
    static constexpr const char* what = "external semaphore";
    static void destroy(CUexternalSemaphore semaphore) noexcept;
};

/// A semaphore of another interface, such as Vulkan, which streams signal and wait for. Belongs to the context current
/// at its import. Work that is queued, and nodes of graphs, keep the driver's semaphore. Thread-safe.
class ExternalSemaphore {
public:
    /// Import a file descriptor (cuImportExternalSemaphore), a binary semaphore's or, with TIMELINE_SEMAPHORE_FD, a
    /// timeline's. From then on it belongs to the driver: the program must not use it, nor close it. After an error it
    /// still belongs to the program. LogicError for a type that is not a file descriptor.
    explicit ExternalSemaphore(int descriptor, pycuda::ExternalSemaphoreHandleType handle_type =
                                                   pycuda::ExternalSemaphoreHandleType::OPAQUE_FD);

    /// What it was imported as.
    ExternalSemaphoreHandleType handle_type() const noexcept { return handle_type_; }
    CUexternalSemaphore handle() const { return semaphore_.share()->get(); }
    /// LogicError after close.
    std::shared_ptr<Context> context() const { return semaphore_.share()->live_owner(); }
    /// The driver's semaphore ends when no work uses it any more (cuDestroyExternalSemaphore).
    void close() noexcept { semaphore_.close(); }
#ifndef SWIG
    /// The driver's semaphore, which lives as long as this; LogicError after close.
    SharedHandle<ExternalSemaphoreTraits>::Shared share() const { return semaphore_.share(); }
#endif

private:
    const ExternalSemaphoreHandleType handle_type_;
    SharedHandle<ExternalSemaphoreTraits> semaphore_;
};

/// Semaphores with values, for one driver call or one node of a graph that signals all of them, or waits for all of
/// them (Stream::signal_semaphores, Graph::add_semaphore_signals). It keeps the semaphores.
class SemaphoreValues {
public:
    SemaphoreValues() = default;

    /// Add a semaphore. `value`: of a timeline; binary semaphores have none.
    void add(std::shared_ptr<ExternalSemaphore> semaphore, std::uint64_t value = 0);
    /// How many there are.
    std::size_t count() const noexcept { return values_.size(); }

#ifndef SWIG
    struct Value {
        std::shared_ptr<ExternalSemaphore> semaphore;
        std::uint64_t value;
    };
    const std::vector<Value>& values() const noexcept { return values_; }
#endif

private:
    std::vector<Value> values_;
};

}  // namespace pycuda
