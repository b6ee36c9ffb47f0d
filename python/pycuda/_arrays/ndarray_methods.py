"""Methods of ndarray that PyCUDA's arrays do not have."""

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays.copies import copy_on_device, packed_copy
from pycuda._arrays.described import described
from pycuda._arrays.numpys.flat import FlatElements
from pycuda._arrays.numpy_functions import functions
from pycuda._arrays.numpys.ordering import argpartition, partition
from pycuda._arrays.numpys.registry import FUNCTIONS

__all__ = ["NdarrayMethods"]


class NdarrayMethods:
    """The base class of GPUArray with these methods."""

    __slots__ = ()

    @property
    def mT(self):
        """View with the last two axes exchanged."""
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return self.transpose((*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))

    @property
    def flat(self):
        """The elements in C order: iterate over them, index them, or assign to them, ``a.flat[2:5] = 0``."""
        return FlatElements(self)

    @flat.setter
    def flat(self, values):
        FlatElements(self)[...] = values

    # ---- elements at indices

    def take(self, indices, axis=None, out=None, mode="raise"):
        """Return the elements at indices of an axis.

        Parameters
        ----------
        indices : array_like or GPUArray
            Integers.
        axis : int, optional
            The axis; None: the elements in C order.
        out : GPUArray, optional
            @out
        mode : "raise", "wrap" or "clip", optional
            How to treat indices that are out of range. On the device, "raise" clamps.

        Returns
        -------
        GPUArray
            The new array.

        Raises
        ------
        IndexError
            An index in host memory is out of range.

        Examples
        --------
        >>> gpuarray.arange(5, dtype=np.int32).take([0, -1]).tolist()
        [0, 4]
        """
        return functions[np.take](self, indices, axis, out, mode)

    def put(self, indices, values, mode="raise"):
        """Set the elements at flat indices, in C order.

        Parameters
        ----------
        indices : array_like or GPUArray
            Integers.
        values : array_like or GPUArray
            The values, which repeat if there are fewer.
        mode : "raise", "wrap" or "clip", optional
            How to treat indices that are out of range. On the device, "raise" clamps.

        Raises
        ------
        IndexError
            An index in host memory is out of range.

        Examples
        --------
        >>> a = gpuarray.zeros(3, np.int32)
        >>> a.put([0, 2], 7)
        >>> a.tolist()
        [7, 0, 7]
        """
        FUNCTIONS[np.put](self, indices, values, mode)

    def choose(self, *choices, out=None, mode="raise"):
        """Return elements of several arrays: this array's elements are their numbers.

        Parameters
        ----------
        choices : GPUArray
            The arrays, which broadcast; or a sequence of them.
        out : GPUArray, optional
            @out
        mode : "raise", "wrap" or "clip", optional
            How to treat numbers that are out of range. "raise" clamps.

        Returns
        -------
        GPUArray
            The chosen elements.

        Raises
        ------
        ValueError
            The sequence has no arrays.
        TypeError
            There are no arguments.
        """
        if not choices:
            raise TypeError("choose: expected at least one choice, given none")
        return FUNCTIONS[np.choose](self, choices[0] if len(choices) == 1 else choices, out, mode)

    def compress(self, condition, axis=None, out=None):
        """Return the parts of an axis at which a condition is true. Waits for the device.

        Parameters
        ----------
        condition : array_like or GPUArray
            One-dimensional.
        axis : int, optional
            The axis; None: the elements in C order.
        out : GPUArray, optional
            @out

        Returns
        -------
        GPUArray
            The new array.

        Raises
        ------
        ValueError
            The condition is not one-dimensional.
        """
        return FUNCTIONS[np.compress](condition, self, axis, out)

    @described
    def nonzero(self, stream=None):
        """Return the indices of the elements that are not zero, in C order. Waits for the device.

        Returns
        -------
        tuple of GPUArray
            An array of int64 for each axis.
        """
        return _ordering.nonzero(self, stream)

    def searchsorted(self, v, side="left", sorter=None):
        """Return the indices at which values would be inserted into this ascending array.

        Parameters
        ----------
        v : array_like or GPUArray
            The values.
        side : "left" or "right", optional
            Before or after equal elements.
        sorter : GPUArray, optional
            Indices that sort this array.

        Returns
        -------
        GPUArray
            Indices of int64.

        Raises
        ------
        ValueError
            The side is unknown, or `sorter` has another length.

        Examples
        --------
        >>> gpuarray.arange(5, dtype=np.int32).searchsorted([2, 9]).tolist()
        [2, 5]
        """
        return functions[np.searchsorted](self, v, side, sorter)

    # ---- views

    def swapaxes(self, axis1, axis2):
        """Return a view with two axes exchanged.

        Parameters
        ----------
        axis1 : int
            An axis.
        axis2 : int
            Another one.

        Returns
        -------
        GPUArray
            The view.

        Raises
        ------
        ValueError
            There is no such axis.
        """
        return functions[np.swapaxes](self, axis1, axis2)

    def diagonal(self, offset=0, axis1=0, axis2=1):
        """Return a view of the diagonals in the plane of two axes.

        Parameters
        ----------
        offset : int, optional
            Which diagonal: positive ones are above the main diagonal.
        axis1 : int, optional
            The axis of the rows.
        axis2 : int, optional
            The axis of the columns.

        Returns
        -------
        GPUArray
            The view, with the diagonals along its last axis.

        Raises
        ------
        ValueError
            The array has fewer than two axes, or there is no such axis.
        """
        return functions[np.diagonal](self, offset, axis1, axis2)

    def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
        """Return the sums of the diagonals.

        Parameters
        ----------
        offset : int, optional
            Which diagonal: positive ones are above the main diagonal.
        axis1 : int, optional
            The axis of the rows.
        axis2 : int, optional
            The axis of the columns.
        dtype : dtype, optional
            dtype of the sums.
        out : GPUArray, optional
            @out

        Returns
        -------
        GPUArray
            The sums; of integers, in 64 bits.

        Raises
        ------
        ValueError
            The array has fewer than two axes, or there is no such axis.
        """
        return functions[np.trace](self, offset, axis1, axis2, dtype, out)

    # ---- order

    def sort(self, axis=-1, kind=None, order=None, *, stable=None):
        """Sort the array in place. The sort is stable, with NaN last.

        Parameters
        ----------
        axis : int, optional
            The axis to sort along.
        kind : "quicksort", "mergesort", "heapsort" or "stable", optional
            Has no effect, as every sort is stable.
        order : None, optional
            Must be None.
        stable : bool, optional
            Has no effect.

        Raises
        ------
        ValueError
            There is no such axis or kind, or `order` names fields.

        Examples
        --------
        >>> a = gpuarray.to_gpu(np.array([3, 1, 2]))
        >>> a.sort()
        >>> a.tolist()
        [1, 2, 3]
        """
        _ordering.check_kind("sort", kind, order, stable)
        copy_on_device(self, _ordering.sort(self, _ordering.axis_in_place("sort", axis)))

    def partition(self, kth, axis=-1, kind="introselect", order=None):
        """Sort the array in place, and with it the kth element.

        Parameters
        ----------
        kth : int or sequence of int
            Which elements are to be in order.
        axis : int, optional
            The axis to sort along.
        kind : "introselect", optional
            Has no effect.
        order : None, optional
            Must be None.

        Raises
        ------
        ValueError
            There is no such element or axis.
        """
        copy_on_device(self, partition(self, kth, _ordering.axis_in_place("partition", axis), kind, order))

    def argpartition(self, kth, axis=-1, kind="introselect", order=None):
        """Return the indices that sort the array, and with it the kth element.

        Parameters
        ----------
        kth : int or sequence of int
            Which elements are to be in order.
        axis : int, optional
            The axis to sort along; None: one dimension.
        kind : "introselect", optional
            Has no effect.
        order : None, optional
            Must be None.

        Returns
        -------
        GPUArray
            Indices of int64.

        Raises
        ------
        ValueError
            There is no such element or axis.
        """
        return argpartition(self, kth, axis, kind, order)

    @described
    def cumprod(self, axis=None, dtype=None, out=None):
        """Return the cumulative products of the elements.

        Parameters
        ----------
        axis : int, optional
            @flat_axis

        Returns
        -------
        GPUArray
            The products.
        """
        return _ordering.cumprod(self, axis, dtype, out)

    # ---- bytes

    def byteswap(self, inplace=False):
        """Return the elements with their bytes in reverse order.

        Parameters
        ----------
        inplace : bool, optional
            Whether to change this array, which is returned then.

        Returns
        -------
        GPUArray
            The new array.
        """
        size = self.itemsize // 2 if self.dtype.kind == "c" else self.itemsize
        result = packed_copy(self)
        if self.size and size > 1:
            data = _operations.view(_operations.reshape(result, -1, "C"), np.uint8)
            swapped = packed_copy(_operations.index(_operations.reshape(data, (-1, size), "C"), (slice(None), slice(None, None, -1))))
            result = _operations.reshape(_operations.view(_operations.reshape(swapped, -1, "C"), self.dtype), self.shape, "C")
        if inplace:
            copy_on_device(self, result)
            return self
        return result

    def tobytes(self, order="C"):
        """Copy the elements to the host as bytes.

        Parameters
        ----------
        order : "C", "F" or "A", optional
            Order of the elements.

        Returns
        -------
        bytes
            The bytes of all elements.

        Examples
        --------
        >>> gpuarray.arange(3, dtype=np.uint8).tobytes()
        b'\\x00\\x01\\x02'
        """
        return self.get().tobytes(order)
