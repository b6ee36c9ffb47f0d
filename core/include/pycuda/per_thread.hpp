#pragma once

#include <atomic>

namespace pycuda {

/// The T of this thread, which has none yet. `all` lists all there ever were: what a thread leaves at its end is the
/// next one's, so that nothing ends with a thread, which may be the process's last. `mine` is of this thread, null
/// until then and after its end; `taken`, true at first, and `next` are members of T for this list alone.
/// std::bad_alloc.
template <class T>
T& first_of_this_thread(std::atomic<T*>& all, T*& mine, std::atomic<bool> T::* taken, T* T::* next) {
    struct Leaving {
        T*& mine;
        std::atomic<bool> T::* taken;
        ~Leaving() {
            if (mine) (mine->*taken).store(false, std::memory_order_release);
            mine = nullptr;
        }
    };
    for (T* left = all.load(); left && !mine; left = left->*next)
        if (bool held = false; (left->*taken).compare_exchange_strong(held, true)) mine = left;
    if (!mine) {
        mine = new T;
        mine->*next = all.load();
        while (!all.compare_exchange_weak(mine->*next, mine)) {
        }
    }
    thread_local const Leaving leaving{mine, taken};
    static_cast<void>(leaving);
    return *mine;
}

}  // namespace pycuda
