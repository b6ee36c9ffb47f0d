#pragma once

#include "state/memory/address_space.hpp"
#include "state/registry.hpp"

#include <cuda.h>

#include <memory>

namespace cpu::state::graphs {

/// The value that controls a conditional node: a word of device memory whose address is the handle, so that
/// cudaGraphSetConditional is a store.
class Condition {
public:
    /// Throws CUDA_ERROR_OUT_OF_MEMORY.
    Condition(Context& context, unsigned initial, unsigned flags);
    ~Condition();
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;

    CUgraphConditionalHandle handle() const noexcept { return word_->base; }
    CUcontext context() const noexcept { return word_->context_handle; }
    unsigned value() const noexcept;
    /// Called when a launch of the graph begins.
    void start() const noexcept;
    bool used = false;  ///< a node uses it

private:
    void set(unsigned value) const noexcept;

    std::shared_ptr<Allocation> word_;
    unsigned initial_;
    bool starts_with_initial_;
};

inline Registry<Condition, CUgraphConditionalHandle>& conditions() {
    return registry<Condition, CUgraphConditionalHandle>();
}

}  // namespace cpu::state::graphs
