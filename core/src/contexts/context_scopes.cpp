// The scopes during which a context is current.
#include <utility>

#include "contexts/context_stack.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {

ContextScope::ContextScope(const Context& context) : pushed_(nullptr) {
    const CUcontext handle = context.handle();
    if (handle == current_handle()) return;
    if (!context.is_alive()) raise_closed("context");
    driver().cuCtxPushCurrent(handle);
    pushed_ = handle;
}

ContextHold::ContextHold(std::shared_ptr<Context> context)
    : context_(std::move(context)), lock_(context_->life_), scope_(*context_) {}

ContextScope::~ContextScope() {
    if (pushed_) pop_pushed(pushed_);
}

CleanupScope::CleanupScope(Context& context) noexcept {
    if (is_forked_child()) return;
    lock_ = std::shared_lock(context.life_);
    const CUcontext handle = context.handle_or_null();
    if (!handle) return;
    // Giving up here would leak what is to be destroyed. If the driver is gone, the push fails too.
    active_ = Context::current_handle_or_null() == handle;
    if (active_ || !context.is_alive() || driver().cuCtxPushCurrent.try_call(handle) != CUDA_SUCCESS) return;
    pushed_ = handle;
    active_ = true;
}

CleanupScope::~CleanupScope() {
    if (pushed_) pop_pushed(pushed_);
}

}  // namespace pycuda
