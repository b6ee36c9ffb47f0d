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
    bool dormant = false;              ///< a graph's, and not allocated now: for nodes only
    std::size_t bytes = 0;             ///< from `data` on, that a copy reaches; not of arrays
    CUarray array = nullptr;           ///< in which the memory lies
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

/// Rows of `width` elements of 1, 2 or 4 bytes that are to be `value`.
struct Fill {
    Place to;
    std::size_t pitch = 0;
    std::uint32_t value = 0;
    std::size_t element_size = 1;
    std::size_t width = 0;
    std::size_t height = 1;
    bool empty() const noexcept { return width == 0 || height == 0; }
};

/// Looks up the place. Throws CUDA_ERROR_INVALID_VALUE for an address or pitch that is not aligned, or a range that is
/// not inside one live allocation.
Fill fill(CUdeviceptr to, std::size_t pitch, std::uint32_t value, std::size_t element_size, std::size_t width,
          std::size_t height);

/// Runs it now, on the calling thread, in no stream.
void run(const Place& to, const Place& from, const Extent& extent) noexcept;
void run(const Fill& fill) noexcept;

/// Submits the writing.
void submit(Stream& stream, Fill fill, Mode mode);

}  // namespace copy

}  // namespace cpu::state
