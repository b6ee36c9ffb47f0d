#pragma once

#include <cuda.h>

namespace cpu::state {

/// Writes the attribute of the allocation that contains `pointer` to `data`, in the attribute's type. Throws
/// CUDA_ERROR_INVALID_VALUE for a pointer that the driver does not know.
void get_pointer_attribute(void* data, CUpointer_attribute attribute, CUdeviceptr pointer);
/// The same, except that an unknown pointer is treated as a host pointer, whose attributes are mostly zero, as in
/// cuPointerGetAttributes.
void get_pointer_attribute_or_zero(void* data, CUpointer_attribute attribute, CUdeviceptr pointer);
/// Only CU_POINTER_ATTRIBUTE_SYNC_MEMOPS can be set.
void set_pointer_attribute(const void* value, CUpointer_attribute attribute, CUdeviceptr pointer);

}  // namespace cpu::state
