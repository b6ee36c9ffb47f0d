#include "pycuda/platform/forks.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace pycuda {
namespace {

struct Known {
    std::mutex* mutex;
    const Known* before;
};

std::atomic<const Known*> last_known{nullptr};
/// Those that the fork under way holds begin here. The C library serialises forks.
const Known* held = nullptr;

/// False, and none is held, if a thread holds one of them.
bool try_lock_all(const Known* from) noexcept {
    for (const Known* known = from; known; known = known->before) {
        if (known->mutex->try_lock()) continue;
        for (const Known* locked = from; locked != known; locked = locked->before) locked->mutex->unlock();
        return false;
    }
    return true;
}

/// All or none: a thread that holds one may be about to lock another.
void before_fork() {
    for (held = last_known; !try_lock_all(held); held = last_known)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
}

void after_fork() {
    for (const Known* known = held; known; known = known->before) known->mutex->unlock();
}

}  // namespace

void call_in_forked_children(void (*function)()) noexcept {
    static_cast<void>(pthread_atfork(nullptr, nullptr, function));
}

void call_around_forks(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
    static_cast<void>(pthread_atfork(before, in_parent, in_child));
}

std::mutex* fork_safe(std::mutex* mutex) {
    static const int registered = pthread_atfork(before_fork, after_fork, after_fork);
    static_cast<void>(registered);
    auto* const added = new Known{mutex, last_known};
    while (!last_known.compare_exchange_weak(added->before, added)) {
    }
    return mutex;
}

}  // namespace pycuda
