#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pycuda/constants/constants.hpp"
#include "pycuda/driver/driver_callback.hpp"

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
    /// 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, unique to the device (cuDeviceGetUuid).
    std::string uuid() const;
    /// The largest number of texels of a texture over linear memory (cuDeviceGetTexture1DLinearMaxWidth).
    std::size_t max_linear_texture_width(ArrayFormat format, unsigned num_channels) const;

    bool can_access_peer(const Device& peer) const;  ///< cuDeviceCanAccessPeer
    /// A property of the link from this device to `peer` (cuDeviceGetP2PAttribute). LogicError for the device itself.
    int get_p2p_attribute(DeviceP2pAttribute attribute, const Device& peer) const;
    /// What `operation` of this device on memory of `peer` can work on: atomic_capability
    /// (cuDeviceGetP2PAtomicCapabilities). Needs a driver of CUDA 13.0.
    unsigned get_p2p_atomic_capabilities(AtomicOperation operation, const Device& peer) const;
    /// The same for the host's memory (cuDeviceGetHostAtomicCapabilities). Needs a driver of CUDA 13.0.
    unsigned get_host_atomic_capabilities(AtomicOperation operation) const;

#ifndef SWIG
    /// Called when the process exceeds its budget of the device's memory, with the number of bytes above it
    /// (cuDeviceRegisterAsyncNotification). Needs a driver of CUDA 12.4; LogicError if the system has no budgets.
    DriverCallback on_over_budget(std::function<void(std::uint64_t bytes)> listener) const;
#endif

    /// Bytes of the memory of graphs' allocation nodes (cuDeviceGetGraphMemAttribute).
    std::size_t get_graph_memory(GraphMemAttribute attribute) const;
    /// Let a maximum, of USED_MEM_HIGH or RESERVED_MEM_HIGH, begin anew (cuDeviceSetGraphMemAttribute). LogicError for
    /// another attribute.
    void reset_graph_memory(GraphMemAttribute attribute) const;
    /// Return memory that no graph uses now to the system (cuDeviceGraphMemTrim).
    void trim_graph_memory() const;

    /// Whether contexts can have this kind of execution affinity (cuDeviceGetExecAffinitySupport).
    bool supports_execution_affinity(ExecAffinityType type) const;
    /// The flags of the primary context, whether it is retained or not: ctx_flags (cuDevicePrimaryCtxGetState).
    unsigned get_primary_context_flags() const;
    /// Set them, also for other libraries in the process (cuDevicePrimaryCtxSetFlags).
    void set_primary_context_flags(unsigned flags) const;

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
