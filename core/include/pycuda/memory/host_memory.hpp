#pragma once

#include <cstddef>
#include <memory>

#include "pycuda/constants/constants.hpp"
#include "pycuda/handles/handle.hpp"
#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

class Stream;

/// Host memory that a device copies at full speed or accesses directly. Exclusive owner;
/// neither copied nor moved.
class HostPointer {
public:
    virtual ~HostPointer() = default;
    HostPointer(const HostPointer&) = delete;
    HostPointer& operator=(const HostPointer&) = delete;

    /// The address; LogicError after free, and after the context's end.
    virtual void* data() const = 0;
    std::size_t size() const noexcept { return size_; }  ///< the requested size in bytes
    virtual const char* what() const noexcept = 0;       ///< for messages and live_handles
    virtual bool is_closed() const noexcept = 0;
    /// The memory's device address (cuMemHostGetDevicePointer). LogicError if it is not mapped.
    DevicePtr get_device_pointer() const;
    /// Free or unregister the memory now. LogicError if that was done already.
    void free();
    /// Free it now; a no-op if that was done already. For Java's close and for clean-up.
    void close() noexcept { release(); }

protected:
    explicit HostPointer(std::size_t size) noexcept : size_(size) {}

private:
    /// True if this call freed it.
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
    /// `bytes` bytes (at least one is allocated); `flags`: host_alloc_flags (cuMemHostAlloc). If such memory runs out,
    /// the hook of set_out_of_memory_hook runs and the allocation is tried once more.
    explicit PagelockedHostAllocation(std::size_t bytes, unsigned flags = 0);

    void* data() const override { return memory_.get(); }
    const char* what() const noexcept override { return PagelockedTraits::what; }
    bool is_closed() const noexcept override { return !memory_.get_or_null(); }
    /// Its host_alloc_flags (cuMemHostGetFlags).
    unsigned get_flags() const;

private:
    bool release() noexcept override;
    Handle<PagelockedTraits> memory_;
};

/// Pageable host memory that starts at a multiple of `alignment`, as register_host_memory requires. Needs no context.
class AlignedHostAllocation final : public HostPointer {
public:
    /// std::invalid_argument unless `alignment` is a power of two; std::bad_alloc if memory runs out.
    explicit AlignedHostAllocation(std::size_t bytes, std::size_t alignment = 4096);
    ~AlignedHostAllocation() override { release(); }

    void* data() const override;
    const char* what() const noexcept override { return "aligned allocation"; }
    bool is_closed() const noexcept override { return !memory_.load(std::memory_order_acquire); }

private:
    bool release() noexcept override;
    std::size_t alignment_;
    std::atomic<void*> memory_;
};

struct RegisteredTraits {
    using type = void*;
    static constexpr const char* what = "registered host memory";
    static constexpr bool is_number = true;
    /// Left to the graphs that use it, if any.
    static void destroy(void* memory, Context* owner) noexcept;
};

/// Existing host memory, page-locked while this object lives, and longer if graphs use it.
class RegisteredHostMemory final : public HostPointer {
public:
    /// `flags`: mem_host_register_flags (cuMemHostRegister). `owner` keeps the memory alive and is released
    /// with this object; without one, the caller must keep the memory alive.
    RegisteredHostMemory(void* memory, std::size_t bytes, unsigned flags = 0, std::shared_ptr<void> owner = nullptr);
    ~RegisteredHostMemory() override { release(); }

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
    /// `bytes` bytes (at least one is allocated); `flags`: mem_attach_flags, GLOBAL or HOST (cuMemAllocManaged). If
    /// memory runs out, it is handled as by DeviceAllocation.
    explicit ManagedAllocation(std::size_t bytes, unsigned flags);

    DevicePtr pointer() const override { return noted(memory_.get()); }
    std::size_t size() const noexcept override { return size_; }
    std::shared_ptr<Context> context() const noexcept override { return memory_.owner(); }
    const char* what() const noexcept override { return ManagedTraits::what; }
    bool is_closed() const noexcept override { return memory_.get_or_null() == 0; }
    void* data() const { return reinterpret_cast<void*>(pointer()); }
    DevicePtr get_device_pointer() const { return pointer(); }
    /// Set which streams may use the memory, in stream order: mem_attach_flags (cuStreamAttachMemAsync). SINGLE means
    /// `stream` only.
    void attach(unsigned flags, const Stream* stream = nullptr);
    /// mem_advise for the whole allocation.
    void advise(MemAdvice advice, int device = -1);
    /// mem_prefetch_async of the whole allocation.
    void prefetch_async(int device, const Stream* stream = nullptr);

private:
    bool release() noexcept override;
    Handle<ManagedTraits> memory_;
    std::size_t size_;
};

}  // namespace pycuda
