#pragma once

namespace pycuda {

/// Marks this thread, one of the driver's, as running a host function (in_host_function).
class HostFunctionScope {
public:
    HostFunctionScope() noexcept;
    ~HostFunctionScope();
    HostFunctionScope(const HostFunctionScope&) = delete;
    HostFunctionScope& operator=(const HostFunctionScope&) = delete;
};

}  // namespace pycuda
