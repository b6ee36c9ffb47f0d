#pragma once

#include <cuda.h>

#include <cstdint>

namespace cpu::exec {

/// The contents of a CUtensorMap of this device. The elements of dimension 0 are contiguous.
struct TensorMap {
    static constexpr std::uint64_t valid = 0x70616d726f736e65;
    static constexpr unsigned max_dimensions = 5;
    enum class Kind : std::uint8_t { Tiled, Im2col };

    std::uint64_t mark = 0;  ///< `valid`
    std::uint64_t address = 0;
    std::uint64_t strides[max_dimensions - 1]{};  ///< in bytes, for dimensions 1, 2, ...
    std::uint32_t last[max_dimensions]{};         ///< index of the last element of each dimension
    std::uint16_t box[max_dimensions]{};          ///< the box that is traversed, in elements
    std::uint8_t steps[max_dimensions]{};         ///< the distance between copied elements
    std::uint8_t dimensions = 0;
    std::uint8_t type = 0;        ///< CUtensorMapDataType
    std::uint8_t interleave = 0;  ///< CUtensorMapInterleave
    std::uint8_t swizzle = 0;     ///< CUtensorMapSwizzle
    bool fills_with_nan = false;
    Kind kind = Kind::Tiled;
};
static_assert(sizeof(TensorMap) <= sizeof(CUtensorMap));

/// The size of an element in bits; 0 if there is no such type.
constexpr std::uint32_t element_bits(CUtensorMapDataType type) {
    switch (type) {
        case CU_TENSOR_MAP_DATA_TYPE_UINT8:
            return 8;
        case CU_TENSOR_MAP_DATA_TYPE_UINT16:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
        case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
            return 16;
        case CU_TENSOR_MAP_DATA_TYPE_UINT32:
        case CU_TENSOR_MAP_DATA_TYPE_INT32:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
        case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
        case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
            return 32;
        case CU_TENSOR_MAP_DATA_TYPE_UINT64:
        case CU_TENSOR_MAP_DATA_TYPE_INT64:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
            return 64;
        case CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B:
        case CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B:
            return 4;
        case CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B:
            return 6;
        default:
            return 0;
    }
}

}  // namespace cpu::exec
