#pragma once

#include <Python.h>

#include "lifetime.hpp"
#include "pycuda/kernels/tensor_map.hpp"

/// Tensor maps over memory of Python objects, which they keep alive, and their use as arguments of launches.
namespace pycuda::python {

/// The alignment of a parameter of type CUtensorMap; newer compilers use 128, but then the kernel's layout is known.
inline constexpr std::size_t tensor_map_alignment = 64;

/// `layout`: dtype, shape, strides or None, element strides or None, interleave, swizzle, L2 promotion, fill, and
/// whether all bytes follow one another. A map gets its memory from the mixin of pycuda._tensor_maps.
TensorMap tiled_map(PyObject* memory, PyObject* layout, PyObject* box);
TensorMap im2col_map(PyObject* memory, PyObject* layout, PyObject* lower, PyObject* upper, std::int64_t channels,
                     std::int64_t pixels);
TensorMap im2col_wide_map(PyObject* memory, PyObject* layout, std::int64_t lower, std::int64_t upper,
                          std::int64_t channels, std::int64_t pixels, TensorMapIm2colWideMode mode);
TensorMap moved_map(const TensorMap& map, PyObject* memory);

/// Null if `argument` is not a TensorMap. Reads the current address of its memory for work on `stream`. LogicError if
/// it differs from the map's, or if the memory was freed.
const TensorMap* used_tensor_map(PyObject* argument, Owners& owners, CUstream stream);
bool is_tensor_map_type(PyObject* type);

/// Adds the base type of TensorMap. Nonzero with a Python exception set on failure.
int add_tensor_map_type(PyObject* module);

}  // namespace pycuda::python
