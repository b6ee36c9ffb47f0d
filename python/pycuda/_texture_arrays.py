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

# Types that textures do not support are stored as 32-bit words, which pycuda-helpers.hpp combines again.
_WORDS = {
    np.dtype(np.float64): (array_format.SIGNED_INT32, 2),
    np.dtype(np.complex64): (array_format.UNSIGNED_INT32, 2),
    np.dtype(np.complex128): (array_format.SIGNED_INT32, 4),
}


def dtype_to_array_format(dtype):
    """Return the array format of a dtype.

    Parameters
    ----------
    dtype : dtype
        A dtype of integers of 8 to 32 bits, float16 or float32.

    Returns
    -------
    array_format
        The format.

    Raises
    ------
    TypeError
        No format can hold the dtype.

    Examples
    --------
    >>> drv.dtype_to_array_format(np.float32) == drv.array_format.FLOAT
    True
    """
    dtype = np.dtype(dtype)
    try:
        return _FORMATS[dtype]
    except KeyError:
        raise TypeError(f"no array format can hold '{dtype}'") from None


def _format_and_channels(dtype):
    words = _WORDS.get(np.dtype(dtype))
    return words if words else (dtype_to_array_format(dtype), 1)


def _in_order(ary, order):
    """The array with its elements in memory in this order, and its shape with the fastest axis first."""
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
        raise _driver.LogicError(f"expected an array of {wanted} dimensions, given {len(ary.shape)}")
    if 0 in ary.shape:
        raise _driver.LogicError(f"an array without elements (shape {tuple(ary.shape)}) cannot become an Array")


def matrix_to_array(matrix, order, allow_double_hack=False):
    """Create a two-dimensional CUDA array with the elements of a matrix.

    Parameters
    ----------
    matrix : numpy.ndarray
        A matrix of integers of 8 to 32 bits, float16 or float32.
    order : "C" or "F"
        "C": ``tex2D(x, y)`` reads ``matrix[y, x]``; "F": ``matrix[x, y]``.
    allow_double_hack : bool, optional
        Whether float64 becomes two integers, for ``fp_tex_double``.

    Returns
    -------
    Array
        The CUDA array.

    Raises
    ------
    LogicError
        The array is not two-dimensional, or is empty.
    TypeError
        No format can hold the dtype.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuArrayCreate, cuMemcpy2D.

    Examples
    --------
    >>> drv.matrix_to_array(np.ones((2, 3), np.float32), "C").get_descriptor().width
    3
    """
    _require(np.ndarray, matrix, "matrix")
    _require_dimensions(matrix, 2)
    source, (width, height) = _in_order(matrix, order)
    if matrix.dtype == np.float64 and allow_double_hack:
        return _fill_2d(width, height, *_WORDS[np.dtype(np.float64)], source)
    return _fill_2d(width, height, dtype_to_array_format(matrix.dtype), 1, source)


def make_multichannel_2d_array(ndarray, order):
    """Create a two-dimensional CUDA array with several channels.

    Parameters
    ----------
    ndarray : numpy.ndarray
        An array of shape (height, width, channels) for order "C", (channels, width, height) for "F".
    order : "C" or "F"
        @order

    Returns
    -------
    Array
        The CUDA array.

    Raises
    ------
    LogicError
        The array is not three-dimensional, or is empty.
    TypeError
        No format can hold the dtype.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuArrayCreate, cuMemcpy2D.
    """
    _require(np.ndarray, ndarray, "ndarray")
    _require_dimensions(ndarray, 3)
    source, (num_channels, width, height) = _in_order(ndarray, order)
    return _fill_2d(width, height, dtype_to_array_format(ndarray.dtype), num_channels, source)


def _box(shape, dtype, surface):
    """An empty Array of 2 or 3 dimensions, fastest axis first, and the copy that fills it, without its source."""
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
    """Create a CUDA array of two or three dimensions with the elements of a NumPy array.

    float64, complex64 and complex128 become two or four integers, for the ``fp_tex_*`` functions of pycuda-helpers.hpp.

    Parameters
    ----------
    nparray : numpy.ndarray
        The array.
    order : "C" or "F"
        "C": ``tex3D(x, y, z)`` reads ``nparray[z, y, x]``; "F": ``nparray[x, y, z]``.
    allowSurfaceBind : bool, optional
        Whether surfaces can write it. A two-dimensional array then has one layer, for the layered functions.

    Returns
    -------
    Array
        The CUDA array.

    Raises
    ------
    LogicError
        The array has another number of axes, or is empty.
    TypeError
        No format can hold the dtype.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuArray3DCreate, cuMemcpy3D.

    Examples
    --------
    >>> drv.np_to_array(np.ones((2, 3, 4), np.float32), "C").get_descriptor_3d().depth
    2
    """
    _require(np.ndarray, nparray, "nparray")
    _require_dimensions(nparray, 2, 3)
    source, shape = _in_order(nparray, order)
    result, copy = _box(shape, nparray.dtype, allowSurfaceBind)
    copy.set_src_host(source)
    copy()
    return result


def gpuarray_to_array(gpuarray, order, allowSurfaceBind=False):
    """Create a CUDA array of two or three dimensions with the elements of a `GPUArray`.

    Parameters
    ----------
    gpuarray : object
        The array, contiguous in `order`.
    order : "C" or "F"
        @order
    allowSurfaceBind : bool, optional
        Whether surfaces can write it, as in `np_to_array`.

    Returns
    -------
    Array
        The CUDA array.

    Raises
    ------
    LogicError
        The array has another number of axes, is empty, or is not contiguous in `order`.
    TypeError
        No format can hold the dtype.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuArray3DCreate, cuMemcpy3D.
    """
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
    """Bind a CUDA array to a texture reference, with coordinates clamped and without interpolation.

    Parameters
    ----------
    ary : Array
        The CUDA array.
    texref : TextureReference
        The texture reference.

    Raises
    ------
    LogicError
        The array is free.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuTexRefSetArray.
    """
    _require(TextureReference, texref, "texref")
    texref.set_array(ary)
    texref.set_address_mode(0, address_mode.CLAMP)
    texref.set_address_mode(1, address_mode.CLAMP)
    texref.set_filter_mode(filter_mode.POINT)


def matrix_to_texref(matrix, texref, order):
    """Bind a copy of a matrix to a texture reference, as `matrix_to_array` and `bind_array_to_texref` do.

    Parameters
    ----------
    matrix : numpy.ndarray
        A matrix of integers of 8 to 32 bits, float16 or float32.
    texref : TextureReference
        The texture reference.
    order : "C" or "F"
        @order

    Raises
    ------
    LogicError
        The array is not two-dimensional, or is empty.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuArrayCreate, cuMemcpy2D, cuTexRefSetArray.
    """
    bind_array_to_texref(matrix_to_array(matrix, order), texref)
