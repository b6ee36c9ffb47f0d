#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace cpu::state {

class Stream;

namespace copy {

/// A box of bytes: `width` bytes a row, `height` rows a slice, `depth` slices.
struct Extent {
    std::size_t width = 0;
    std::size_t height = 1;
    std::size_t depth = 1;
    bool empty() const noexcept { return width == 0 || height == 0 || depth == 0; }
};

/// One end of a copy: where the box starts and how its rows and slices lie.
struct Place {
    std::byte* data = nullptr;
    std::size_t row_pitch = 0;
    std::size_t slice_pitch = 0;
    bool pageable = false;             ///< host memory that the driver does not know
    bool host = false;                 ///< host memory of either sort
    std::shared_ptr<const void> held;  ///< what keeps the memory alive until the copy is done
};

/// Memory that must be known to the driver; throws CUDA_ERROR_INVALID_VALUE when [pointer, pointer + bytes) is not
/// inside one live allocation. Kernels' read-only variables may be written by copies.
Place device(CUdeviceptr pointer, std::size_t bytes);
/// Host memory: page-locked when the driver knows it, else pageable and not checked.
Place host(const void* pointer, std::size_t bytes);
/// Device memory when the driver knows the pointer, else host memory.
Place unified(CUdeviceptr pointer, std::size_t bytes);

enum class Mode {
    Synchronous,   ///< finished on return
    Asynchronous,  ///< in stream order; a pageable source has been read, a pageable destination written, on return
};

/// Submits the copy. A copy between two pieces of device memory may still be under way after a synchronous call, as
/// with the driver. Throws the context's fault if that is known on return.
void submit(Stream& stream, Place to, Place from, const Extent& extent, Mode mode);

/// Submits writing `value`, of 1, 2 or 4 bytes, over rows of `width` elements.
void submit_fill(Stream& stream, CUdeviceptr to, std::size_t pitch, std::uint32_t value, std::size_t element_size,
                 std::size_t width, std::size_t height, Mode mode);

}  // namespace copy

}  // namespace cpu::state
