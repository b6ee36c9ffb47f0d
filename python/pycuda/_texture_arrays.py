"""NumPy arrays and arrays on the device as Arrays, which textures and surfaces read."""

import numpy as np

from pycuda import _driver
from pycuda._driver import (
    Array, ArrayDescriptor, ArrayDescriptor3D, Memcpy2D, Memcpy3D, TextureReference, address_mode, array3d_flags, array_format, filter_mode,
)

__all__ = [
    "bind_array_to_texref", "dtype_to_array_format", "gpuarray_to_array", "make_multichannel_2d_array", "matrix_to_array",
    "matrix_to_texref", "np_to_array",
]

_FORMATS = {
    np.dtype(np.uint8): array_format.UNSIGNED_INT8,
    np.dtype(np.uint16): array_format.UNSIGNED_INT16,
    np.dtype(np.uint32): array_format.UNSIGNED_INT32,
    np.dtype(np.int8): array_format.SIGNED_INT8,
    np.dtype(np.int16): array_format.SIGNED_INT16,
    np.dtype(np.int32): array_format.SIGNED_INT32,
    np.dtype(np.float16): array_format.HALF,
    np.dtype(np.float32): array_format.FLOAT,
}

# Of what textures do not know: as many 32-bit words as it has. pycuda-helpers.hpp puts them together again.
_WORDS = {
    np.dtype(np.float64): (array_format.SIGNED_INT32, 2),
    np.dtype(np.complex64): (array_format.UNSIGNED_INT32, 2),
    np.dtype(np.complex128): (array_format.SIGNED_INT32, 4),
}


def dtype_to_array_format(dtype):
    """The array_format of a dtype: integers of 8 to 32 bits, float16, float32. TypeError for any other."""
    dtype = np.dtype(dtype)
    try:
        return _FORMATS[dtype]
    except KeyError:
        raise TypeError(f"no array format can hold '{dtype}'") from None


def _format_and_channels(dtype):
    words = _WORDS.get(np.dtype(dtype))
    return words if words else (dtype_to_array_format(dtype), 1)


def _in_order(ary, order):
    """The array with its elements in memory as `order` says, and its shape with the fastest axis first."""
    if order == "C":
        return np.ascontiguousarray(ary), ary.shape[::-1]
    if order == "F":
        return np.asfortranarray(ary), ary.shape
    raise _driver.LogicError(f"order must be 'C' or 'F', not {order!r}")


def _fill_2d(width, height, format, num_channels, source):
    descriptor = ArrayDescriptor()
    descriptor.width = width
    descriptor.height = height
    descriptor.format = format
    descriptor.num_channels = num_channels
    result = Array(descriptor)
    copy = Memcpy2D()
    copy.set_src_host(source)
    copy.set_dst_array(result)
    copy.src_pitch = copy.width_in_bytes = source.nbytes // height
    copy.height = height
    copy(aligned=True)
    return result


def _require(kind, value, name):
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, not {type(value).__name__}")


def _require_dimensions(ary, *allowed):
    if len(ary.shape) not in allowed:
        wanted = " or ".join(map(str, allowed))
        raise _driver.LogicError(f"an array of {wanted} dimensions is expected, not {len(ary.shape)}")
    if 0 in ary.shape:
        raise _driver.LogicError(f"an array without elements (shape {tuple(ary.shape)}) cannot become an Array")


def matrix_to_array(matrix, order, allow_double_hack=False):
    """A two-dimensional Array with the elements of `matrix`: with order "C" tex2D(x, y) is matrix[y, x], with "F" matrix[x, y].

    allow_double_hack: take float64 as two integers, as fp_tex_double does.
    """
    _require(np.ndarray, matrix, "matrix")
    _require_dimensions(matrix, 2)
    source, (width, height) = _in_order(matrix, order)
    if matrix.dtype == np.float64 and allow_double_hack:
        return _fill_2d(width, height, *_WORDS[np.dtype(np.float64)], source)
    return _fill_2d(width, height, dtype_to_array_format(matrix.dtype), 1, source)


def make_multichannel_2d_array(ndarray, order):
    """A two-dimensional Array of several channels, from (height, width, channels) with order "C", (channels, width, height)
    with "F".
    """
    _require(np.ndarray, ndarray, "ndarray")
    _require_dimensions(ndarray, 3)
    source, (num_channels, width, height) = _in_order(ndarray, order)
    return _fill_2d(width, height, dtype_to_array_format(ndarray.dtype), num_channels, source)


def _box(shape, dtype, surface):
    """An empty Array of 2 or 3 dimensions, fastest axis first, and the copy that fills it, but for its source."""
    descriptor = ArrayDescriptor3D()
    descriptor.width, descriptor.height = shape[:2]
    descriptor.depth = shape[2] if len(shape) == 3 else 0
    descriptor.format, descriptor.num_channels = _format_and_channels(dtype)
    if surface:
        descriptor.flags = array3d_flags.SURFACE_LDST
        if len(shape) == 2:  # read by the layered functions, as one layer
            descriptor.flags |= array3d_flags.LAYERED
            descriptor.depth = 1
    result = Array(descriptor)
    copy = Memcpy3D()
    copy.set_dst_array(result)
    copy.width_in_bytes = copy.src_pitch = shape[0] * np.dtype(dtype).itemsize
    copy.height = copy.src_height = shape[1]
    copy.depth = max(descriptor.depth, 1)
    return result, copy


def np_to_array(nparray, order, allowSurfaceBind=False):
    """An Array of two or three dimensions with the elements of `nparray`; tex3D(x, y, z) is nparray[z, y, x] with order "C".

    float64, complex64 and complex128 become two or four integers, for fp_tex_* of pycuda-helpers.hpp. With allowSurfaceBind it can
    be bound to a SurfaceReference; one of two dimensions is then one layer, for the 2DLayered functions.
    """
    _require(np.ndarray, nparray, "nparray")
    _require_dimensions(nparray, 2, 3)
    source, shape = _in_order(nparray, order)
    result, copy = _box(shape, nparray.dtype, allowSurfaceBind)
    copy.set_src_host(source)
    copy()
    return result


def gpuarray_to_array(gpuarray, order, allowSurfaceBind=False):
    """np_to_array of an array on the device, whose elements are in memory as `order` says."""
    if not hasattr(gpuarray, "gpudata"):
        raise TypeError(f"gpuarray must be a GPUArray, not {type(gpuarray).__name__}")
    _require_dimensions(gpuarray, 2, 3)
    if order not in ("C", "F"):
        raise _driver.LogicError(f"order must be 'C' or 'F', not {order!r}")
    contiguous = gpuarray.flags.c_contiguous if order == "C" else gpuarray.flags.f_contiguous
    if not contiguous:
        raise _driver.LogicError(f"the array's elements are not in memory in order {order!r}")
    shape = gpuarray.shape[::-1] if order == "C" else gpuarray.shape
    result, copy = _box(shape, gpuarray.dtype, allowSurfaceBind)
    copy.set_src_device(gpuarray.gpudata)
    copy()
    return result


def bind_array_to_texref(ary, texref):
    """Bind `ary` to `texref`, to be read at texel centres, clamped at the edges."""
    _require(TextureReference, texref, "texref")
    texref.set_array(ary)
    texref.set_address_mode(0, address_mode.CLAMP)
    texref.set_address_mode(1, address_mode.CLAMP)
    texref.set_filter_mode(filter_mode.POINT)


def matrix_to_texref(matrix, texref, order):
    """Bind a copy of `matrix` to `texref`, as matrix_to_array and bind_array_to_texref do."""
    bind_array_to_texref(matrix_to_array(matrix, order), texref)
