#include "state/current_context.hpp"

#include "state/initialization.hpp"

#include <utility>

namespace cpu::state {

ContextStack& ContextStack::of_this_thread() {
    // Static destructors of the program may still call the driver when the main thread's own objects are gone: such a
    // late call finds a new, empty stack instead of a destroyed one.
    thread_local ContextStack* stack = nullptr;
    if (!stack) {
        stack = new ContextStack;
        thread_local const struct AtEndOfThread {
            ~AtEndOfThread() {
                if (!is_forked_child()) delete std::exchange(stack, nullptr);
            }
        } at_end_of_thread;
        static_cast<void>(at_end_of_thread);
    }
    return *stack;
}

ContextStack::Entry::Entry(CUcontext named)
    : handle(named), context(contexts().get(named, CUDA_ERROR_INVALID_CONTEXT)) {
    if (context->handle() != named) green = green_of(named);
}

void ContextStack::push(CUcontext handle) {
    entries_.emplace_back(handle);
}

CUcontext ContextStack::pop() {
    require(!entries_.empty(), CUDA_ERROR_INVALID_CONTEXT);
    const CUcontext handle = entries_.back().handle;
    entries_.pop_back();
    return handle;
}

void ContextStack::set_top(CUcontext handle) {
    if (!handle) {
        if (!entries_.empty()) entries_.pop_back();
        return;
    }
    Entry entry(handle);
    if (entries_.empty())
        entries_.push_back(std::move(entry));
    else
        entries_.back() = std::move(entry);
}

const std::shared_ptr<Context>& ContextStack::live_top() {
    require(!entries_.empty(), CUDA_ERROR_INVALID_CONTEXT);
    Entry& top = entries_.back();
    require(!top.green || !top.green->is_destroyed(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    if (top.context->is_destroyed()) {
        auto again = contexts().find(top.handle);
        if (!again || again->is_destroyed()) fail(CUDA_ERROR_CONTEXT_IS_DESTROYED);
        top.context = std::move(again);
    }
    return top.context;
}

const std::shared_ptr<GreenContext>& ContextStack::green_top() const noexcept {
    static const auto* const none = new std::shared_ptr<GreenContext>;
    return entries_.empty() ? *none : entries_.back().green;
}

const Context& ContextStack::last_top() const {
    require(!entries_.empty(), CUDA_ERROR_INVALID_CONTEXT);
    return *entries_.back().context;
}

const std::shared_ptr<Context>& current_context_even_if_faulted() {
    if (in_host_function()) fail(CUDA_ERROR_NOT_PERMITTED);
    return ContextStack::of_this_thread().live_top();
}

const std::shared_ptr<Context>& current_context() {
    const auto& context = current_context_even_if_faulted();
    context->check_fault();
    return context;
}

void wait_until_idle() {
    auto& stack = ContextStack::of_this_thread();
    if (!stack.top() || stack.last_top().is_destroyed() || stack.last_top().has_fault()) return;
    stack.live_top()->wait_until_idle();
}

const std::shared_ptr<GreenContext>& current_green() {
    return ContextStack::of_this_thread().green_top();
}

std::shared_ptr<Stream> stream_of(CUstream handle) {
    if (handle == nullptr || handle == CU_STREAM_LEGACY) {
        const auto& context = current_context();
        const auto& green = current_green();
        return green ? green->default_stream() : context->legacy_stream();
    }
    if (handle == CU_STREAM_PER_THREAD) {
        require(!current_green(), CUDA_ERROR_INVALID_HANDLE);
        return current_context()->per_thread_stream();
    }
    auto stream = streams().get(handle);
    require(!stream->green() || !stream->green()->is_destroyed(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    stream->context()->check_fault();
    return stream;
}

}  // namespace cpu::state
