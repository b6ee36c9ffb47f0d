#include "pycuda/threads/waiting.hpp"

#include <atomic>

#include "threads/deferred_release.hpp"
#include "threads/host_function_scope.hpp"

namespace pycuda {
namespace {

std::atomic<const LanguageLock*> language_lock{nullptr};
constinit thread_local bool runs_host_function = false;

}  // namespace

/// Kept for the life of the process: any thread may be about to read it.
void set_language_lock(const LanguageLock& lock) noexcept {
    static LanguageLock kept;
    kept = lock;
    language_lock.store(&kept, std::memory_order_release);
}

WaitScope::WaitScope() noexcept {
    const LanguageLock* const lock = language_lock.load(std::memory_order_acquire);
    released_ = lock ? lock->release() : nullptr;
}

WaitScope::~WaitScope() {
    if (released_) language_lock.load(std::memory_order_acquire)->reacquire(released_);
}

bool must_not_wait() noexcept {
    const LanguageLock* const lock = language_lock.load(std::memory_order_acquire);
    return lock && lock->is_lost();
}

bool in_host_function() noexcept {
    return runs_host_function;
}

HostFunctionScope::HostFunctionScope() noexcept {
    runs_host_function = true;
}

HostFunctionScope::~HostFunctionScope() {
    runs_host_function = false;
}

void drop_later(std::shared_ptr<void> last) noexcept {
    if (in_host_function())
        release_later(std::move(last));
    else
        HeldEnds::add(std::move(last));
}

}  // namespace pycuda
