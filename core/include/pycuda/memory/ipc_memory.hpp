#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>

#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

/// The bytes that another process needs to open device memory of this one.
using IpcMemHandle = std::array<unsigned char, sizeof(CUipcMemHandle)>;

/// Export an address from mem_alloc (cuIpcGetMemHandle). The memory must live while other processes have it open.
IpcMemHandle mem_get_ipc_handle(DevicePtr devptr);

struct IpcMemoryTraits {
    using type = DevicePtr;
    static constexpr const char* what = "IPC memory handle";
    static constexpr bool is_number = true;
    /// Left to the graphs that use it, if any.
    static void destroy(DevicePtr pointer, Context* owner) noexcept;
};

/// Device memory of another process, open in this one until this object ends (cuIpcCloseMemHandle).
class IPCMemoryHandle final : public DeviceMemory {
public:
    /// `flags`: ipc_mem_flags, LAZY_ENABLE_PEER_ACCESS by default (cuIpcOpenMemHandle). A process cannot open its
    /// own handle.
    explicit IPCMemoryHandle(const IpcMemHandle& ipc_handle, unsigned flags = 1);

    DevicePtr pointer() const override { return noted(memory_.get()); }
    /// Bytes from the address to the allocation's end (cuMemGetAddressRange).
    std::size_t size() const noexcept override { return size_; }
    std::shared_ptr<Context> context() const noexcept override { return memory_.owner(); }
    const char* what() const noexcept override { return IpcMemoryTraits::what; }
    bool is_closed() const noexcept override { return memory_.get_or_null() == 0; }

private:
    bool release() noexcept override;
    Handle<IpcMemoryTraits> memory_;
    std::size_t size_ = 0;
};

}  // namespace pycuda
