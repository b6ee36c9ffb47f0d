#pragma once

#include <atomic>

namespace pycuda {

/// Create the T of this thread, or take over that of an ended thread: a T never ends with its thread, which
/// may be the process's last. `all` lists every T ever created. `mine` belongs to this thread, null
/// before and after its life; the members `taken`, initially true, and `next` of T are only for this list.
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
