#include "pycuda/gpuarray/current.hpp"

#include <atomic>
#include <utility>

#include "pycuda/context.hpp"

namespace pycuda::gpuarray {
namespace {

/// What one thread remembers. What a thread leaves at its end is the next one's: nothing ends with a thread, which may
/// be the process's last.
struct Memory {
    Current last;
    std::atomic<bool> taken{true};
    Memory* next = nullptr;
};

std::atomic<Memory*> all{nullptr};
constinit thread_local Memory* mine = nullptr;

Memory& first_of_this_thread() {
    struct Leaving {
        ~Leaving() {
            if (mine) mine->taken.store(false, std::memory_order_release);
            mine = nullptr;
        }
    };
    for (Memory* left = all.load(); left && !mine; left = left->next)
        if (bool taken = false; left->taken.compare_exchange_strong(taken, true)) mine = left;
    if (!mine) {
        mine = new Memory;
        mine->next = all.load();
        while (!all.compare_exchange_weak(mine->next, mine)) {
        }
    }
    thread_local const Leaving leaving;
    static_cast<void>(leaving);
    return *mine;
}

[[gnu::noinline, gnu::cold]] const Current& look_up() {
    const std::shared_ptr<Context> context = Context::current();
    Current& last = mine ? mine->last : first_of_this_thread().last;
    // Of a context that somebody else ends nobody tells when that is.
    const bool told = context->origin() != Context::Origin::Adopted;
    const bool held_elsewhere = context.use_count() > (last.kept == context ? 2 : 1);
    Current found{told ? context->handle() : nullptr, Kernels::of(*context), default_device_pool(*context),
                  held_elsewhere ? nullptr : context};
    std::swap(last, found);
    return last;
}

}  // namespace

const Current& current() {
    const CUcontext handle = Context::current_handle_or_null();
    if (const Memory* const known = mine; known && handle && handle == known->last.handle) [[likely]]
        if (known->last.kernels->is_alive()) [[likely]]
            return known->last;
    return look_up();
}

}  // namespace pycuda::gpuarray
