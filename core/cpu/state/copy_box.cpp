#include "state/copy_box.hpp"

#include "state/array.hpp"
#include "state/device.hpp"
#include "state/error.hpp"

namespace cpu::state::copy {

namespace {

Place in_array(const BoxSide& side, const Extent& extent) {
    auto array = arrays().get(side.array, CUDA_ERROR_INVALID_VALUE);
    require(side.x_bytes + extent.width <= array->row_bytes());
    require(side.y + extent.height <= array->rows());
    require(side.z + extent.depth <= array->slices());
    Place place;
    place.row_pitch = array->row_bytes();
    place.slice_pitch = array->slice_bytes();
    place.data = array->data() + side.z * place.slice_pitch + side.y * place.row_pitch + side.x_bytes;
    place.held = std::move(array);
    return place;
}

}  // namespace

Place place_of(const BoxSide& side, const Extent& extent) {
    if (side.type == CU_MEMORYTYPE_ARRAY) return in_array(side, extent);
    require(side.pitch <= limits::maximum_pitch);
    const std::size_t pitch = side.pitch ? side.pitch : side.x_bytes + extent.width;
    const std::size_t height = side.height ? side.height : side.y + extent.height;
    require(pitch >= side.x_bytes + extent.width);
    require(height >= side.y + extent.height || extent.depth <= 1);
    const std::size_t slice = pitch * height;
    const std::size_t offset = side.z * slice + side.y * pitch + side.x_bytes;
    const std::size_t bytes = (extent.depth - 1) * slice + (extent.height - 1) * pitch + extent.width;
    Place place;
    switch (side.type) {
        case CU_MEMORYTYPE_HOST:
            place = host(static_cast<const std::byte*>(side.host) + offset, bytes);
            break;
        case CU_MEMORYTYPE_DEVICE:
            place = copy::device(side.device + offset, bytes);
            break;
        case CU_MEMORYTYPE_UNIFIED:
            place = unified(side.device + offset, bytes);
            break;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
    place.row_pitch = pitch;
    place.slice_pitch = slice;
    return place;
}

}  // namespace cpu::state::copy
