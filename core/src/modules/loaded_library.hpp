#pragma once

#include <cuda.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "pycuda/contexts/context.hpp"
#include "pycuda/modules/library.hpp"

namespace pycuda {

/// The driver's library. Whatever uses it keeps this: calls, graphs, and its modules, as the owner of their context. So
/// it is unloaded last.
struct Library::Loaded {
    const CUlibrary library;

    explicit Loaded(CUlibrary made);
    ~Loaded();
    Loaded(const Loaded&) = delete;
    Loaded& operator=(const Loaded&) = delete;

    void note(CUmodule module, const std::shared_ptr<Context>& context);
    /// Ends what repeats launches of its kernels in contexts of the device.
    void forget_launch_graphs(const Device& device) noexcept;

private:
    std::mutex mutex_;
    std::vector<std::pair<CUmodule, std::weak_ptr<Context>>> modules_;  ///< of contexts that use it
};

}  // namespace pycuda
