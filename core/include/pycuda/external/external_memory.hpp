#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

#include "pycuda/arrays/array.hpp"
#include "pycuda/constants/constants.hpp"
#include "pycuda/external/shared_handle.hpp"
#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

struct ExternalMemoryTraits {
    using type = CUexternalMemory;
    static constexpr const char* what = "external memory";
    static void destroy(CUexternalMemory memory) noexcept;
};

/// Device memory that is a part of memory of another interface (ExternalMemory::map_buffer), which it keeps.
class ExternalBuffer final : public DeviceMemory {
public:
    ~ExternalBuffer() override { release(); }

    DevicePtr pointer() const override;
    std::size_t size() const noexcept override { return size_; }
    std::shared_ptr<Context> context() const noexcept override { return is_closed() ? nullptr : context_; }
    const char* what() const noexcept override { return name; }
    bool is_closed() const noexcept override { return !open_.load(std::memory_order_acquire); }

    static constexpr const char* name = "external buffer";

private:
    friend class ExternalMemory;
    struct Mapping;
    ExternalBuffer(std::shared_ptr<Mapping> mapping, std::size_t size);
    bool release() noexcept override;

    const std::shared_ptr<Context> context_;
    const DevicePtr address_;
    const std::size_t size_;
    std::atomic<bool> open_{true};
    std::shared_ptr<Mapping> mapping_;  ///< taken by the call that closes the buffer
};

/// Memory of another interface, such as Vulkan. Belongs to the context current at its import. What is mapped onto it
/// keeps the driver's object. Thread-safe.
class ExternalMemory {
public:
    /// Import `size` bytes, all of them, by a file descriptor (cuImportExternalMemory). From then on the descriptor
    /// belongs to the driver: the program must not use it, nor close it. After an error it still belongs to the
    /// program. `dedicated`: the other interface has it as a dedicated allocation. LogicError for a type that is not a
    /// file descriptor.
    ExternalMemory(int descriptor, std::size_t size, bool dedicated = false,
                   pycuda::ExternalMemoryHandleType handle_type = pycuda::ExternalMemoryHandleType::OPAQUE_FD);

    std::size_t size() const noexcept { return size_; }
    /// Map `size` bytes from byte `offset` on (cuExternalMemoryGetMappedBuffer); 0: all that follow. LogicError if they
    /// are not a part of it.
    std::unique_ptr<ExternalBuffer> map_buffer(std::size_t offset = 0, std::size_t size = 0) const;
    /// Map an image of the other interface, from byte `offset` on, which has this shape and so many levels
    /// (cuExternalMemoryGetMappedMipmappedArray).
    std::shared_ptr<MipmappedArray> map_mipmapped_array(const ArrayDescriptor3D& descriptor, unsigned levels = 1,
                                                        std::size_t offset = 0) const;

    CUexternalMemory handle() const { return memory_.share()->get(); }
    /// LogicError after close.
    std::shared_ptr<Context> context() const { return memory_.share()->live_owner(); }
    /// The driver's object ends when nothing is mapped onto it any more (cuDestroyExternalMemory).
    void close() noexcept { memory_.close(); }

private:
    const std::size_t size_;
    SharedHandle<ExternalMemoryTraits> memory_;
};

}  // namespace pycuda
