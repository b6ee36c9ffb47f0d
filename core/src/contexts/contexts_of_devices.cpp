// The contexts that a device makes and retains.
#include "driver/driver_table.hpp"
#include "pycuda/contexts/context.hpp"

namespace pycuda {

std::shared_ptr<Context> Device::make_context(unsigned flags) const {
    CUcontext context = nullptr;
    driver().cuCtxCreate(&context, flags, device_);
    return Context::wrap(context, device_, Context::Origin::Created);
}

std::shared_ptr<Context> Device::retain_primary_context() const {
    CUcontext context = nullptr;
    driver().cuDevicePrimaryCtxRetain(&context, device_);
    return Context::wrap(context, device_, Context::Origin::Primary);
}

}  // namespace pycuda
