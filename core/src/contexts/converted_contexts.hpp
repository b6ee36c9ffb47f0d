#pragma once

#include <memory>
#include <mutex>

#include "pycuda/context.hpp"

namespace pycuda {

/// Of a context that a green one was converted to: keeps that, and the primary context that both are parts of.
class ConvertedFrom : public ContextAttachment {
public:
    void context_ends(bool) noexcept override {}
    void keep(std::shared_ptr<void> green, std::shared_ptr<Context> primary) {
        const std::lock_guard lock(mutex_);
        green_ = std::move(green);
        primary_ = std::move(primary);
    }
    std::shared_ptr<Context> primary() const {
        const std::lock_guard lock(mutex_);
        return primary_;
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<Context> primary_;
    std::shared_ptr<void> green_;
};

/// The context whose work is all that can use the memory of `context`: of a converted one, the primary context.
inline std::shared_ptr<std::atomic<CUcontext>> context_of_all_work(const Context& context) {
    const auto green = context.attachment_if_any<ConvertedFrom>();
    const auto primary = green ? green->primary() : nullptr;
    return (primary ? *primary : context).live_handle();
}

}  // namespace pycuda
