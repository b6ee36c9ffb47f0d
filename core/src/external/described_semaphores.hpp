#pragma once

#include <cuda.h>

#include <string>
#include <vector>

#include "pycuda/external/external_semaphore.hpp"

namespace pycuda {

/// Semaphores and values in the driver's form. `Parameters`: those of a signal or of a wait, which have the same
/// fields. Keeps the driver's semaphores.
template <class Parameters>
struct DescribedSemaphores {
    std::vector<SharedHandle<ExternalSemaphoreTraits>::Shared> kept;
    std::vector<CUexternalSemaphore> handles;
    std::vector<Parameters> parameters;

    /// LogicError if a semaphore was closed, or its context has ended.
    explicit DescribedSemaphores(const SemaphoreValues& semaphores) {
        for (const auto& [semaphore, value] : semaphores.values()) {
            kept.push_back(semaphore->share());
            handles.push_back(kept.back()->get());
            Parameters made{};
            made.params.fence.value = value;
            parameters.push_back(made);
        }
    }
    unsigned count() const noexcept { return static_cast<unsigned>(handles.size()); }
};

using DescribedSignals = DescribedSemaphores<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>;
using DescribedWaits = DescribedSemaphores<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>;

inline std::string semaphores_text(unsigned count) {
    return count == 1 ? "one semaphore" : std::to_string(count) + " semaphores";
}

}  // namespace pycuda
