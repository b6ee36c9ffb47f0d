"""The methods of GPUArray."""

import operator as _operator
import warnings

import numpy as np

import pycuda.driver as drv
from pycuda import _driver
from pycuda._arrays import choice as _choice
from pycuda._arrays import copies as _copies
from pycuda._arrays import creation as _creation
from pycuda._arrays import indexing as _indexing
from pycuda._arrays import ndarray_methods as _ndarray_methods
from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import orders as _orders
from pycuda._arrays import protocols as _protocols
from pycuda._arrays import rearrange as _rearrange
from pycuda._arrays import reductions as _reductions
from pycuda._arrays import rounding as _rounding
from pycuda._arrays import statistics as _statistics
from pycuda._arrays import textures as _textures
from pycuda._arrays.axes import normalise_axes, normalise_axis, numpys_order
from pycuda._arrays.described import described
from pycuda.compyte.array import ArrayFlags

__all__ = ["ArrayMethods"]


class ArrayMethods(_textures.TextureMethods, _ndarray_methods.NdarrayMethods, _protocols.ArrayProtocols):
    """The methods of GPUArray that are not fields of the native type."""

    __slots__ = ()
    __array_priority__ = 100

    # ---- description

    @property
    def flags(self):
        """Whether the array is contiguous: ``c_contiguous``, ``f_contiguous``, and ``forc`` for either."""
        return ArrayFlags(self)

    @property
    def T(self):
        """View with the axes in reverse order."""
        return self.transpose()

    @property
    def device(self):
        """The device that the memory is on: the current context's, a `pycuda.driver.Device`."""
        return drv.Context.get_device()

    def __len__(self):
        if self.shape:
            return self.shape[0]
        raise TypeError("len() of unsized object")

    def __contains__(self, value):
        return bool(_reductions.any(self == value).get())

    def __bool__(self):
        if self.size == 1:
            return bool(self.get())
        raise ValueError("The truth value of an array with other than one element is ambiguous. Use any() or all()")

    def __int__(self):
        return int(self._item())

    def __float__(self):
        return float(self._item())

    def __complex__(self):
        return complex(self._item())

    def __index__(self):
        if self.shape or self.dtype.kind not in "iu":
            raise TypeError("only integer 0-d arrays can be converted to an index")
        return _operator.index(self.get()[()])

    def _item(self):
        if self.size != 1:
            raise TypeError("only arrays of size 1 can be converted to Python scalars")
        return self.get().reshape(())[()]

    def __format__(self, spec):
        return format(self._item(), spec) if spec and not self.shape else super().__format__(spec)

    def item(self, *index):
        """Copy an element to the host.

        Parameters
        ----------
        index : int
            Where: one integer for each axis, or one of the elements in C order. Without them, the array must have one element.

        Returns
        -------
        object
            The element, as a Python number.

        Raises
        ------
        TypeError
            Without an index, the array does not have exactly one element.
        IndexError
            There is no such element.
        ValueError
            The array has another number of axes.

        Examples
        --------
        >>> gpuarray.arange(5, dtype=np.int32).sum().item()
        10
        >>> gpuarray.arange(5, dtype=np.int32).item(3)
        3
        """
        if not index:
            return self._item().item()
        index = index[0] if len(index) == 1 and isinstance(index[0], tuple) else index
        if len(index) == 1 and self.ndim != 1:
            index = np.unravel_index(range(self.size)[index[0]], self.shape)
        elif len(index) != self.ndim:
            raise ValueError(f"item: expected {self.ndim} indices, given {len(index)}")
        return self[tuple(map(_operator.index, index))].get()[()].item()

    def tolist(self):
        """Copy the elements to the host as nested lists.

        Returns
        -------
        object
            Lists of Python numbers, or of an array without axes the number.

        Examples
        --------
        >>> gpuarray.arange(4, dtype=np.int32).reshape(2, 2).tolist()
        [[0, 1], [2, 3]]
        """
        return self.get().tolist()

    # ---- similar arrays

    def _new_like_me(self, dtype=None, order="C"):
        """A new array with this shape, and with the same strides if the dtype stays. Subclasses override it to create results of their class."""
        strides = None
        if dtype is None or dtype == self.dtype:
            dtype = self.dtype
            if self._is_dense:
                strides = self.strides
        if strides is None and self._is_dense:
            strides = _operations.packed_strides(self.shape, self.strides, np.dtype(dtype).itemsize) if not self._is_c_contiguous else None
        return self.__class__(self.shape, dtype, allocator=self.allocator, strides=strides, order=order)

    def _new_packed(self, dtype):
        """The same with the axes in this order, without gaps."""
        dtype = np.dtype(dtype)
        return self.__class__(self.shape, dtype, allocator=self.allocator, strides=_operations.packed_strides(self.shape, self.strides, dtype.itemsize))

    def _packed(self, strides):
        """New memory for this shape and dtype, with axes in the order of `strides`."""
        return _operations.new_array(self.shape, self.dtype, allocator=self.allocator, strides=_operations.packed_strides(self.shape, strides, self.dtype.itemsize))

    # ---- copies

    def set(self, ary, async_=False, stream=None, **kwargs):
        """Copy the elements of another array into this one.

        Parameters
        ----------
        ary : array_like or GPUArray
            A NumPy array, or an array on the device, of the same size and dtype.
        async_ : bool, optional
            Whether to return before the copy is complete.
        stream : Stream, optional
            @stream

        Raises
        ------
        ValueError
            The size or dtype differs.

        Examples
        --------
        >>> a = gpuarray.zeros(3, np.int32)
        >>> a.set(np.array([1, 2, 3], np.int32))
        """
        async_ = _copies.accept_async(async_, kwargs, "set")
        on_device = isinstance(ary, ArrayMethods)
        ary = ary if on_device else np.asarray(ary)
        if ary.size != self.size:
            raise ValueError(f"ary and self must be the same size, given {ary.size} and {self.size}")
        if ary.dtype != self.dtype:
            raise ValueError(f"ary and self must have the same dtype, given {ary.dtype} and {self.dtype}")
        if ary.shape != self.shape:
            warnings.warn("Setting array from one with different shape.", stacklevel=2)
            ary = (_copies.packed_copy(ary, stream=stream if async_ else None) if on_device and not ary.flags.c_contiguous else ary).reshape(self.shape)
        if on_device:
            _copies.copy_on_device(self, ary, stream if async_ else None)
        else:
            _copies.copy_to_device(self, ary, stream, async_)
        self._answers = ary._answers if on_device else 0

    def set_async(self, ary, stream=None):
        """Copy the elements of another array into this one, in stream order.

        Parameters
        ----------
        ary : array_like or GPUArray
            A NumPy array, or an array on the device. It should be page-locked, and must not be modified before the copy is complete.
        stream : Stream, optional
            @stream

        Raises
        ------
        ValueError
            The size or dtype differs.
        """
        return self.set(ary, async_=True, stream=stream)

    def get(self, ary=None, pagelocked=False, async_=False, stream=None, **kwargs):
        """Copy the array to the host.

        Parameters
        ----------
        ary : numpy.ndarray
            NumPy array to write to, of the same size and dtype; None: a new one.
        pagelocked : bool, optional
            Whether a new array is page-locked.
        async_ : bool, optional
            Whether to return before the copy is complete.
        stream : Stream, optional
            @stream

        Returns
        -------
        numpy.ndarray
            The NumPy array.

        Raises
        ------
        ValueError
            The size differs.
        TypeError
            The dtype differs.

        Examples
        --------
        >>> gpuarray.arange(3, dtype=np.int32).get()
        array([0, 1, 2], dtype=int32)
        """
        async_ = _copies.accept_async(async_, kwargs, "get")
        if ary is None:
            ary = result = _copies.host_array_like(self, pagelocked)
        else:
            result = ary
            if ary.size != self.size:
                raise ValueError(f"ary and self must be the same size, given {ary.size} and {self.size}")
            if ary.dtype != self.dtype:
                raise TypeError(f"ary and self must have the same dtype, given {ary.dtype} and {self.dtype}")
            if ary.shape != self.shape:
                warnings.warn("get() between arrays of different shape is deprecated and will be removed.", DeprecationWarning, stacklevel=2)
                ary = ary.view()
                ary.shape = self.shape
        _copies.copy_to_host(ary, self, stream, async_)
        return result

    def get_async(self, stream=None, ary=None):
        """Copy the array to the host, in stream order.

        The copy is asynchronous if the NumPy array is page-locked; otherwise it is complete on return. While `stream` is captured, a new array is
        page-locked, and each launch of the graph fills it.

        Parameters
        ----------
        stream : Stream
            @stream
        ary : numpy.ndarray
            NumPy array to write to; None: a new one.

        Returns
        -------
        numpy.ndarray
            The NumPy array.

        Raises
        ------
        ValueError
            The size differs.
        TypeError
            The dtype differs.

        Examples
        --------
        >>> stream = drv.Stream()
        >>> gpuarray.arange(3, dtype=np.int32).get_async(stream).tolist()
        [0, 1, 2]
        """
        return self.get(ary=ary, pagelocked=ary is None and _copies.is_captured(stream), async_=True, stream=stream)

    def copy(self, order="K"):
        """Return a contiguous copy.

        Parameters
        ----------
        order : "C", "F", "A" or "K", optional
            Order of the elements; "K" keeps the order of axes, "A" keeps Fortran order.

        Returns
        -------
        GPUArray
            The new array.

        Examples
        --------
        >>> gpuarray.arange(4, dtype=np.int32)[::2].copy().get().tolist()
        [0, 2]
        """
        return _copies.packed_copy(self, self.strides) if order == "K" else _orders.copied(self, order)

    def astype(self, dtype, stream=None, *, order="K", casting="unsafe", copy=True):
        """Return a copy with another dtype, converted as C does.

        Parameters
        ----------
        dtype : dtype
            The new dtype.
        stream : Stream, optional
            @stream
        order : "C", "F", "A" or "K", optional
            Order of the elements, as for `copy`.
        casting : str, optional
            Permitted conversions: "no", "equiv", "safe", "same_kind" or "unsafe".
        copy : bool, optional
            False: return this array itself if it has the dtype and the order.

        Returns
        -------
        GPUArray
            The new array.

        Raises
        ------
        TypeError
            `casting` does not permit the conversion.

        Examples
        --------
        >>> gpuarray.arange(3, dtype=np.int32).astype(np.float32).dtype
        dtype('float32')
        """
        dtype = np.dtype(dtype)
        if casting != "unsafe" and not np.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"astype: {self.dtype} cannot be converted to {dtype} with casting={casting!r}")
        if order != "K":
            order = "K" if order is None else _orders.resolved(self, order)
        if dtype == self.dtype:
            is_ordered = order == "K" or (self.flags.c_contiguous if order == "C" else self.flags.f_contiguous)
            return self if not copy and is_ordered else _orders.copied(self, order, stream)
        traced = _operations.traced_copy(self, dtype, order)
        if traced is not None:
            return traced
        if order != "K":
            result = _operations.new_array(self.shape, dtype, allocator=self.allocator, order=order)
            _copies.copy_on_device(result, self, stream)
            return result
        result = self._new_like_me(dtype) if self._is_dense else self._new_packed(dtype)
        _copies.copy_on_device(result, self, stream)
        return result

    def fill(self, value, stream=None):
        """Set every element to a value.

        Parameters
        ----------
        value : object
            The value.
        stream : Stream, optional
            @stream

        Returns
        -------
        GPUArray
            This array.

        Raises
        ------
        OverflowError
            The value does not fit an integer dtype.

        Examples
        --------
        >>> gpuarray.zeros(2, np.int32).fill(7).get().tolist()
        [7, 7]
        """
        if self.size:
            _creation.fill(self, value, stream)
        return self

    @described
    def reverse(self, stream=None):
        """Return a copy with the elements in reverse memory order.

        Returns
        -------
        GPUArray
            The new array.

        Examples
        --------
        >>> gpuarray.arange(3, dtype=np.int32).reverse().get().tolist()
        [2, 1, 0]
        """
        result = self._new_like_me() if self._is_dense else self._new_packed(self.dtype)
        flat, source = result.reshape(-1, order="A"), (self if self._is_dense else _copies.packed_copy(self, self.strides, stream)).reshape(-1, order="A")
        _copies.copy_on_device(flat, source[::-1], stream)
        result._answers = self._answers
        return result

    # ---- views

    def reshape(self, *shape, order="C", copy=None):
        """Return a view with another shape. Elements stay in memory order.

        Parameters
        ----------
        shape : object
            Length of each axis; one may be -1.
        order : "C", "F" or "A"
            Order of the view's elements in memory; "A" follows the array. To read and place elements in the order of their indices as NumPy does, use
            ``numpy.reshape(a, shape, order="F")``.
        copy : bool, optional
            True: return a copy, without gaps. False and None: a view.

        Returns
        -------
        GPUArray
            The view, or the copy.

        Raises
        ------
        ValueError
            The number of elements differs.
        RuntimeError
            The array is not contiguous, and `copy` is not True.

        Examples
        --------
        >>> gpuarray.arange(6, dtype=np.int32).reshape(2, -1).shape
        (2, 3)
        """
        source = self.copy() if copy else self
        return _operations.reshape(source, shape[0] if len(shape) == 1 else shape, _orders.checked(order, "CFA"))

    def ravel(self, order="C"):
        """Return the elements in one dimension: by default a view, in memory order.

        Parameters
        ----------
        order : "C", "F", "A" or "K", optional
            "C": memory order, without a copy. "F": columns first. "A": the same for arrays in Fortran order, "C" for others. "K": memory order. If a
            view is not possible, orders other than "C" copy.

        Returns
        -------
        GPUArray
            The view, or a new array.

        Raises
        ------
        RuntimeError
            The array is not contiguous, and the order is "C".

        Examples
        --------
        >>> gpuarray.zeros((2, 3), np.float32).ravel().shape
        (6,)
        """
        return _orders.raveled(self, order)

    def flatten(self, order="C"):
        """Return a one-dimensional copy.

        Parameters
        ----------
        order : "C", "F", "A" or "K", optional
            Order in which the elements are read: "F" is columns first, "A" the array's own if it is in Fortran order, "K" memory order.

        Returns
        -------
        GPUArray
            The new array.

        Examples
        --------
        >>> gpuarray.zeros((2, 3), np.float32).T.flatten().shape
        (6,)
        """
        return _orders.flattened(self, order)

    def view(self, dtype=None):
        """Return a view of the same bytes with another dtype.

        Parameters
        ----------
        dtype : dtype, optional
            The new dtype; None: the same.

        Returns
        -------
        GPUArray
            The view.

        Raises
        ------
        ValueError
            The bytes of the last axis do not fit the dtype.

        Examples
        --------
        >>> gpuarray.zeros(2, np.complex64).view(np.float32).shape
        (4,)
        """
        return _operations.view(self, self.dtype if dtype is None else dtype)

    def squeeze(self, axis=None):
        """Return a view without axes of length 1.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axis or axes to drop; None: all of length 1.

        Returns
        -------
        GPUArray
            The view.

        Raises
        ------
        ValueError
            An axis has another length.

        Examples
        --------
        >>> gpuarray.zeros((1, 3), np.float32).squeeze().shape
        (3,)
        """
        is_of_scalar = axis in (0, -1) and not self.ndim  # NumPy takes these axes of a 0-d array, if they are not in a tuple
        return _operations.squeeze(self, None if axis is None or is_of_scalar else normalise_axes(axis, self.ndim))

    def transpose(self, axes=None, *more):
        """Return a view with permuted axes.

        Parameters
        ----------
        axes : sequence of int or int, optional
            The permutation, as a sequence or one argument per axis; None: reversed.
        more : int
            Further axes.

        Returns
        -------
        GPUArray
            The view.

        Raises
        ------
        ValueError
            `axes` is not a permutation.

        Examples
        --------
        >>> gpuarray.zeros((2, 3, 4), np.float32).transpose(2, 0, 1).shape
        (4, 2, 3)
        """
        axes = (axes, *more) if isinstance(axes, int) else axes
        return _operations.transpose(self, None if axes is None else [normalise_axis(axis, self.ndim) for axis in axes])

    def __getitem__(self, index):
        return self._field(index) if isinstance(index, str) else _indexing.get(self, index)

    def _field(self, name):
        if name not in (self.dtype.names or ()):
            raise IndexError(f"dtype {self.dtype} has no field '{name}'")
        dtype, offset = self.dtype.fields[name][:2]
        if dtype.subdtype is not None:
            raise IndexError(f"field '{name}' is itself an array: {dtype}")
        return _operations.field(self, dtype, offset)

    def __setitem__(self, index, value):
        if isinstance(index, str):
            self._field(index)[...] = value
        else:
            _indexing.put(self, index, value)

    # ---- operators that the native type does not have

    @described
    def mul_add(self, selffac, other, otherfac, add_timer=None, stream=None, out=None):
        """Return ``selffac * self + otherfac * other``.

        Parameters
        ----------
        selffac : number
            Factor of this array.
        other : GPUArray
            The other array.
        otherfac : number
            Factor of the other array.
        add_timer : callable, optional
            Called with a number of operations and a function that returns the time in seconds.

        Returns
        -------
        GPUArray
            The result, in the common dtype.

        Examples
        --------
        >>> a = gpuarray.ones(2, np.float32)
        >>> a.mul_add(2, a, 3).get().tolist()
        [5.0, 5.0]
        """
        if add_timer is None:
            return _operations.operate("mul_add", selffac, self, otherfac, other, type=_operations.ARRAYS, out=out, stream=stream)
        start, end = drv.Event(), drv.Event()
        stream = _driver._native.stream_of_operation(stream)
        start.record(stream)
        out = _operations.operate("mul_add", selffac, self, otherfac, other, type=_operations.ARRAYS, out=out, stream=stream)
        end.record(stream)

        def elapsed():
            end.synchronize()
            return 1e-3 * end.time_since(start)

        add_timer(3 * self.size, elapsed)
        return out

    def __divmod__(self, other):
        quotient = self.__floordiv__(other)
        return quotient if quotient is NotImplemented else (quotient, self % other)

    def __rdivmod__(self, other):
        quotient = self.__rfloordiv__(other)
        return quotient if quotient is NotImplemented else (quotient, other % self)

    def __matmul__(self, other):
        other = _operations.of_lists(other)
        return _ordering.matmul(self, other) if isinstance(other, ArrayMethods) else NotImplemented

    def __rmatmul__(self, other):
        other = _operations.of_lists(other)
        return _ordering.matmul(other, self) if isinstance(other, ArrayMethods) else NotImplemented

    def __imatmul__(self, other):
        _operations.require_one_kind(self, other)
        other = _operations.of_lists(other)
        return _ordering.matmul(self, other, out=self) if isinstance(other, ArrayMethods) else NotImplemented

    # ---- parts of complex numbers

    @property
    def real(self):
        """The real parts, a new array; for real arrays, the array itself. Assign to it to change the parts: ``a.real = 0``."""
        if self.dtype.kind != "c":
            return self
        return _operations.operate("real", self)

    @real.setter
    def real(self, values):
        self._assign_part(0, values)

    @property
    def imag(self):
        """The imaginary parts, a new array; for real arrays, zeros. Assign to it to change the parts: ``a.imag = 0``."""
        if self.dtype.kind != "c":
            return _creation.zeros_like(self)
        return _operations.operate("imag", self)

    @imag.setter
    def imag(self, values):
        if self.dtype.kind != "c":
            raise TypeError(f"imag: an array of {self.dtype} has no imaginary parts to assign to")
        self._assign_part(1, values)

    def _assign_part(self, number, values):
        # Converted first: code of the program that this runs may free the memory of this array.
        if type(values) not in (int, float, complex, bool) and not isinstance(values, type(self)):
            values = _creation.asarray(values)
        if self.size:
            int(self.gpudata)  # LogicError if it was freed
        self._part(number)[...] = values

    def _part(self, number):
        """A view of the real or imaginary parts."""
        dtype = self.dtype.type(0).real.dtype if self.dtype.kind == "c" else self.dtype
        return _operations.field(self, dtype, number * dtype.itemsize)

    @described
    def conj(self, out=None):
        """Return the complex conjugates.

        Returns
        -------
        GPUArray
            The conjugates; for real arrays, the array itself.

        Examples
        --------
        >>> gpuarray.to_gpu(np.array([1 + 2j])).conj().item()
        (1-2j)
        """
        if self.dtype.kind != "c" and out is None:
            return self
        is_complex = getattr(getattr(out, "dtype", None), "kind", None) == "c"  # as in PyCUDA, of another size too
        return _operations.operate("conj", self, out=out, casting="unsafe" if is_complex else "no")

    conjugate = conj

    # ---- reductions

    @numpys_order("axis", "out", "keepdims")
    @described
    def any(self, stream=None, allocator=None, axis=None, keepdims=False, out=None, where=True):
        """Return whether an element is not zero.

        Returns
        -------
        GPUArray
            A 0-d array of bool, or with `axis` an array.

        Examples
        --------
        >>> gpuarray.arange(3, dtype=np.int32).any().item()
        True
        """
        return _reductions.any(self, stream=stream, allocator=allocator, axis=axis, keepdims=keepdims, out=out, where=where)

    @numpys_order("axis", "out", "keepdims")
    @described
    def all(self, stream=None, allocator=None, axis=None, keepdims=False, out=None, where=True):
        """Return whether no element is zero.

        Returns
        -------
        GPUArray
            A 0-d array of bool, or with `axis` an array.

        Examples
        --------
        >>> gpuarray.arange(3, dtype=np.int32).all().item()
        False
        """
        return _reductions.all(self, stream=stream, allocator=allocator, axis=axis, keepdims=keepdims, out=out, where=where)

    @numpys_order("axis", "dtype", "out", "keepdims")
    @described
    def sum(self, dtype=None, stream=None, allocator=None, axis=None, keepdims=False, out=None, initial=None, where=True):
        """Return the sum of the elements: see `pycuda.gpuarray.sum`.

        Returns
        -------
        GPUArray
            A 0-d array, or with `axis` an array of sums.

        Examples
        --------
        >>> gpuarray.ones((2, 3), np.float32).sum(axis=0).get().tolist()
        [2.0, 2.0, 2.0]
        """
        return _reductions.sum(self, dtype, stream, allocator, axis, keepdims, out, initial, where)

    @numpys_order("axis", "dtype", "out", "keepdims")
    @described
    def prod(self, dtype=None, stream=None, allocator=None, axis=None, keepdims=False, out=None, initial=None, where=True):
        """Return the product of the elements: see `pycuda.gpuarray.prod`.

        Returns
        -------
        GPUArray
            A 0-d array, or with `axis` an array of products.
        """
        return _reductions.prod(self, dtype, stream, allocator, axis, keepdims, out, initial, where)

    @numpys_order("axis", "dtype", "out", "keepdims")
    @described
    def mean(self, dtype=None, stream=None, allocator=None, axis=None, keepdims=False, out=None, where=True):
        """Return the mean of the elements: see `pycuda.gpuarray.mean`.

        Returns
        -------
        GPUArray
            A 0-d array, or with `axis` an array of means.

        Examples
        --------
        >>> gpuarray.arange(5, dtype=np.float32).mean().item()
        2.0
        """
        return _reductions.mean(self, dtype, stream, allocator, axis, keepdims, out=out, where=where)

    @described
    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
        """Return the variance of the elements: the mean of the squared distances from the mean.

        Parameters
        ----------
        dtype : dtype, optional
            dtype to compute in; None: that of the array, or float64 for integers.
        ddof : number, optional
            @correction
        mean : GPUArray, optional
            The means, if they are known, as `mean` with ``keepdims=True`` returns them.

        Returns
        -------
        GPUArray
            A 0-d array, or with `axis` an array.

        Examples
        --------
        >>> gpuarray.to_gpu(np.array([1.0, 3.0])).var().item()
        1.0
        """
        return _statistics.var(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean)

    @described
    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
        """Return the standard deviation of the elements: the square root of the variance.

        Parameters
        ----------
        dtype : dtype, optional
            dtype to compute in; None: that of the array, or float64 for integers.
        ddof : number, optional
            @correction
        mean : GPUArray, optional
            The means, if they are known, as `mean` with ``keepdims=True`` returns them.

        Returns
        -------
        GPUArray
            A 0-d array, or with `axis` an array.

        Examples
        --------
        >>> gpuarray.to_gpu(np.array([1.0, 3.0])).std().item()
        1.0
        """
        return _statistics.std(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean)

    @numpys_order("axis", "out", "keepdims")
    @described
    def min(self, stream=None, axis=None, keepdims=False, out=None, initial=None, where=True):
        """Return the smallest element, ignoring NaN.

        Returns
        -------
        GPUArray
            A 0-d array, or with `axis` an array of minima.

        Examples
        --------
        >>> gpuarray.arange(3, dtype=np.int32).min().item()
        0
        """
        return _reductions.min(self, stream, axis, keepdims, out, initial, where)

    @numpys_order("axis", "out", "keepdims")
    @described
    def max(self, stream=None, axis=None, keepdims=False, out=None, initial=None, where=True):
        """Return the largest element, ignoring NaN.

        Returns
        -------
        GPUArray
            A 0-d array, or with `axis` an array of maxima.

        Examples
        --------
        >>> gpuarray.arange(3, dtype=np.int32).max().item()
        2
        """
        return _reductions.max(self, stream, axis, keepdims, out, initial, where)

    @numpys_order("axis", "out", "keepdims")
    @described
    def argmin(self, stream=None, axis=None, keepdims=False, out=None):
        """Return the index of the first smallest element: see `pycuda.gpuarray.argmin`.

        Parameters
        ----------
        axis : int, optional
            @axis_of_index

        Returns
        -------
        GPUArray
            A 0-d array of int64, or with `axis` an array of indices.
        """
        return _reductions.argmin(self, stream, axis, keepdims, out)

    @numpys_order("axis", "out", "keepdims")
    @described
    def argmax(self, stream=None, axis=None, keepdims=False, out=None):
        """Return the index of the first largest element: see `pycuda.gpuarray.argmax`.

        Parameters
        ----------
        axis : int, optional
            @axis_of_index

        Returns
        -------
        GPUArray
            A 0-d array of int64, or with `axis` an array of indices.

        Examples
        --------
        >>> gpuarray.arange(3, dtype=np.int32).argmax().item()
        2
        """
        return _reductions.argmax(self, stream, axis, keepdims, out)

    @described
    def dot(self, other, dtype=None, stream=None, allocator=None, axis=None, keepdims=False):
        """Return the sum of products with another array: see `pycuda.gpuarray.dot`.

        Parameters
        ----------
        other : GPUArray
            An array of the same size; with `axis`, of the same shape.

        Returns
        -------
        GPUArray
            A 0-d array, or with `axis` an array of sums.

        Examples
        --------
        >>> a = gpuarray.ones(3, np.float32)
        >>> a.dot(a).item()
        3.0
        """
        return _reductions.dot(self, other, dtype, stream, allocator, axis, keepdims)

    @described
    def clip(self, a_min=None, a_max=None, out=None, stream=None, *, min=None, max=None):
        """Limit elements to [a_min, a_max].

        Parameters
        ----------
        a_min : object, optional
            Lower bound; None: no bound.
        a_max : object, optional
            Upper bound; None: no bound.
        min : object, optional
            Another name of `a_min`, as in NumPy.
        max : object, optional
            Another name of `a_max`.

        Returns
        -------
        GPUArray
            The limited elements.

        Raises
        ------
        ValueError
            There is no bound, or bounds have names of both pairs.

        Examples
        --------
        >>> gpuarray.arange(4, dtype=np.int32).clip(1, 2).get().tolist()
        [1, 1, 2, 2]
        """
        return _choice.clip(self, *_choice.bounds_of(a_min, a_max, min, max), out, stream)

    @described
    def cumsum(self, axis=None, dtype=None, stream=None, *, out=None):
        """Return the cumulative sums of the elements.

        Parameters
        ----------
        axis : int, optional
            @flat_axis

        Returns
        -------
        GPUArray
            The sums.

        Examples
        --------
        >>> gpuarray.arange(4, dtype=np.int32).cumsum().get().tolist()
        [0, 1, 3, 6]
        """
        return _ordering.cumsum(self, axis, dtype, out, stream)

    # ---- the elements in another order or number

    def argsort(self, axis=-1, kind=None, order=None, *, stable=None):
        """Return the indices that sort the array. The sort is stable, with NaN last.

        Parameters
        ----------
        axis : int, optional
            The axis to sort along; None: one dimension.
        kind : "quicksort", "mergesort", "heapsort" or "stable", optional
            Has no effect, as every sort is stable.
        order : None, optional
            Must be None.
        stable : bool, optional
            Has no effect.

        Returns
        -------
        GPUArray
            Indices of int64.

        Raises
        ------
        ValueError
            There is no such axis or kind, or `order` names fields.

        Examples
        --------
        >>> gpuarray.to_gpu(np.array([3, 1, 2])).argsort().get().tolist()
        [1, 2, 0]
        """
        _ordering.check_kind("argsort", kind, order, stable)
        return _ordering.argsort(self, axis)

    def repeat(self, repeats, axis=None):
        """Return the elements, each several times.

        Parameters
        ----------
        repeats : int or array_like or GPUArray
            Number of repetitions: one for all elements, or one for each element along the axis.
        axis : int, optional
            The axis; None: all elements, in C order and one dimension.

        Returns
        -------
        GPUArray
            The new array.

        Raises
        ------
        ValueError
            There is no such axis, or `repeats` has another length or negative elements.
        TypeError
            `repeats` are not integers.

        Examples
        --------
        >>> gpuarray.arange(2, dtype=np.int32).repeat(2).get().tolist()
        [0, 0, 1, 1]
        """
        return _rearrange.repeat(self, repeats, axis)

    def round(self, decimals=0, out=None):
        """Return the elements rounded to some decimals, halves to even digits.

        Parameters
        ----------
        decimals : int, optional
            Number of decimals; negative: of digits before the point.
        out : GPUArray, optional
            @out

        Returns
        -------
        GPUArray
            The rounded elements.

        Examples
        --------
        >>> gpuarray.to_gpu(np.array([1.25, 2.5])).round(1).get().tolist()
        [1.2, 2.5]
        """
        return _rounding.round(self, decimals, out)
