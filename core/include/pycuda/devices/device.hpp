#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pycuda/constants/constants.hpp"

namespace pycuda {

class Context;

struct ComputeCapability {
    int major;
    int minor;
};

/// A CUDA device. A value: owns nothing. Needs init, no context.
class Device {
public:
    /// The `ordinal`-th device (cuDeviceGet). LogicError if there is no such device, or init was not called.
    explicit Device(int ordinal);
    /// By PCI bus id "domain:bus:device.function" (cuDeviceGetByPCIBusId).
    explicit Device(const std::string& pci_bus_id);

    static int count();  ///< cuDeviceGetCount

    std::string name() const;                      ///< cuDeviceGetName
    std::string pci_bus_id() const;                ///< cuDeviceGetPCIBusId
    ComputeCapability compute_capability() const;  ///< two cuDeviceGetAttribute
    std::size_t total_memory() const;              ///< bytes (cuDeviceTotalMem)
    int get_attribute(DeviceAttribute attribute) const;
    /// Every attribute that the driver knows; aliases are not repeated.
    std::vector<std::pair<DeviceAttribute, int>> get_attributes() const;
    bool can_access_peer(const Device& peer) const;  ///< cuDeviceCanAccessPeer

    /// Create a context (cuCtxCreate) and make it current. `flags`: ctx_flags.
    std::shared_ptr<Context> make_context(unsigned flags = 0) const;
    /// Retain the primary context (cuDevicePrimaryCtxRetain), the runtime API's; it does not become current. Each call
    /// needs its own detach(); without it, the context is released when it is no longer used.
    std::shared_ptr<Context> retain_primary_context() const;

    CUdevice handle() const noexcept { return device_; }
    bool operator==(const Device& other) const noexcept { return device_ == other.device_; }

private:
    friend class Context;
    struct FromHandle {};
    Device(FromHandle, CUdevice device) : device_(device) {}
    CUdevice device_;
};

}  // namespace pycuda
