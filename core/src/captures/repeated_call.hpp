#pragma once

#include <cuda.h>

#include <functional>
#include <utility>

namespace pycuda {

/// A host function in a graph, which each launch calls. The graph owns it.
class RepeatedCall {
public:
    explicit RepeatedCall(std::function<void()> function) : function_(std::move(function)) {}
    /// The function that the driver calls with the address of this object.
    static void CUDA_CB run(void* call) noexcept;

private:
    std::function<void()> function_;
};

}  // namespace pycuda
