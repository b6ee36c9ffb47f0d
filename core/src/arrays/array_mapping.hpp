#pragma once

#include <cuda.h>

#include <cstddef>

#include "pycuda/arrays/array.hpp"

namespace pycuda {

/// Which memory an operation on a sparse array maps; without a handle, it unmaps.
struct MappedPool {
    CUmemGenericAllocationHandle memory = 0;
    std::size_t offset = 0;
};

/// An operation on the whole of an array or a mipmapped array, to which a subresource is added.
inline CUarrayMapInfo mapping_of(const MappedPool& pool, CUdevice device) {
    CUarrayMapInfo info{};
    info.memOperationType = pool.memory ? CU_MEM_OPERATION_TYPE_MAP : CU_MEM_OPERATION_TYPE_UNMAP;
    info.memHandleType = CU_MEM_HANDLE_TYPE_GENERIC;
    info.memHandle.memHandle = pool.memory;
    info.offset = pool.offset;
    info.deviceBitMask = 1u << device;
    return info;
}

inline void set_resource(CUarrayMapInfo& info, CUarray array) {
    info.resourceType = CU_RESOURCE_TYPE_ARRAY;
    info.resource.array = array;
}

inline void set_resource(CUarrayMapInfo& info, CUmipmappedArray array) {
    info.resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    info.resource.mipmap = array;
}

inline void set_subresource(CUarrayMapInfo& info, const SparseRegion& region) {
    info.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL;
    info.subresource.sparseLevel = {region.level, region.layer, region.x,      region.y,
                                    region.z,     region.width, region.height, region.depth};
}

/// Bytes of the mip tail of a layer.
struct MipTailRange {
    std::size_t offset = 0;
    std::size_t size = 0;
    unsigned layer = 0;
};

inline void set_subresource(CUarrayMapInfo& info, const MipTailRange& range) {
    info.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL;
    info.subresource.miptail = {range.layer, range.offset, range.size};
}

}  // namespace pycuda
