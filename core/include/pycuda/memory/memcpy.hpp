#pragma once

#include <cstddef>
#include <cstdint>

#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

class Stream;

// Linear copies and fills between addresses of the current context. Sizes are bytes, counts are elements.
// The blocking forms return when the copy is complete. The asynchronous ones are ordered on `stream` (null: the default
// stream); host memory must then be page-locked for the copy to overlap, and live until the stream has completed it.

void memcpy_htod(DevicePtr dest, const void* src, std::size_t nbytes);  ///< cuMemcpyHtoD
void memcpy_htod_async(DevicePtr dest, const void* src, std::size_t nbytes, const Stream* stream = nullptr);
void memcpy_dtoh(void* dest, std::size_t nbytes, DevicePtr src);  ///< cuMemcpyDtoH
void memcpy_dtoh_async(void* dest, std::size_t nbytes, DevicePtr src, const Stream* stream = nullptr);
void memcpy_dtod(DevicePtr dest, DevicePtr src, std::size_t size);  ///< cuMemcpyDtoD
void memcpy_dtod_async(DevicePtr dest, DevicePtr src, std::size_t size, const Stream* stream = nullptr);

void memset_d8(DevicePtr dest, std::uint8_t data, std::size_t count);    ///< cuMemsetD8
void memset_d16(DevicePtr dest, std::uint16_t data, std::size_t count);  ///< cuMemsetD16; `dest` 2-byte aligned
void memset_d32(DevicePtr dest, std::uint32_t data, std::size_t count);  ///< cuMemsetD32; `dest` 4-byte aligned
void memset_d8_async(DevicePtr dest, std::uint8_t data, std::size_t count, const Stream* stream = nullptr);
void memset_d16_async(DevicePtr dest, std::uint16_t data, std::size_t count, const Stream* stream = nullptr);
void memset_d32_async(DevicePtr dest, std::uint32_t data, std::size_t count, const Stream* stream = nullptr);

// Fills of `height` rows of `width` elements, `pitch` bytes from one row to the next; `dest` and `pitch` are aligned to
// the element.

void memset_d2d8(DevicePtr dest, std::size_t pitch, std::uint8_t data, std::size_t width,
                 std::size_t height);  ///< cuMemsetD2D8
void memset_d2d16(DevicePtr dest, std::size_t pitch, std::uint16_t data, std::size_t width,
                  std::size_t height);  ///< cuMemsetD2D16
void memset_d2d32(DevicePtr dest, std::size_t pitch, std::uint32_t data, std::size_t width,
                  std::size_t height);  ///< cuMemsetD2D32
void memset_d2d8_async(DevicePtr dest, std::size_t pitch, std::uint8_t data, std::size_t width, std::size_t height,
                       const Stream* stream = nullptr);
void memset_d2d16_async(DevicePtr dest, std::size_t pitch, std::uint16_t data, std::size_t width, std::size_t height,
                        const Stream* stream = nullptr);
void memset_d2d32_async(DevicePtr dest, std::size_t pitch, std::uint32_t data, std::size_t width, std::size_t height,
                        const Stream* stream = nullptr);

// Copies between the memory of two contexts (cuMemcpyPeer, cuMemcpyPeerAsync). A null context is the one that the
// address belongs to, or the current one where the driver does not know.

void memcpy_peer(DevicePtr dest, DevicePtr src, std::size_t size, const Context* dest_context = nullptr,
                 const Context* src_context = nullptr);
void memcpy_peer_async(DevicePtr dest, DevicePtr src, std::size_t size, const Context* dest_context = nullptr,
                       const Context* src_context = nullptr, const Stream* stream = nullptr);

}  // namespace pycuda
