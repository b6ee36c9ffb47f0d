"""The Python side of TensorMap: reads the description from an array."""

from operator import index

import numpy as np

__all__ = ["TensorMapMixin"]

_NAMES = {"bool": "UINT8", "int8": "UINT8", "int16": "UINT16"}


def _driver():
    from pycuda import _driver

    return _driver


def _data_type(dtype):
    """The member of tensor_map_data_type for a NumPy dtype; members and their numbers are returned unchanged."""
    if isinstance(dtype, int):
        return dtype
    name = np.dtype(dtype).name
    member = getattr(_driver().tensor_map_data_type, _NAMES.get(name, name.upper()), None)
    if member is None:
        raise TypeError(f"TensorMap: expected a dtype that tensor maps have, given {name}; view complex numbers as floats")
    return member


def _form(memory):
    """Dtype, shape and strides of an array, or three times None."""
    if hasattr(memory, "gpudata") or isinstance(memory, np.ndarray):
        return memory.dtype, memory.shape, memory.strides
    interface = getattr(memory, "__cuda_array_interface__", None)
    if interface is None:
        return None, None, None
    return np.dtype(interface["typestr"]), interface["shape"], interface.get("strides")


def _layout(memory, dtype, shape, strides, element_strides, interleave, swizzle, l2_promotion, fill):
    packed = strides is None
    if dtype is None and shape is None and packed:
        packed = False
        dtype, shape, strides = _form(memory)
        if strides is not None and len(strides) > 0:
            if strides[-1] != np.dtype(dtype).itemsize and shape[-1] > 1:
                raise ValueError(f"TensorMap: expected an array whose elements are adjacent along the last axis, given strides "
                                 f"{tuple(strides)}; transpose or copy it")
            strides = strides[:-1]
    if dtype is None or shape is None:
        raise TypeError("TensorMap: expected an array, or dtype and shape beside the memory, given "
                        f"{type(memory).__name__}; pass both, and strides if rows are padded")
    return _data_type(dtype), shape, strides, element_strides, interleave, swizzle, l2_promotion, fill, packed


def _of(map, memory):
    map.memory = memory
    return map


class TensorMapMixin:
    @property
    def address(self):
        """Where the tensor begins."""
        return self._address()

    @staticmethod
    def tiled(memory, box, *, dtype=None, shape=None, strides=None, element_strides=None, interleave=0, swizzle=0, l2_promotion=0,
              fill=0):
        """Describe a tensor for copies of boxes of its elements.

        Axes are in the order of `shape`; kernels name coordinates in the opposite order, that of the last axis first. The map keeps
        `memory`, and a launch fails if the memory was freed or has moved.

        Parameters
        ----------
        memory : GPUArray, device array, DeviceAllocation or int
            @tensor_memory
        box : sequence of int
            Elements along each axis that a copy takes: 1 to 256; along the last axis a multiple of 16 bytes.
        dtype : dtype or tensor_map_data_type, optional
            @tensor_dtype
        shape : sequence of int, optional
            Elements along each of 1 to 5 axes.
        strides : sequence of int, optional
            Bytes from one element to the next along each axis but the last: multiples of 16. None is C order.
        element_strides : sequence of int, optional
            Step between copied elements along each axis, from 1 to 8.
        interleave : int, optional
            @interleave
        swizzle : int, optional
            @swizzle
        l2_promotion : int, optional
            @l2_promotion
        fill : int, optional
            @tensor_fill

        Returns
        -------
        TensorMap
            An argument for a kernel's parameter ``const __grid_constant__ CUtensorMap``.

        Raises
        ------
        TypeError
            @untyped_memory
        ValueError
            A rule of tensor maps is broken; the message names it.
        LogicError
            The memory is free, or the device has no tensor maps.

        Notes
        -----
        Driver call: cuTensorMapEncodeTiled.

        Examples
        --------
        >>> x = gpuarray.zeros((64, 128), np.float32)
        >>> tiles = drv.TensorMap.tiled(x, (8, 16))
        >>> tiles.address == x.ptr
        True
        """
        layout = _layout(memory, dtype, shape, strides, element_strides, interleave, swizzle, l2_promotion, fill)
        return _of(_driver()._tiled_map(memory, layout, box), memory)

    @staticmethod
    def im2col(memory, lower_corner, upper_corner, channels_per_pixel, pixels_per_column, *, dtype=None, shape=None, strides=None,
               element_strides=None, interleave=0, swizzle=0, l2_promotion=0, fill=0):
        """Describe images for copies of pixels with their channels, as convolutions need them.

        The axes are N, D, H, W and C, without D or H if there is none. The other parameters are those of `tiled`.

        Parameters
        ----------
        memory : GPUArray, device array, DeviceAllocation or int
            @tensor_memory
        lower_corner : sequence of int
            Offsets along D, H and W from the first pixel to where the box begins.
        upper_corner : sequence of int
            Offsets along D, H and W from the last pixel to where the box ends.
        channels_per_pixel : int
            @channels_per_pixel
        pixels_per_column : int
            Pixels that a copy takes, at most 1024.
        dtype : dtype or tensor_map_data_type, optional
            @tensor_dtype
        shape : sequence of int, optional
            @tensor_shape
        strides : sequence of int, optional
            @tensor_strides
        element_strides : sequence of int, optional
            @element_strides
        interleave : int, optional
            @interleave
        swizzle : int, optional
            @swizzle
        l2_promotion : int, optional
            @l2_promotion
        fill : int, optional
            @tensor_fill

        Returns
        -------
        TensorMap
            An argument for a kernel.

        Raises
        ------
        TypeError
            @untyped_memory
        ValueError
            A rule of tensor maps is broken; the message names it.
        LogicError
            The memory is free, or the device has no tensor maps.

        Notes
        -----
        Driver call: cuTensorMapEncodeIm2col.

        Examples
        --------
        >>> images = gpuarray.zeros((2, 32, 32, 16), np.float16)
        >>> columns = drv.TensorMap.im2col(images, (-1, -1), (-1, -1), 16, 64)
        """
        layout = _layout(memory, dtype, shape, strides, element_strides, interleave, swizzle, l2_promotion, fill)
        return _of(_driver()._im2col_map(memory, layout, lower_corner, upper_corner, index(channels_per_pixel),
                                         index(pixels_per_column)), memory)

    @staticmethod
    def im2col_wide(memory, lower_corner, upper_corner, channels_per_pixel, pixels_per_column, *, mode=0, dtype=None, shape=None,
                    strides=None, element_strides=None, interleave=0, swizzle=3, l2_promotion=0, fill=0):
        """Describe images for copies of pixels along W only.

        For devices of compute capability 10.0 and newer. The other parameters are those of `im2col`.

        Parameters
        ----------
        memory : GPUArray, device array, DeviceAllocation or int
            @tensor_memory
        lower_corner : int
            Offset along W from the first pixel to where the box begins.
        upper_corner : int
            Offset along W from the last pixel to where the box ends.
        channels_per_pixel : int
            @channels_per_pixel
        pixels_per_column : int
            Pixels that a copy takes, at most 1024. Ignored with mode W128.
        mode : int, optional
            How many pixels a copy takes, `tensor_map_im2col_wide_mode`.
        dtype : dtype or tensor_map_data_type, optional
            @tensor_dtype
        shape : sequence of int, optional
            @tensor_shape
        strides : sequence of int, optional
            @tensor_strides
        element_strides : sequence of int, optional
            @element_strides
        interleave : int, optional
            @interleave
        swizzle : int, optional
            Order of the bytes in shared memory, `tensor_map_swizzle`: BYTES_64, BYTES_128 or BYTES_128_ATOM_32B.
        l2_promotion : int, optional
            @l2_promotion
        fill : int, optional
            @tensor_fill

        Returns
        -------
        TensorMap
            An argument for a kernel.

        Raises
        ------
        TypeError
            @untyped_memory
        ValueError
            A rule of tensor maps is broken; the message names it.
        LogicError
            The memory is free, or the device has no such maps.
        RuntimeError
            The driver is older than CUDA 12.8.

        Notes
        -----
        Driver call: cuTensorMapEncodeIm2colWide.
        """
        layout = _layout(memory, dtype, shape, strides, element_strides, interleave, swizzle, l2_promotion, fill)
        return _of(_driver()._im2col_wide_map(memory, layout, index(lower_corner), index(upper_corner), index(channels_per_pixel),
                                              index(pixels_per_column), mode), memory)

    def with_allocation_class(self, allocation_class):
        """Return the same map with another window for accesses outside the tensor.

        Parameters
        ----------
        allocation_class : tensor_map_allocation_class
            LARGE: the memory must be as large as the window, at least until kernels have used the map.

        Returns
        -------
        TensorMap
            The new map, whose `allocation_class` is in effect; this one stays as it is.

        Raises
        ------
        RuntimeError
            The driver is older than CUDA 13.5's.

        Notes
        -----
        Driver call: cuTensorMapSetAllocationClass.
        """
        return _of(self._with_allocation_class(allocation_class), self.memory)

    def replace_address(self, memory):
        """Return a map of other memory with the same layout.

        Parameters
        ----------
        memory : GPUArray, device array, DeviceAllocation or int
            The memory; the new map keeps it.

        Returns
        -------
        TensorMap
            The new map; this one stays as it is.

        Raises
        ------
        ValueError
            The address is not aligned as the map requires.
        LogicError
            The memory is free.

        Notes
        -----
        Driver call: cuTensorMapReplaceAddress.

        Examples
        --------
        >>> x, y = (gpuarray.zeros((64, 128), np.float32) for _ in range(2))
        >>> drv.TensorMap.tiled(x, (8, 16)).replace_address(y).address == y.ptr
        True
        """
        return _of(_driver()._moved_map(self, memory), memory)
