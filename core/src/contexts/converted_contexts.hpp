#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "pycuda/contexts/context.hpp"

namespace pycuda {

/// Attached to a context that a green context was converted to: keeps the green one and their primary context alive.
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

/// The primary context of a converted context; null for any other context.
inline std::shared_ptr<Context> primary_of(const Context& context) {
    const auto green = context.attachment_if_any<ConvertedFrom>();
    return green ? green->primary() : nullptr;
}

/// The context whose work includes everything that may use memory of `context`: a converted one's primary context.
inline std::shared_ptr<std::atomic<CUcontext>> context_of_all_work(const Context& context) {
    const auto primary = primary_of(context);
    return (primary ? *primary : context).live_handle();
}

}  // namespace pycuda
