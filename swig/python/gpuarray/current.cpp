#include "gpuarray/current.hpp"

#include <utility>

#include "pycuda/context.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::Kernels;

/// Guarded by the interpreter's lock. Leaked: arrays are used until the process ends.
struct Last {
    CUcontext handle = nullptr;  ///< null: nothing is remembered
    std::shared_ptr<Kernels> kernels;
    std::shared_ptr<MemoryPool> pool;
    std::shared_ptr<Context> kept;  ///< of a context that nobody else here holds: another library's
};

Last& last() {
    static auto* const instance = new Last;
    return *instance;
}

/// What is known of the current context, found anew when it is not the one of the last call.
const Last& current() {
    Last& known = last();
    const CUcontext handle = Context::current_handle_or_null();
    if (handle && handle == known.handle && known.kernels->is_alive()) return known;
    const std::shared_ptr<Context> context = Context::current();
    auto kernels = Kernels::of(*context);
    auto pool = default_device_pool(*context);
    // Of a context that somebody else ends nobody tells when that is.
    known = {context->origin() == Context::Origin::Adopted ? nullptr : context->handle(), std::move(kernels),
             std::move(pool), context.use_count() == 1 ? context : nullptr};
    return known;
}

}  // namespace

std::shared_ptr<Kernels> current_kernels() {
    return current().kernels;
}

std::shared_ptr<MemoryPool> current_pool() {
    return current().pool;
}

}  // namespace pycuda::python::gpuarray
