#include "arrays/array_mapping.hpp"

#include <gtest/gtest.h>

namespace pycuda {
namespace {

CUarray fake_array() {
    return reinterpret_cast<CUarray>(std::uintptr_t{0x1230});
}

TEST(ArrayMapping, MapsMemoryOfOneDevice) {
    CUarrayMapInfo info = mapping_of({.memory = 77, .offset = 1 << 16}, 3);
    set_resource(info, fake_array());
    EXPECT_EQ(info.memOperationType, CU_MEM_OPERATION_TYPE_MAP);
    EXPECT_EQ(info.memHandleType, CU_MEM_HANDLE_TYPE_GENERIC);
    EXPECT_EQ(info.memHandle.memHandle, 77u);
    EXPECT_EQ(info.offset, 1u << 16);
    EXPECT_EQ(info.deviceBitMask, 8u);
    EXPECT_EQ(info.resourceType, CU_RESOURCE_TYPE_ARRAY);
    EXPECT_EQ(info.resource.array, fake_array());
    EXPECT_EQ(info.flags, 0u);
}

TEST(ArrayMapping, UnmapsWithoutMemory) {
    const CUarrayMapInfo info = mapping_of({}, 0);
    EXPECT_EQ(info.memOperationType, CU_MEM_OPERATION_TYPE_UNMAP);
    EXPECT_EQ(info.memHandle.memHandle, 0u);
    EXPECT_EQ(info.deviceBitMask, 1u);
}

TEST(ArrayMapping, ARegionIsASparseLevel) {
    CUarrayMapInfo info = mapping_of({.memory = 1}, 0);
    const auto mipmap = reinterpret_cast<CUmipmappedArray>(std::uintptr_t{0x4560});
    set_resource(info, mipmap);
    set_subresource(info, SparseRegion{1, 2, 3, 4, 5, 6, 7, 8});
    EXPECT_EQ(info.resourceType, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY);
    EXPECT_EQ(info.resource.mipmap, mipmap);
    EXPECT_EQ(info.subresourceType, CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL);
    const auto& level = info.subresource.sparseLevel;
    EXPECT_EQ(level.level, 1u);
    EXPECT_EQ(level.layer, 2u);
    EXPECT_EQ(level.offsetX, 3u);
    EXPECT_EQ(level.offsetY, 4u);
    EXPECT_EQ(level.offsetZ, 5u);
    EXPECT_EQ(level.extentWidth, 6u);
    EXPECT_EQ(level.extentHeight, 7u);
    EXPECT_EQ(level.extentDepth, 8u);
}

TEST(ArrayMapping, AMipTailHasBytes) {
    CUarrayMapInfo info = mapping_of({.memory = 1}, 0);
    set_subresource(info, MipTailRange{.offset = 1 << 16, .size = 1 << 17, .layer = 5});
    EXPECT_EQ(info.subresourceType, CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL);
    EXPECT_EQ(info.subresource.miptail.layer, 5u);
    EXPECT_EQ(info.subresource.miptail.offset, 1u << 16);
    EXPECT_EQ(info.subresource.miptail.size, 1u << 17);
}

}  // namespace
}  // namespace pycuda
