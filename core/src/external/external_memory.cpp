#include "pycuda/external/external_memory.hpp"

#include <string>

#include "arrays/array_description.hpp"
#include "captures/used_by_graphs.hpp"
#include "driver/driver_table.hpp"
#include "external/file_descriptor.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/pending_waits.hpp"

namespace pycuda {
namespace {

std::atomic<long>& live_external_buffers() {
    static std::atomic<long>& counter = live_handle_counter(ExternalBuffer::name);
    return counter;
}

}  // namespace

/// Ends the mapping, then its reference to the memory.
struct ExternalBuffer::Mapping {
    std::shared_ptr<Context> context;
    DevicePtr address;
    SharedHandle<ExternalMemoryTraits>::Shared memory;

    Mapping(std::shared_ptr<Context> of, DevicePtr at, SharedHandle<ExternalMemoryTraits>::Shared onto) noexcept
        : context(std::move(of)), address(at), memory(std::move(onto)) {}
    ~Mapping() {
        clean_up_unlocked([owner = std::move(context), at = address, onto = std::move(memory)] {
            if (const CleanupScope scope(*owner); scope) free_when_none_waits(driver().cuMemFree, at);
        });
    }
};

void ExternalMemoryTraits::destroy(CUexternalMemory memory) noexcept {
    driver().cuDestroyExternalMemory.clean_up(memory);
}

ExternalMemory::ExternalMemory(int descriptor, std::size_t size, bool dedicated, ExternalMemoryHandleType handle_type)
    : size_(size) {
    require_descriptor(descriptor);
    const auto& call = driver().cuImportExternalMemory;
    const bool is_descriptor =
        handle_type == ExternalMemoryHandleType::OPAQUE_FD || handle_type == ExternalMemoryHandleType::DMABUF_FD;
    if (!is_descriptor)
        call.fail(CUDA_ERROR_NOT_SUPPORTED, not_a_descriptor("ExternalMemoryHandleType", static_cast<int>(handle_type),
                                                             "OPAQUE_FD or DMABUF_FD"));
    auto owner = Context::owner_of_new();
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
    description.type = static_cast<CUexternalMemoryHandleType>(handle_type);
    description.handle.fd = descriptor;
    description.size = size;
    description.flags = dedicated ? CUDA_EXTERNAL_MEMORY_DEDICATED : 0;
    CUexternalMemory memory = nullptr;
    if (const CUresult result = call.try_call(&memory, &description))
        call.fail(result, descriptor_text(descriptor) + ", " + std::to_string(size) +
                              " bytes: expected a descriptor of memory that another interface exported, with its size");
    memory_.take(memory, std::move(owner));
}

std::unique_ptr<ExternalBuffer> ExternalMemory::map_buffer(std::size_t offset, std::size_t size) const {
    auto memory = memory_.share();
    auto owner = memory->live_owner();
    const ContextScope scope(*owner);
    if (size == 0 && offset < size_) size = size_ - offset;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC description{};
    description.offset = offset;
    description.size = size;
    CUdeviceptr address = 0;
    const auto& call = driver().cuExternalMemoryGetMappedBuffer;
    if (const CUresult result = call.try_call(&address, memory->get(), &description))
        call.fail(result, std::to_string(size) + " bytes at byte " + std::to_string(offset) + " of " +
                              std::to_string(size_) + " bytes of external memory");
    std::shared_ptr<ExternalBuffer::Mapping> mapping;
    try {
        mapping = std::make_shared<ExternalBuffer::Mapping>(owner, address, std::move(memory));
    } catch (...) {
        driver().cuMemFree.clean_up(address);
        throw;
    }
    return std::unique_ptr<ExternalBuffer>(new ExternalBuffer(std::move(mapping), size));
}

std::shared_ptr<MipmappedArray> ExternalMemory::map_mipmapped_array(const ArrayDescriptor3D& descriptor,
                                                                    unsigned levels, std::size_t offset) const {
    const auto memory = memory_.share();
    auto owner = memory->live_owner();
    const ContextScope scope(*owner);
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC description{};
    description.offset = offset;
    description.arrayDesc = to_driver(descriptor);
    description.numLevels = levels;
    CUmipmappedArray array = nullptr;
    const auto& call = driver().cuExternalMemoryGetMappedMipmappedArray;
    if (const CUresult result = call.try_call(&array, memory->get(), &description))
        call.fail(result, text_of(descriptor) + ", " + std::to_string(levels) + " levels, at byte " +
                              std::to_string(offset) + " of " + std::to_string(size_) + " bytes of external memory");
    return MipmappedArray::mapped_onto(memory, array, std::move(owner));
}

ExternalBuffer::ExternalBuffer(std::shared_ptr<Mapping> mapping, std::size_t size)
    : context_(mapping->context), address_(mapping->address), size_(size), mapping_(std::move(mapping)) {
    ++live_external_buffers();
}

DevicePtr ExternalBuffer::pointer() const {
    if (is_closed()) raise_closed(name);
    if (!context_->is_valid()) raise_context_gone(name);
    return noted(address_);
}

bool ExternalBuffer::release() noexcept {
    if (!open_.exchange(false)) return false;
    const auto mapping = std::move(mapping_);
    --live_external_buffers();
    used_by_graphs::leave_to_graphs(address_, [&mapping] { return mapping; });
    return true;
}

}  // namespace pycuda
