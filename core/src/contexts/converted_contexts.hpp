#pragma once

#include <memory>
#include <mutex>

#include "pycuda/context.hpp"

namespace pycuda {

/// Of a context that a green one was converted to: keeps that, and the primary context that both are parts of.
class ConvertedFrom : public ContextAttachment {
public:
    ConvertedFrom() { ++count(); }
    ~ConvertedFrom() override { --count(); }
    /// Whether there is one in this process.
    static bool any() noexcept { return count().load(std::memory_order_relaxed) != 0; }
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
    static std::atomic<long>& count() noexcept {
        static std::atomic<long> converted = 0;
        return converted;
    }

    mutable std::mutex mutex_;
    std::shared_ptr<Context> primary_;
    std::shared_ptr<void> green_;
};

/// Of a converted context; null: it is another.
inline std::shared_ptr<Context> primary_of(const Context& context) {
    const auto green = context.attachment_if_any<ConvertedFrom>();
    return green ? green->primary() : nullptr;
}

/// The context whose work is all that can use the memory of `context`: of a converted one, the primary context.
inline std::shared_ptr<std::atomic<CUcontext>> context_of_all_work(const Context& context) {
    const auto primary = primary_of(context);
    return (primary ? *primary : context).live_handle();
}

/// Work queued on the default stream of `later` from now on runs after the present work of `earlier`'s: pools take both
/// for one stream.
void order_default_streams(Context& earlier, const Context& later);

}  // namespace pycuda
