#include <algorithm>
#include <cstring>

#include "api/abi.hpp"
#include "api/declarations/newer.hpp"
#include "exec/copies/tensor_map.hpp"

using namespace cpu::api;
using cpu::exec::element_bits;
using cpu::exec::TensorMap;

namespace {

bool has_gaps(CUtensorMapDataType type) {
    return type == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B || type == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
}

bool is_float(CUtensorMapDataType type) {
    return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

/// The arguments that all kinds of tensor maps share.
struct Description {
    CUtensorMapDataType type;
    cuuint32_t rank;
    void* address;
    const cuuint64_t* sizes;
    const cuuint64_t* strides;
    const cuuint32_t* steps;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion promotion;
    CUtensorMapFloatOOBfill fill;

    std::uint64_t alignment() const { return interleave == CU_TENSOR_MAP_INTERLEAVE_32B || has_gaps(type) ? 32 : 16; }
    bool fits_swizzle(std::uint64_t inner_elements) const {
        if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || swizzle == CU_TENSOR_MAP_SWIZZLE_NONE) return true;
        const std::uint64_t span = 16u << std::min<unsigned>(swizzle, CU_TENSOR_MAP_SWIZZLE_128B);
        return inner_elements * element_bits(type) / 8 <= span;
    }

    void check() const {
        require(element_bits(type) != 0 && sizes && steps && strides);
        require(rank >= (interleave == CU_TENSOR_MAP_INTERLEAVE_NONE ? 1u : 3u) && rank <= TensorMap::max_dimensions);
        require(interleave <= CU_TENSOR_MAP_INTERLEAVE_32B && swizzle <= CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
        require(promotion <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
        require(fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE ||
                (fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA && is_float(type)));
        require(reinterpret_cast<std::uintptr_t>(address) % alignment() == 0);
        for (cuuint32_t d = 0; d < rank; ++d) {
            require(sizes[d] != 0 && sizes[d] <= 1ull << 32);
            const bool ignored = d == 0 && interleave == CU_TENSOR_MAP_INTERLEAVE_NONE;
            require(ignored || (steps[d] != 0 && steps[d] <= 8));
            if (d + 1 < rank) require(strides[d] % alignment() == 0 && strides[d] < 1ull << 40);
        }
        if (has_gaps(type)) require(sizes[0] % 128 == 0);
        if (type == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B) require(sizes[0] % 2 == 0);
        if (interleave == CU_TENSOR_MAP_INTERLEAVE_32B) require(swizzle == CU_TENSOR_MAP_SWIZZLE_32B);
        if (has_gaps(type)) {
            const bool six = type == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
            require(swizzle == CU_TENSOR_MAP_SWIZZLE_NONE || swizzle == CU_TENSOR_MAP_SWIZZLE_128B ||
                    swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B ||
                    (six && swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B));
            require(!six || interleave == CU_TENSOR_MAP_INTERLEAVE_NONE);
        }
    }

    TensorMap encoded(TensorMap::Kind kind) const {
        TensorMap map;
        map.mark = TensorMap::valid;
        map.address = reinterpret_cast<std::uintptr_t>(address);
        map.dimensions = static_cast<std::uint8_t>(rank);
        map.type = static_cast<std::uint8_t>(type);
        map.interleave = static_cast<std::uint8_t>(interleave);
        map.swizzle = static_cast<std::uint8_t>(swizzle);
        map.fills_with_nan = fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
        map.kind = kind;
        for (cuuint32_t d = 0; d < rank; ++d) {
            map.last[d] = static_cast<std::uint32_t>(sizes[d] - 1);
            if (d + 1 < rank) map.strides[d] = strides[d];
            const bool ignored = d == 0 && interleave == CU_TENSOR_MAP_INTERLEAVE_NONE;
            map.steps[d] = static_cast<std::uint8_t>(ignored ? 1 : steps[d]);
        }
        return map;
    }
};

void store(CUtensorMap* where, const TensorMap& map) {
    require(where != nullptr && reinterpret_cast<std::uintptr_t>(where) % 64 == 0);
    *where = {};
    std::memcpy(where, &map, sizeof map);
}

/// Checks the offsets of the pixel box, slowest dimension first; their number determines the permitted range.
void check_corners(const Description& tensor, const int* lower, const int* upper) {
    require(lower && upper && tensor.rank >= 3);
    const int max = tensor.rank == 3 ? 32767 : tensor.rank == 4 ? 127 : 15;
    for (cuuint32_t d = 0; d + 2 < tensor.rank; ++d) {
        require(lower[d] >= -max - 1 && lower[d] <= max && upper[d] >= -max - 1 && upper[d] <= max);
        const auto size = static_cast<std::int64_t>(tensor.sizes[d + 1]);
        require(size + upper[d] - lower[d] > 0);
    }
}

}  // namespace

CUresult cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
                                void* globalAddress, const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                const cuuint32_t* boxDim, const cuuint32_t* elementStrides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill) {
    return entry("cuTensorMapEncodeTiled", [&] {
        const Description tensor{tensorDataType, tensorRank, globalAddress, globalDim,   globalStrides,
                                 elementStrides, interleave, swizzle,       l2Promotion, oobFill};
        tensor.check();
        require(boxDim != nullptr);
        TensorMap map = tensor.encoded(TensorMap::Kind::Tiled);
        for (cuuint32_t d = 0; d < tensorRank; ++d) {
            require(boxDim[d] != 0 && boxDim[d] <= 256);
            map.box[d] = static_cast<std::uint16_t>(boxDim[d]);
        }
        if (interleave == CU_TENSOR_MAP_INTERLEAVE_NONE) require(boxDim[0] * element_bits(tensorDataType) % 128 == 0);
        require(!has_gaps(tensorDataType) || boxDim[0] == 128);
        require(tensor.fits_swizzle(boxDim[0]));
        store(tensorMap, map);
    });
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
                                 void* globalAddress, const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                 const int* pixelBoxLowerCorner, const int* pixelBoxUpperCorner,
                                 cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                                 const cuuint32_t* elementStrides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                                 CUtensorMapFloatOOBfill oobFill) {
    return entry("cuTensorMapEncodeIm2col", [&] {
        const Description tensor{tensorDataType, tensorRank, globalAddress, globalDim,   globalStrides,
                                 elementStrides, interleave, swizzle,       l2Promotion, oobFill};
        tensor.check();
        check_corners(tensor, pixelBoxLowerCorner, pixelBoxUpperCorner);
        require(channelsPerPixel != 0 && channelsPerPixel <= 256 && pixelsPerColumn != 0 && pixelsPerColumn <= 1024);
        require(!has_gaps(tensorDataType) || channelsPerPixel == 128);
        require(tensor.fits_swizzle(channelsPerPixel));
        store(tensorMap, tensor.encoded(TensorMap::Kind::Im2col));
    });
}

CUresult cuTensorMapEncodeIm2colWide(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                     const cuuint64_t*, int, int, cuuint32_t, cuuint32_t, const cuuint32_t*,
                                     CUtensorMapInterleave, CUtensorMapIm2ColWideMode, CUtensorMapSwizzle,
                                     CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    // Requires compute capability 10.0.
    return entry("cuTensorMapEncodeIm2colWide", [] { fail(CUDA_ERROR_NOT_SUPPORTED); });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* tensorMap, void* globalAddress) {
    return entry("cuTensorMapReplaceAddress", [&] {
        require(tensorMap != nullptr);
        TensorMap map;
        std::memcpy(static_cast<void*>(&map), tensorMap, sizeof map);
        require(map.mark == TensorMap::valid);
        const bool wide =
            map.interleave == CU_TENSOR_MAP_INTERLEAVE_32B || has_gaps(static_cast<CUtensorMapDataType>(map.type));
        require(reinterpret_cast<std::uintptr_t>(globalAddress) % (wide ? 32 : 16) == 0);
        map.address = reinterpret_cast<std::uintptr_t>(globalAddress);
        store(tensorMap, map);
    });
}

CUresult cuTensorMapSetAllocationClass(CUtensorMap* tensorMap, int allocClass, int* outAllocClass) {
    return entry("cuTensorMapSetAllocationClass", [&] {
        constexpr int small = 1, last = 2;
        if (outAllocClass) *outAllocClass = small;
        require(tensorMap != nullptr && allocClass >= 0 && allocClass <= last);
        TensorMap map;
        std::memcpy(static_cast<void*>(&map), tensorMap, sizeof map);
        require(map.mark == TensorMap::valid);  // compute capability 9.0 has no other class
    });
}
