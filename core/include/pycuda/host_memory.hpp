#pragma once

#include <cstddef>
#include <memory>

#include "pycuda/constants.hpp"
#include "pycuda/device_memory.hpp"
#include "pycuda/handle.hpp"
#include "pycuda/stream.hpp"

namespace pycuda {

/// Host memory that a device copies from and to at full speed, or reaches by itself. Exclusive owner of what it stands
/// for; neither copied nor moved.
class HostPointer {
public:
    virtual ~HostPointer() = default;
    HostPointer(const HostPointer&) = delete;
    HostPointer& operator=(const HostPointer&) = delete;

    /// Where the memory starts; LogicError after free, and after the end of its context.
    virtual void* data() const = 0;
    std::size_t size() const noexcept { return size_; }  ///< the bytes that were asked for
    virtual const char* what() const noexcept = 0;       ///< for messages and live_handles
    virtual bool is_closed() const noexcept = 0;
    /// Where device code finds the memory (cuMemHostGetDevicePointer). LogicError for memory that is not mapped.
    DevicePtr get_device_pointer() const;
    /// Free the memory, or release the page-lock, now. LogicError when that has been done already.
    void free();
    /// Free it now; a second call does nothing. For Java's close and for clean-up.
    void close() noexcept { release(); }

protected:
    explicit HostPointer(std::size_t size) noexcept : size_(size) {}

private:
    /// True when it was this call that gave it back.
    virtual bool release() noexcept = 0;

    std::size_t size_;
};

struct PagelockedTraits {
    using type = void*;
    static constexpr const char* what = "page-locked allocation";
    static constexpr bool is_number = true;
    /// Left to the graphs that use it, if any.
    static void destroy(void* memory, Context* owner) noexcept;
};

/// Page-locked host memory, freed with this object (cuMemFreeHost).
class PagelockedHostAllocation final : public HostPointer {
public:
    /// `bytes` bytes (at least one is allocated); `flags`: host_alloc_flags (cuMemHostAlloc). When such memory is out,
    /// the hook of set_out_of_memory_hook runs and the allocation is tried once more.
    explicit PagelockedHostAllocation(std::size_t bytes, unsigned flags = 0);

    void* data() const override { return memory_.get(); }
    const char* what() const noexcept override { return PagelockedTraits::what; }
    bool is_closed() const noexcept override { return !memory_.get_or_null(); }
    /// host_alloc_flags, as the driver has them (cuMemHostGetFlags).
    unsigned get_flags() const;

private:
    bool release() noexcept override;
    Handle<PagelockedTraits> memory_;
};

/// Ordinary host memory that starts at a multiple of `alignment`, as register_host_memory wants it. Needs no context.
class AlignedHostAllocation final : public HostPointer {
public:
    /// std::invalid_argument unless `alignment` is a power of two; std::bad_alloc when memory is out.
    explicit AlignedHostAllocation(std::size_t bytes, std::size_t alignment = 4096);
    ~AlignedHostAllocation() override { release(); }

    void* data() const override;
    const char* what() const noexcept override { return "aligned allocation"; }
    bool is_closed() const noexcept override { return !memory_.load(std::memory_order_acquire); }

private:
    bool release() noexcept override;
    std::atomic<void*> memory_;
};

struct RegisteredTraits {
    using type = void*;
    static constexpr const char* what = "registered host memory";
    static constexpr bool is_number = true;
    static void destroy(void* memory) noexcept;
};

/// Existing host memory, page-locked while this object lives. Graphs that copy it do not keep it registered.
class RegisteredHostMemory final : public HostPointer {
public:
    /// `flags`: mem_host_register_flags (cuMemHostRegister). `owner` keeps the memory and is let go of with this
    /// object; without one, the caller sees to it that the memory lives as long.
    RegisteredHostMemory(void* memory, std::size_t bytes, unsigned flags = 0, std::shared_ptr<void> owner = nullptr);

    void* data() const override { return memory_.get(); }
    const char* what() const noexcept override { return RegisteredTraits::what; }
    bool is_closed() const noexcept override { return !memory_.get_or_null(); }
    void unregister() { free(); }  ///< cuMemHostUnregister

private:
    bool release() noexcept override;
    std::shared_ptr<void> owner_;  ///< outlives the page-lock
    Handle<RegisteredTraits> memory_;
};

struct ManagedTraits {
    using type = DevicePtr;
    static constexpr const char* what = "managed allocation";
    static constexpr bool is_number = true;
    /// Left to the graphs that use it, if any.
    static void destroy(DevicePtr pointer, Context* owner) noexcept;
};

/// Memory that host and device reach by the same address, freed with this object (cuMemFree).
class ManagedAllocation final : public DeviceMemory {
public:
    /// `bytes` bytes (at least one is allocated); `flags`: mem_attach_flags, GLOBAL or HOST (cuMemAllocManaged). Makes
    /// room as DeviceAllocation does.
    explicit ManagedAllocation(std::size_t bytes, unsigned flags);

    DevicePtr pointer() const override { return memory_.get(); }
    std::size_t size() const noexcept override { return size_; }
    std::shared_ptr<Context> context() const noexcept override { return memory_.owner(); }
    const char* what() const noexcept override { return ManagedTraits::what; }
    bool is_closed() const noexcept override { return memory_.get_or_null() == 0; }
    void* data() const { return reinterpret_cast<void*>(pointer()); }
    DevicePtr get_device_pointer() const { return pointer(); }
    /// Set which streams may use the memory, in stream order: mem_attach_flags (cuStreamAttachMemAsync). SINGLE means
    /// `stream` only.
    void attach(unsigned flags, const Stream* stream = nullptr);
    /// mem_advise for all of it.
    void advise(MemAdvice advice, int device = -1);
    /// mem_prefetch_async of all of it.
    void prefetch_async(int device, const Stream* stream = nullptr);

private:
    bool release() noexcept override;
    Handle<ManagedTraits> memory_;
    std::size_t size_;
};

}  // namespace pycuda
