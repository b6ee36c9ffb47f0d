#include "state/memory/copy_box.hpp"

#include "state/device.hpp"
#include "state/error.hpp"
#include "state/memory/size_math.hpp"
#include "state/textures/array.hpp"

namespace cpu::state::copy {

namespace {

Place in_array(const BoxSide& side, const Extent& extent) {
    auto array = arrays().get(side.array, CUDA_ERROR_INVALID_VALUE);
    require(sum(side.x_bytes, extent.width) <= array->row_bytes());
    require(sum(side.y, extent.height) <= array->rows());
    require(sum(side.z, extent.depth) <= array->slices());
    Place place;
    place.row_pitch = array->row_bytes();
    place.slice_pitch = array->slice_bytes();
    place.data = array->data() + side.z * place.slice_pitch + side.y * place.row_pitch + side.x_bytes;
    place.array = side.array;
    place.held = std::move(array);
    return place;
}

}  // namespace

Place place_of(const BoxSide& side, const Extent& extent) {
    if (side.type == CU_MEMORYTYPE_ARRAY) return in_array(side, extent);
    require(side.pitch <= limits::maximum_pitch);
    const std::size_t row_end = sum(side.x_bytes, extent.width), column_end = sum(side.y, extent.height);
    const std::size_t pitch = side.pitch ? side.pitch : row_end;
    const std::size_t height = side.height ? side.height : column_end;
    require(pitch >= row_end);
    require(height >= column_end || extent.depth <= 1);
    const std::size_t slice = product(pitch, height);
    const auto reach = [&](std::size_t slices, std::size_t rows, std::size_t columns) {
        return sum(sum(product(slices, slice), product(rows, pitch)), columns);
    };
    const std::size_t offset = reach(side.z, side.y, side.x_bytes);
    const std::size_t bytes = reach(extent.depth - 1, extent.height - 1, extent.width);
    sum(offset, bytes);
    Place place;
    switch (side.type) {
        case CU_MEMORYTYPE_HOST:
            place =
                host(reinterpret_cast<const void*>(sum(reinterpret_cast<std::uintptr_t>(side.host), offset)), bytes);
            break;
        case CU_MEMORYTYPE_DEVICE:
            place = copy::device(sum(side.device, offset), bytes);
            break;
        case CU_MEMORYTYPE_UNIFIED:
            place = unified(sum(side.device, offset), bytes);
            break;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
    place.row_pitch = pitch;
    place.slice_pitch = slice;
    return place;
}

}  // namespace cpu::state::copy
