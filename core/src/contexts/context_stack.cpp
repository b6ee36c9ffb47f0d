#include "contexts/context_stack.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "driver/driver_table.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {
namespace {

using Entries = std::vector<std::pair<CUcontext, std::shared_ptr<Context>>>;

/// Entries of threads that ended. Leaked: threads also end during process exit, when the driver must not be called.
struct Abandoned {
    std::mutex mutex;
    Entries entries;
    std::atomic<bool> any{false};
};

Abandoned& abandoned() {
    static auto* instance = new Abandoned;
    return *instance;
}

/// This thread's entries. A bare pointer, so that it can be read while the thread's other objects are destroyed.
thread_local Entries* entries_of_thread = nullptr;

/// Hands the entries over when the thread ends. Makes no driver call: the thread may be the last of the process.
struct HandOver {
    ~HandOver() {
        if (is_forked_child()) return;
        Entries* entries = std::exchange(entries_of_thread, nullptr);
        Abandoned& left = abandoned();
        const std::lock_guard lock(left.mutex);
        std::move(entries->begin(), entries->end(), std::back_inserter(left.entries));
        left.any = !left.entries.empty();
        delete entries;
    }
};

Entries& entries() {
    if (!entries_of_thread) {
        entries_of_thread = new Entries;
        thread_local const HandOver at_end_of_thread;
        static_cast<void>(at_end_of_thread);
    }
    return *entries_of_thread;
}

bool has_ended(const Entries::value_type& entry) noexcept {
    return entry.second->handle_or_null() != entry.first;
}

Entries::reverse_iterator find_last(Entries& known, CUcontext handle) noexcept {
    return std::find_if(known.rbegin(), known.rend(), [&](const auto& entry) { return entry.first == handle; });
}

}  // namespace

void remember_pushed(CUcontext handle, std::shared_ptr<Context> context) {
    entries().emplace_back(handle, std::move(context));
}

bool any_pushed_has_ended() noexcept {
    return entries_of_thread && std::any_of(entries_of_thread->begin(), entries_of_thread->end(), has_ended);
}

bool last_pushed_has_ended(CUcontext handle) noexcept {
    if (!entries_of_thread) return false;
    const auto found = find_last(*entries_of_thread, handle);
    return found != entries_of_thread->rend() && has_ended(*found);
}

void forget_pushed(CUcontext handle) noexcept {
    if (!entries_of_thread) return;
    Entries& known = *entries_of_thread;
    const auto found = find_last(known, handle);
    if (found == known.rend()) return;
    const std::shared_ptr<Context> last = std::move(found->second);  // may end here, after its entry is gone
    known.erase(std::next(found).base());
}

CUcontext current_handle() {
    CUcontext handle = nullptr;
    driver().cuCtxGetCurrent(&handle);
    return handle;
}

void pop_pushed(CUcontext context) noexcept {
    CUcontext popped = nullptr;
    if (driver().cuCtxPopCurrent.try_call(&popped) == CUDA_SUCCESS) return;
    if (Context::current_handle_or_null() == context) driver().cuCtxPopCurrent.clean_up(&popped);
}

void release_abandoned_contexts() noexcept {
    Abandoned& left = abandoned();
    if (!left.any.load(std::memory_order_acquire)) return;
    Entries taken;
    {
        const std::lock_guard lock(left.mutex);
        taken.swap(left.entries);
        left.any = false;
    }
}

}  // namespace pycuda
