#include "pycuda/gpuarray/current.hpp"

#include <atomic>
#include <utility>

#include "per_thread.hpp"
#include "pycuda/context.hpp"

namespace pycuda::gpuarray {
namespace {

/// What one thread remembers.
struct Memory {
    Current last;
    std::atomic<bool> taken{true};
    Memory* next = nullptr;
};

std::atomic<Memory*> all{nullptr};
constinit thread_local Memory* mine = nullptr;

[[gnu::noinline, gnu::cold]] const Current& look_up() {
    const std::shared_ptr<Context> context = Context::current();
    Current& last = (mine ? *mine : first_of_this_thread(all, mine, &Memory::taken, &Memory::next)).last;
    // We are not notified when an adopted context is destroyed, so its handle is never cached.
    const bool notified_of_end = context->origin() != Context::Origin::Adopted;
    const bool held_elsewhere = context.use_count() > (last.kept == context ? 2 : 1);
    Current found{notified_of_end ? context->handle() : nullptr, Kernels::of(*context), default_device_pool(*context),
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
