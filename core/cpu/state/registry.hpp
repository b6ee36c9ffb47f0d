#pragma once

#include "state/error.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace cpu::state {

/// A handle value that no object of this process has had before. Never 0, 1 or 2, which name default streams.
inline std::uintptr_t new_handle_value() noexcept {
    static std::atomic<std::uintptr_t> next{0x10000};
    return next.fetch_add(16, std::memory_order_relaxed);
}

/// The live objects of one kind, by handle. A handle is a number, never a pointer into the heap, so a stale or invented
/// handle is simply not found.
template <class T, class Handle>
class Registry {
public:
    /// Registers `object` under a new handle.
    Handle add(std::shared_ptr<T> object) {
        const auto handle = reinterpret_cast<Handle>(new_handle_value());
        add_as(handle, std::move(object));
        return handle;
    }

    void add_as(Handle handle, std::shared_ptr<T> object) {
        std::unique_lock lock(mutex_);
        objects_[handle] = std::move(object);
    }

    /// nullptr if there is none.
    std::shared_ptr<T> find(Handle handle) const {
        std::shared_lock lock(mutex_);
        const auto found = objects_.find(handle);
        return found == objects_.end() ? nullptr : found->second;
    }

    std::shared_ptr<T> get(Handle handle, CUresult when_missing = CUDA_ERROR_INVALID_HANDLE) const {
        auto object = find(handle);
        if (!object) fail(when_missing);
        return object;
    }

    std::vector<std::shared_ptr<T>> all() const {
        std::shared_lock lock(mutex_);
        std::vector<std::shared_ptr<T>> objects;
        for (const auto& [handle, object] : objects_) objects.push_back(object);
        return objects;
    }

    /// Removes the handle; nullptr if there was none.
    std::shared_ptr<T> take(Handle handle) {
        std::unique_lock lock(mutex_);
        const auto found = objects_.find(handle);
        if (found == objects_.end()) return nullptr;
        auto object = std::move(found->second);
        objects_.erase(found);
        return object;
    }

    /// Removes all objects for which `belongs` is true; they are destroyed after the lock is released.
    template <class Predicate>
    std::vector<std::shared_ptr<T>> take_all(Predicate belongs) {
        std::vector<std::shared_ptr<T>> taken;
        std::unique_lock lock(mutex_);
        for (auto at = objects_.begin(); at != objects_.end();) {
            if (belongs(*at->second)) {
                taken.push_back(std::move(at->second));
                at = objects_.erase(at);
            } else {
                ++at;
            }
        }
        return taken;
    }

private:
    mutable std::shared_mutex mutex_;
    std::unordered_map<Handle, std::shared_ptr<T>> objects_;
};

/// The process's registry of one kind. Leaked: threads may use it until the process ends.
template <class T, class Handle>
Registry<T, Handle>& registry() {
    static auto* const instance = new Registry<T, Handle>;
    return *instance;
}

}  // namespace cpu::state
