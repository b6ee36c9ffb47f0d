#pragma once

#include <cstddef>
#include <cstdint>

#include "pycuda/handle.hpp"

namespace pycuda {

/// A device address, as the driver's CUdeviceptr. 64 bits in both languages.
using DevicePtr = std::uint64_t;

struct MemInfo {
    std::size_t free;
    std::size_t total;
};

/// Free and total bytes of the current context's device (cuMemGetInfo).
MemInfo mem_get_info();

struct DeviceMemoryTraits {
    using type = DevicePtr;
    static constexpr const char* what = "device allocation";
    static void destroy(DevicePtr pointer) noexcept;
};

/// Linear device memory, freed with this object. Exclusive owner; move-only.
class DeviceAllocation {
public:
    /// At least `bytes` bytes in the current context (cuMemAlloc). When memory is out, the hook of
    /// set_out_of_memory_hook runs and the allocation is tried once more. MemoryError names the bytes asked for.
    explicit DeviceAllocation(std::size_t bytes);

    /// The address; LogicError after free.
    DevicePtr pointer() const { return memory_.get(); }
    /// The bytes that were asked for.
    std::size_t size() const noexcept { return size_; }
    const std::shared_ptr<Context>& context() const noexcept { return memory_.owner(); }
    /// Frees now (cuMemFree). LogicError when freed already.
    void free();
    /// Frees now; a second call does nothing. For Java's close and for clean-up.
    void close() noexcept { memory_.reset(); }

private:
    Handle<DeviceMemoryTraits> memory_;
    std::size_t size_;
};

/// Called when device memory is out, to let the language collect garbage that holds device memory. Null: none.
/// Must not throw. Set once, by the language module.
void set_out_of_memory_hook(void (*hook)()) noexcept;

}  // namespace pycuda
