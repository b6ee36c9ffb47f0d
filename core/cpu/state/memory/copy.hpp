#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace cpu::state {

class Stream;

namespace copy {

/// A box of bytes: `width` bytes per row, `height` rows per slice, `depth` slices.
struct Extent {
    std::size_t width = 0;
    std::size_t height = 1;
    std::size_t depth = 1;
    bool empty() const noexcept { return width == 0 || height == 0 || depth == 0; }
    bool operator==(const Extent&) const = default;
};

/// One end of a copy: where the box starts, and the strides of its rows and slices.
struct Place {
    std::byte* data = nullptr;
    std::size_t row_pitch = 0;
    std::size_t slice_pitch = 0;
    bool pageable = false;             ///< host memory that is not registered with the driver
    bool host = false;                 ///< host memory, pageable or page-locked
    bool dormant = false;              ///< belongs to a graph and is not allocated now: for nodes only
    std::size_t bytes = 0;             ///< how many bytes a copy may access from `data` on; unused for arrays
    CUarray array = nullptr;           ///< the array that contains the memory
    std::shared_ptr<const void> held;  ///< keeps the memory alive until the copy is done

    /// True if a box of `extent` is the same bytes in both places.
    bool is_same_box(const Place& other, const Extent& extent) const noexcept {
        return data == other.data && array == other.array && (extent.height == 1 || row_pitch == other.row_pitch) &&
               (extent.depth == 1 || slice_pitch == other.slice_pitch);
    }
};

/// Memory that the driver must know; throws CUDA_ERROR_INVALID_VALUE if [pointer, pointer + bytes) is not inside one
/// live allocation. Copies may write to variables that are read-only for kernels.
Place device(CUdeviceptr pointer, std::size_t bytes);
/// Host memory: page-locked if the driver knows it, else pageable and unchecked.
Place host(const void* pointer, std::size_t bytes);
/// Device memory if the driver knows the pointer, else host memory, which must exist.
Place unified(CUdeviceptr pointer, std::size_t bytes);

enum class Mode {
    Synchronous,   ///< finished on return
    Asynchronous,  ///< in stream order; on return, a pageable source has been read and a pageable destination written
};

/// Submits the copy. A copy between two pieces of device memory may still be running after a synchronous call, as in
/// the driver. Throws the context's fault if that is known on return.
void submit(Stream& stream, Place to, Place from, const Extent& extent, Mode mode);

/// Rows of `width` elements of 1, 2 or 4 bytes, which will be set to `value`.
struct Fill {
    Place to;
    std::size_t pitch = 0;
    std::uint32_t value = 0;
    std::size_t element_size = 1;
    std::size_t width = 0;
    std::size_t height = 1;
    bool empty() const noexcept { return width == 0 || height == 0; }
};

/// Looks up the place. Throws CUDA_ERROR_INVALID_VALUE for an unaligned address or pitch, or a range that is not inside
/// one live allocation.
Fill fill(CUdeviceptr to, std::size_t pitch, std::uint32_t value, std::size_t element_size, std::size_t width,
          std::size_t height);

/// Runs the copy immediately, on the calling thread, outside any stream.
void run(const Place& to, const Place& from, const Extent& extent) noexcept;
void run(const Fill& fill) noexcept;

/// Submits the fill.
void submit(Stream& stream, Fill fill, Mode mode);

}  // namespace copy

}  // namespace cpu::state
