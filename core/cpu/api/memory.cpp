#include "api/abi.hpp"

#include "state/device.hpp"
#include "state/memory/memory.hpp"

#include <bit>

using namespace cpu::api;
using namespace cpu::state;

namespace {

constexpr unsigned host_alloc_flags =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned host_register_flags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                         CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;

}  // namespace

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
    return entry("cuMemGetInfo", [&] {
        const Device& device = current_context()->device();
        put_optional(free, device.free_memory());
        put_optional(total, device.total_memory());
    });
}

CUresult cuMemAlloc_v2(CUdeviceptr* dptr, size_t bytesize) {
    return entry_unseen_by_captures("cuMemAlloc", [&] {
        const auto& context = current_context();
        require(dptr != nullptr);
        *dptr = memory::allocate_device(*context, bytesize)->base;
    });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* dptr, size_t* pPitch, size_t WidthInBytes, size_t Height,
                            unsigned int ElementSizeBytes) {
    return entry_unseen_by_captures("cuMemAllocPitch", [&] {
        require(dptr != nullptr && pPitch != nullptr && WidthInBytes > 0 && Height > 0);
        require(ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16);
        require(WidthInBytes <= SIZE_MAX - limits::pitch_alignment, CUDA_ERROR_OUT_OF_MEMORY);
        const std::size_t pitch =
            (WidthInBytes + limits::pitch_alignment - 1) / limits::pitch_alignment * limits::pitch_alignment;
        require(Height <= SIZE_MAX / pitch, CUDA_ERROR_OUT_OF_MEMORY);
        *dptr = memory::allocate_device(*current_context(), pitch * Height)->base;
        *pPitch = pitch;
    });
}

CUresult cuMemAllocManaged(CUdeviceptr* dptr, size_t bytesize, unsigned int flags) {
    return entry_unseen_by_captures("cuMemAllocManaged", [&] {
        require(dptr != nullptr && (flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST));
        *dptr = memory::allocate_device(*current_context(), bytesize, Allocation::Kind::Managed, flags)->base;
    });
}

CUresult cuMemFree_v2(CUdeviceptr dptr) {
    return entry_unseen_by_captures("cuMemFree", [&] {
        const auto freed = AddressSpace::instance().find(dptr);
        if (freed && !freed->pooled && !freed->of_graph) wait_until_idle();
        memory::free_device(dptr);
    });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr) {
    return entry("cuMemGetAddressRange", [&] {
        current_context();
        const auto found = AddressSpace::instance().find(dptr);
        require(found != nullptr, CUDA_ERROR_NOT_FOUND);
        put_optional(pbase, found->base);
        put_optional(psize, found->size);
    });
}

CUresult cuMemHostAlloc(void** pp, size_t bytesize, unsigned int Flags) {
    return entry_unseen_by_captures("cuMemHostAlloc", [&] {
        require(pp != nullptr && (Flags & ~host_alloc_flags) == 0);
        const auto& context = current_context();
        *pp = bytesize == 0 ? nullptr : memory::allocate_host(*context, bytesize, Flags)->data();
    });
}

CUresult cuMemAllocHost_v2(void** pp, size_t bytesize) {
    return entry_unseen_by_captures("cuMemAllocHost", [&] {
        require(pp != nullptr);
        const auto& context = current_context();
        *pp = bytesize == 0 ? nullptr : memory::allocate_host(*context, bytesize, 0)->data();
    });
}

CUresult cuMemFreeHost(void* p) {
    return entry_unseen_by_captures("cuMemFreeHost", [&] {
        if (!p) return;
        wait_until_idle();
        memory::free_host(p);
    });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* pdptr, void* p, unsigned int Flags) {
    return entry("cuMemHostGetDevicePointer", [&] {
        require(pdptr != nullptr && Flags == 0);
        current_context();
        memory::host_range(p);
        *pdptr = reinterpret_cast<CUdeviceptr>(p);
    });
}

CUresult cuMemHostGetFlags(unsigned int* pFlags, void* p) {
    return entry("cuMemHostGetFlags", [&] {
        require(pFlags != nullptr);
        current_context();
        const auto found = memory::host_range(p);
        // There is a single address space: all page-locked memory is mapped for all devices, with or without the flag.
        static_assert(CU_MEMHOSTALLOC_PORTABLE == CU_MEMHOSTREGISTER_PORTABLE);
        const unsigned kept =
            found->kind == Allocation::Kind::Host ? found->flags : found->flags & CU_MEMHOSTREGISTER_PORTABLE;
        *pFlags = kept | CU_MEMHOSTALLOC_DEVICEMAP;
    });
}

CUresult cuMemHostRegister_v2(void* p, size_t bytesize, unsigned int Flags) {
    return entry_unseen_by_captures("cuMemHostRegister", [&] {
        require((Flags & ~host_register_flags) == 0);
        memory::register_host(*current_context(), p, bytesize, Flags);
    });
}

CUresult cuMemHostRegister(void* p, size_t bytesize, unsigned int Flags) {
    return cuMemHostRegister_v2(p, bytesize, Flags);
}

CUresult cuMemHostUnregister(void* p) {
    return entry_unseen_by_captures("cuMemHostUnregister", [&] {
        require(p != nullptr);
        current_context();
        wait_until_idle();
        memory::unregister_host(p);
    });
}
