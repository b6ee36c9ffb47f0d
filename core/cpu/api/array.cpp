#include "api/abi.hpp"

#include "state/device.hpp"
#include "state/textures/array.hpp"

using namespace cpu::api;
using namespace cpu::state;

CUresult cuArray3DCreate_v2(CUarray* pHandle, const CUDA_ARRAY3D_DESCRIPTOR* pAllocateArray) {
    return entry_unseen_by_captures("cuArray3DCreate", [&] {
        require(pHandle != nullptr && pAllocateArray != nullptr);
        *pHandle = arrays().add(std::make_shared<Array>(*current_context(), *pAllocateArray));
    });
}

CUresult cuArrayCreate_v2(CUarray* pHandle, const CUDA_ARRAY_DESCRIPTOR* pAllocateArray) {
    return entry_unseen_by_captures("cuArrayCreate", [&] {
        require(pHandle != nullptr && pAllocateArray != nullptr);
        const CUDA_ARRAY3D_DESCRIPTOR full{.Width = pAllocateArray->Width,
                                           .Height = pAllocateArray->Height,
                                           .Depth = 0,
                                           .Format = pAllocateArray->Format,
                                           .NumChannels = pAllocateArray->NumChannels,
                                           .Flags = 0};
        *pHandle = arrays().add(std::make_shared<Array>(*current_context(), full));
    });
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
    return entry("cuArray3DGetDescriptor", [&] {
        current_context();
        put(pArrayDescriptor, arrays().get(hArray)->descriptor());
    });
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
    return entry("cuArrayGetDescriptor", [&] {
        current_context();
        require(pArrayDescriptor != nullptr);
        const auto array = arrays().get(hArray);
        const CUDA_ARRAY3D_DESCRIPTOR& full = array->descriptor();
        *pArrayDescriptor = {full.Width, full.Height, full.Format, full.NumChannels};
    });
}

CUresult cuArrayDestroy(CUarray hArray) {
    return entry_unseen_by_captures("cuArrayDestroy", [&] {
        const std::shared_ptr<Context> context = current_context();
        const auto array = arrays().get(hArray);
        if (array->is_level) return;  // destroyed with its mipmapped array
        context->synchronize();
        arrays().take(hArray);
        array->freed = true;
    });
}

namespace {

/// Defined only for multi-planar and sparse arrays, which the CPU device does not support.
CUresult of_special_array(const char* name, const void* out, CUarray array,
                          CUresult no_array = CUDA_ERROR_INVALID_HANDLE) {
    return entry(name, [&] {
        require(out != nullptr);
        arrays().get(array, no_array);
        fail(CUDA_ERROR_INVALID_VALUE);
    });
}

CUresult of_special_array(const char* name, const void* out, CUmipmappedArray array) {
    return entry(name, [&] {
        require(out != nullptr);
        mipmapped_arrays().get(array);
        fail(CUDA_ERROR_INVALID_VALUE);
    });
}

}  // namespace

CUresult cuArrayGetPlane(CUarray* pPlaneArray, CUarray hArray, unsigned int) {
    return of_special_array("cuArrayGetPlane", pPlaneArray, hArray);
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* memoryRequirements, CUarray array, CUdevice) {
    return of_special_array("cuArrayGetMemoryRequirements", memoryRequirements, array, CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* memoryRequirements,
                                               CUmipmappedArray mipmap, CUdevice) {
    return of_special_array("cuMipmappedArrayGetMemoryRequirements", memoryRequirements, mipmap);
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* sparseProperties, CUarray array) {
    return of_special_array("cuArrayGetSparseProperties", sparseProperties, array);
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* sparseProperties, CUmipmappedArray mipmap) {
    return of_special_array("cuMipmappedArrayGetSparseProperties", sparseProperties, mipmap);
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* pHandle, const CUDA_ARRAY3D_DESCRIPTOR* pMipmappedArrayDesc,
                                unsigned int numMipmapLevels) {
    return entry_unseen_by_captures("cuMipmappedArrayCreate", [&] {
        require(pHandle != nullptr && pMipmappedArrayDesc != nullptr);
        *pHandle = mipmapped_arrays().add(
            std::make_shared<MipmappedArray>(*current_context(), *pMipmappedArrayDesc, numMipmapLevels));
    });
}

CUresult cuMipmappedArrayGetLevel(CUarray* pLevelArray, CUmipmappedArray hMipmappedArray, unsigned int level) {
    return entry("cuMipmappedArrayGetLevel", [&] {
        current_context();
        put(pLevelArray, mipmapped_arrays().get(hMipmappedArray)->level(level));
    });
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
    return entry_unseen_by_captures("cuMipmappedArrayDestroy", [&] {
        const std::shared_ptr<Context> context = current_context();
        const auto array = mipmapped_arrays().get(hMipmappedArray);
        context->synchronize();
        mipmapped_arrays().take(hMipmappedArray);
        array->freed = true;
    });
}
