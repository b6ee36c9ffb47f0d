// Tensor maps at the C ABI. The copies that use them are tested from Python, on GPUs too.
#include "driver/driver_test.hpp"

#include <cstring>
#include <functional>
#include <vector>

namespace {

struct Tiled {
    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    cuuint32_t rank = 3;
    std::uintptr_t address = 1 << 20;
    std::vector<cuuint64_t> sizes{128, 64, 32}, strides{512, 32768};
    std::vector<cuuint32_t> box{16, 8, 4}, steps{1, 1, 1};
    CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
    CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;

    CUresult encode(CUtensorMap* map) const {
        return cuTensorMapEncodeTiled(map, type, rank, reinterpret_cast<void*>(address), sizes.data(), strides.data(),
                                      box.data(), steps.data(), interleave, swizzle, promotion, fill);
    }
};

class TensorMapTest : public InContext {};

TEST_F(TensorMapTest, BrokenRulesAreInvalidValues) {
    CUtensorMap map;
    EXPECT_EQ(Tiled{}.encode(&map), CUDA_SUCCESS);
    EXPECT_EQ(Tiled{}.encode(nullptr), CUDA_ERROR_INVALID_VALUE);
    const std::vector<std::function<void(Tiled&)>> changes{
        [](Tiled& t) { t.type = static_cast<CUtensorMapDataType>(99); },
        [](Tiled& t) { t.rank = 0; },
        [](Tiled& t) { t.rank = 6; },
        [](Tiled& t) { t.rank = 2, t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; },
        [](Tiled& t) { t.address += 8; },
        [](Tiled& t) { t.sizes[1] = 0; },
        [](Tiled& t) { t.sizes[1] = (1ull << 32) + 1; },
        [](Tiled& t) { t.strides[0] = 520; },
        [](Tiled& t) { t.strides[1] = 1ull << 40; },
        [](Tiled& t) { t.box[0] = 6; },
        [](Tiled& t) { t.box[1] = 0; },
        [](Tiled& t) { t.box[2] = 257; },
        [](Tiled& t) { t.steps[1] = 0; },
        [](Tiled& t) { t.steps[2] = 9; },
        [](Tiled& t) { t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; },
        [](Tiled& t) { t.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; },
        [](Tiled& t) { t.promotion = static_cast<CUtensorMapL2promotion>(4); },
        [](Tiled& t) {
            t.type = CU_TENSOR_MAP_DATA_TYPE_INT32;
            t.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
        }};
    for (std::size_t n = 0; n < changes.size(); ++n) {
        Tiled tensor;
        changes[n](tensor);
        if (!on_cpu_device() && tensor.interleave == CU_TENSOR_MAP_INTERLEAVE_32B)
            continue;  // NVIDIA's driver takes it with any swizzle
        EXPECT_EQ(tensor.encode(&map), CUDA_ERROR_INVALID_VALUE) << n;
    }
}

TEST_F(TensorMapTest, OnlyMapsGetOtherAddresses) {
    CUtensorMap map, garbage{};
    ASSERT_EQ(Tiled{}.encode(&map), CUDA_SUCCESS);
    EXPECT_EQ(cuTensorMapReplaceAddress(&map, reinterpret_cast<void*>(1 << 21)), CUDA_SUCCESS);
    CUtensorMap other;
    Tiled moved;
    moved.address = 1 << 21;
    ASSERT_EQ(moved.encode(&other), CUDA_SUCCESS);
    EXPECT_EQ(std::memcmp(&map, &other, sizeof map), 0);
    EXPECT_EQ(cuTensorMapReplaceAddress(&map, reinterpret_cast<void*>((1 << 21) + 8)), CUDA_ERROR_INVALID_VALUE);
    if (on_cpu_device()) {  // NVIDIA's driver writes into anything
        EXPECT_EQ(cuTensorMapReplaceAddress(&garbage, reinterpret_cast<void*>(1 << 21)), CUDA_ERROR_INVALID_VALUE);
    }
    EXPECT_EQ(cuTensorMapReplaceAddress(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(TensorMapTest, WideMapsAreOfNewerDevices) {
    CUtensorMap map;
    const Tiled t;
    EXPECT_EQ(
        cuTensorMapEncodeIm2colWide(&map, t.type, 3, reinterpret_cast<void*>(t.address), t.sizes.data(),
                                    t.strides.data(), 0, 0, 16, 16, t.steps.data(), t.interleave,
                                    CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, CU_TENSOR_MAP_SWIZZLE_64B, t.promotion, t.fill),
        on_cpu_device() ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS);  // NVIDIA's driver encodes them for any device
}

}  // namespace
