#include "state/external/external_memory.hpp"

#include "api/abi.hpp"
#include "state/context.hpp"

using namespace cpu::api;
using namespace cpu::state;

CUresult cuImportExternalMemory(CUexternalMemory* extMem_out, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* memHandleDesc) {
    return entry_unseen_by_captures("cuImportExternalMemory", [&] {
        const auto& context = current_context();
        require(extMem_out != nullptr && memHandleDesc != nullptr);
        require(memHandleDesc->type >= CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD &&
                memHandleDesc->type <= CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD);
        // As on Linux, without NvSci, on devices other than Tegra's.
        require(memHandleDesc->type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, CUDA_ERROR_NOT_SUPPORTED);
        require((memHandleDesc->flags & ~static_cast<unsigned>(CUDA_EXTERNAL_MEMORY_DEDICATED)) == 0);
        const int descriptor = memHandleDesc->handle.fd;
        *extMem_out =
            external_memories().add(std::make_shared<ExternalMemory>(*context, descriptor, memHandleDesc->size));
        SharedFile::close_imported(descriptor);
    });
}

CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr* devPtr, CUexternalMemory extMem,
                                         const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* bufferDesc) {
    return entry_unseen_by_captures("cuExternalMemoryGetMappedBuffer", [&] {
        require(devPtr != nullptr && bufferDesc != nullptr && bufferDesc->flags == 0);
        *devPtr = external_memories().get(extMem)->map_buffer(bufferDesc->offset, bufferDesc->size);
    });
}

CUresult cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray* mipmap, CUexternalMemory extMem,
                                                 const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC* mipmapDesc) {
    return entry_unseen_by_captures("cuExternalMemoryGetMappedMipmappedArray", [&] {
        require(mipmap != nullptr && mipmapDesc != nullptr);
        *mipmap = external_memories().get(extMem)->map_levels(mipmapDesc->offset, mipmapDesc->arrayDesc,
                                                              mipmapDesc->numLevels);
    });
}

CUresult cuDestroyExternalMemory(CUexternalMemory extMem) {
    return entry_unseen_by_captures("cuDestroyExternalMemory", [&] {
        require(external_memories().take(extMem) != nullptr, CUDA_ERROR_INVALID_HANDLE);
    });
}
