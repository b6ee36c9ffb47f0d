#include "gpuarray/current.hpp"

#include <utility>

#include "pycuda/context.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::Kernels;

/// Guarded by the interpreter's lock. Leaked: arrays are used until the process ends.
Current& last() {
    static auto* const instance = new Current;
    return *instance;
}

}  // namespace

const Current& current() {
    Current& known = last();
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

}  // namespace pycuda::python::gpuarray
