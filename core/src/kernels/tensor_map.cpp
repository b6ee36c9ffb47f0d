#include "pycuda/kernels/tensor_map.hpp"

#include <stdexcept>
#include <string>

#include "driver/driver_table.hpp"
#include "kernels/tensor_map_rules.hpp"

namespace pycuda {
namespace {

/// The arguments that all calls begin with; `rest` comes next, then the arguments that all end with.
template <class Call, class... Rest>
void encode(const Call& call, CUtensorMap& map, const DriverLayout& layout, Rest... rest) {
    const TensorLayout& tensor = layout.tensor;
    const CUresult result = call.try_call(
        &map, static_cast<CUtensorMapDataType>(tensor.dtype), layout.rank, reinterpret_cast<void*>(tensor.address),
        layout.sizes.data(), layout.strides.data(), rest..., static_cast<CUtensorMapL2promotion>(tensor.l2_promotion),
        static_cast<CUtensorMapFloatOOBfill>(tensor.fill));
    if (result == CUDA_SUCCESS) return;
    std::string asked = element_text(tensor.dtype) + " " + axes_text(tensor.shape);
    if (!layout.doubt.empty()) asked += "; " + layout.doubt;
    call.fail(result, asked + "; tensor maps need compute capability 9.0, wide ones 10.0");
}

/// Checks offsets along the axes between the first and the last one.
void check_area(const TensorLayout& tensor, const std::vector<std::int64_t>& lower,
                const std::vector<std::int64_t>& upper) {
    for (std::size_t n = 0; n < lower.size(); ++n) {
        const std::int64_t size = tensor.shape[tensor.shape.size() - 1 - lower.size() + n];
        if (size + upper[n] - lower[n] <= 0)
            throw std::invalid_argument("TensorMap: expected corners with pixels between them, given " +
                                        axes_text(lower) + " and " + axes_text(upper) + " for shape " +
                                        axes_text(tensor.shape) + "; the upper one counts from the last pixel");
    }
}

}  // namespace

TensorMap::TensorMap(const TensorLayout& tensor, std::string kind)
    : address_(tensor.address),
      alignment_(tensor_alignment(tensor)),
      text_(element_text(tensor.dtype) + " " + axes_text(tensor.shape) + ", " + std::move(kind)) {}

TensorMap TensorMap::tiled(const TensorLayout& tensor, const std::vector<std::int64_t>& box) {
    const DriverLayout layout(tensor);
    const auto sizes = layout.numbers<cuuint32_t>("box", box, tensor.shape.size(), 1, 256);
    layout.check_tile(box);
    TensorMap map(tensor, "box " + axes_text(box));
    encode(driver().cuTensorMapEncodeTiled, map.map_, layout, sizes.data(), layout.steps.data(),
           static_cast<CUtensorMapInterleave>(tensor.interleave), static_cast<CUtensorMapSwizzle>(tensor.swizzle));
    return map;
}

TensorMap TensorMap::im2col(const TensorLayout& tensor, const std::vector<std::int64_t>& lower_corner,
                            const std::vector<std::int64_t>& upper_corner, std::int64_t channels_per_pixel,
                            std::int64_t pixels_per_column) {
    const DriverLayout layout(tensor);
    layout.check_pixels(channels_per_pixel, pixels_per_column);
    const std::size_t axes = tensor.shape.size() - 2;
    const std::int64_t max = axes == 1 ? 32767 : axes == 2 ? 127 : 15;
    const auto lower = layout.numbers<int>("lower_corner", lower_corner, axes, -max - 1, max);
    const auto upper = layout.numbers<int>("upper_corner", upper_corner, axes, -max - 1, max);
    check_area(tensor, lower_corner, upper_corner);
    TensorMap map(tensor, "im2col of " + std::to_string(pixels_per_column) + " pixels");
    encode(driver().cuTensorMapEncodeIm2col, map.map_, layout, lower.data(), upper.data(),
           static_cast<cuuint32_t>(channels_per_pixel), static_cast<cuuint32_t>(pixels_per_column), layout.steps.data(),
           static_cast<CUtensorMapInterleave>(tensor.interleave), static_cast<CUtensorMapSwizzle>(tensor.swizzle));
    return map;
}

TensorMap TensorMap::im2col_wide(const TensorLayout& tensor, std::int64_t lower_corner, std::int64_t upper_corner,
                                 std::int64_t channels_per_pixel, std::int64_t pixels_per_column,
                                 TensorMapIm2colWideMode mode) {
    const DriverLayout layout(tensor);
    const bool ignored = mode == TensorMapIm2colWideMode::W128;
    layout.check_pixels(channels_per_pixel, ignored ? 1 : pixels_per_column);
    layout.check_wide();
    const int lower = layout.numbers<int>("lower_corner", {lower_corner}, 1, -32768, 32767)[0];
    const int upper = layout.numbers<int>("upper_corner", {upper_corner}, 1, -32768, 32767)[0];
    check_area(tensor, {lower_corner}, {upper_corner});
    TensorMap map(tensor, "im2col along W");
    encode(driver().cuTensorMapEncodeIm2colWide, map.map_, layout, lower, upper,
           static_cast<cuuint32_t>(channels_per_pixel), static_cast<cuuint32_t>(pixels_per_column), layout.steps.data(),
           static_cast<CUtensorMapInterleave>(tensor.interleave), static_cast<CUtensorMapIm2ColWideMode>(mode),
           static_cast<CUtensorMapSwizzle>(tensor.swizzle));
    return map;
}

TensorMap TensorMap::with_allocation_class(TensorMapAllocationClass allocation_class) const {
    TensorMap changed = *this;
    int in_effect = 0;
    const auto& call = driver().cuTensorMapSetAllocationClass;
    if (const CUresult result = call.try_call(&changed.map_, static_cast<int>(allocation_class), &in_effect))
        call.fail(result, text_);
    changed.allocation_class_ = static_cast<TensorMapAllocationClass>(in_effect);
    return changed;
}

TensorMap TensorMap::at_address(DevicePtr address) const {
    check_tensor_address(address, alignment_);
    TensorMap map = *this;
    driver().cuTensorMapReplaceAddress(&map.map_, reinterpret_cast<void*>(address));
    map.address_ = address;
    return map;
}

void TensorMap::raise_moved(std::uint64_t address) const {
    throw LogicError("TensorMap", 0,
                     "its memory is at " + std::to_string(address) + " now, it was made for " +
                         std::to_string(address_) + ": make a map of the new memory, or replace its address");
}

}  // namespace pycuda
