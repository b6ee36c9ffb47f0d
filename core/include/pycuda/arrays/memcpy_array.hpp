#pragma once

#include <cstddef>

#include "pycuda/arrays/array.hpp"
#include "pycuda/memory/memcpy.hpp"

namespace pycuda {

// Copies to and from one-dimensional arrays, which return when the copy is done. Indices and lengths are bytes from the
// array's start. The array's context must be current. LogicError for a freed array and for bytes outside of it.

/// Device memory to array (cuMemcpyDtoA).
void memcpy_dtoa(const Array& ary, std::size_t index, DevicePtr src, std::size_t len);
/// Array to device memory (cuMemcpyAtoD).
void memcpy_atod(DevicePtr dest, const Array& ary, std::size_t index, std::size_t len);
/// Host memory to array (cuMemcpyHtoA).
void memcpy_htoa(const Array& ary, std::size_t index, const void* src, std::size_t nbytes);
/// Array to host memory (cuMemcpyAtoH).
void memcpy_atoh(void* dest, std::size_t nbytes, const Array& ary, std::size_t index);
/// Array to array (cuMemcpyAtoA).
void memcpy_atoa(const Array& dest, std::size_t dest_index, const Array& src, std::size_t src_index, std::size_t len);

}  // namespace pycuda
