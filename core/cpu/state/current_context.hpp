#pragma once

#include "state/green_context.hpp"

namespace cpu::state {

/// The calling thread's stack of current contexts. A context that has ended stays on the stack until it is popped; a
/// primary context that is retained again has its old position.
class ContextStack {
public:
    static ContextStack& of_this_thread();

    void push(CUcontext context);
    /// Throws CUDA_ERROR_INVALID_CONTEXT if it is empty.
    CUcontext pop();
    /// Replaces the top; nullptr pops it.
    void set_top(CUcontext context);
    /// nullptr if it is empty.
    CUcontext top() const noexcept { return entries_.empty() ? nullptr : entries_.back().handle; }
    /// The live context on top. Throws CUDA_ERROR_INVALID_CONTEXT if the stack is empty, and
    /// CUDA_ERROR_CONTEXT_IS_DESTROYED if its top has ended.
    const std::shared_ptr<Context>& live_top();
    /// The green context that the top was converted from; null if it is an ordinary context.
    const std::shared_ptr<GreenContext>& green_top() const noexcept;
    /// The context on top, which may have ended. Throws CUDA_ERROR_INVALID_CONTEXT if the stack is empty.
    const Context& last_top() const;

private:
    struct Entry {
        explicit Entry(CUcontext handle);
        CUcontext handle;
        std::shared_ptr<Context> context;
        std::shared_ptr<GreenContext> green;
    };
    std::vector<Entry> entries_;
};

/// The current context, for a call that does work in it. Throws what live_top throws, the context's fault, or
/// CUDA_ERROR_NOT_PERMITTED inside a stream's host function.
const std::shared_ptr<Context>& current_context();
/// The current context, for a call that only queries: a fault does not matter.
const std::shared_ptr<Context>& current_context_even_if_faulted();

/// Context::wait_until_idle of the current context, unless it has a fault or has ended.
void wait_until_idle();

/// The current green context; null if another context is current, or none.
const std::shared_ptr<GreenContext>& current_green();

/// The stream that a CUstream argument refers to in the current context; 0 is the legacy default stream. Throws
/// CUDA_ERROR_INVALID_HANDLE.
std::shared_ptr<Stream> stream_of(CUstream handle);

}  // namespace cpu::state
