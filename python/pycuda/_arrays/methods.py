"""The methods of GPUArray."""

import operator as _operator
import warnings

import numpy as np

import pycuda.driver as drv
from pycuda._arrays import choice as _choice
from pycuda._arrays import copies as _copies
from pycuda._arrays import creation as _creation
from pycuda._arrays import gather as _gather
from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import protocols as _protocols
from pycuda._arrays import reductions as _reductions
from pycuda._arrays import textures as _textures
from pycuda._arrays.axes import normalise_axes, normalise_axis
from pycuda._arrays.operands import is_scalar
from pycuda.compyte.array import ArrayFlags

__all__ = ["ArrayMethods"]


class ArrayMethods(_textures.TextureMethods, _protocols.ArrayProtocols):
    """Everything of GPUArray that is not a field of the native type."""

    __slots__ = ()
    __array_priority__ = 100

    # ---- what it looks like

    @property
    def flags(self):
        """c_contiguous, f_contiguous, and forc, which is either."""
        return ArrayFlags(self)

    @property
    def T(self):
        """The axes in reverse order."""
        return self.transpose()

    def __len__(self):
        if self.shape:
            return self.shape[0]
        raise TypeError("len() of unsized object")

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

    def item(self):
        """The only entry, as a Python number."""
        return self._item().item()

    # ---- arrays like it

    def _new_like_me(self, dtype=None, order="C"):
        """A new array of this shape; of these strides too if the dtype stays. Subclasses override it to make results theirs."""
        strides = None
        if dtype is None or dtype == self.dtype:
            dtype = self.dtype
            if self._is_dense:
                strides = self.strides
        if strides is None and self._is_dense:
            strides = _operations.packed_strides(self.shape, self.strides, np.dtype(dtype).itemsize) if not self.flags.c_contiguous else None
        return self.__class__(self.shape, dtype, allocator=self.allocator, strides=strides, order=order)

    def _new_packed(self, dtype):
        """The same with axes in this order, without gaps."""
        dtype = np.dtype(dtype)
        return self.__class__(self.shape, dtype, allocator=self.allocator, strides=_operations.packed_strides(self.shape, self.strides, dtype.itemsize))

    def _packed(self, strides):
        """New memory of this shape and dtype whose axes have the order of those of `strides`."""
        return _operations.new_array(self.shape, self.dtype, allocator=self.allocator, strides=_operations.packed_strides(self.shape, strides, self.dtype.itemsize))

    # ---- copies

    def set(self, ary, async_=False, stream=None, **kwargs):
        """Copy a NumPy array, or another array on the device, of the same size and dtype into this one."""
        async_ = _copies.accept_async(async_, kwargs, "set")
        on_device = isinstance(ary, ArrayMethods)
        ary = ary if on_device else np.asarray(ary)
        if ary.size != self.size:
            raise ValueError(f"ary and self must be the same size, given {ary.size} and {self.size}")
        if ary.dtype != self.dtype:
            raise ValueError(f"ary and self must have the same dtype, given {ary.dtype} and {self.dtype}")
        if ary.shape != self.shape:
            warnings.warn("Setting array from one with different shape.", stacklevel=2)
            ary = (_copies.packed_copy(ary) if on_device and not ary.flags.c_contiguous else ary).reshape(self.shape)
        if on_device:
            _copies.copy_on_device(self, ary, stream if async_ else None)
        else:
            _copies.copy_to_device(self, ary, stream, async_)
        self._answers = ary._answers if on_device else 0

    def set_async(self, ary, stream=None):
        """`set` that does not wait. A NumPy array should be page-locked, and must stay as it is until the stream has passed."""
        return self.set(ary, async_=True, stream=stream)

    def get(self, ary=None, pagelocked=False, async_=False, stream=None, **kwargs):
        """A NumPy array with this one's entries: `ary`, else a new one, page-locked if asked for."""
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
        """`get` that does not wait; a new array is page-locked."""
        return self.get(ary=ary, pagelocked=ary is None, async_=True, stream=stream)

    def copy(self):
        """A new array with the same entries, its axes in the same order, without gaps."""
        result = _operations.new_array(self.shape, self.dtype, allocator=self.allocator, strides=_operations.packed_strides(self.shape, self.strides, self.dtype.itemsize)
                          if not self.flags.c_contiguous else None)
        _copies.copy_on_device(result, self)
        result._answers = self._answers
        return result

    def astype(self, dtype, stream=None):
        """A new array with the entries converted as C does."""
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self.copy()
        result = self._new_like_me(dtype) if self._is_dense else self._new_packed(dtype)
        _copies.copy_on_device(result, self, stream)
        return result

    def fill(self, value, stream=None):
        """Sets every entry to `value`. Returns self."""
        if self.size:
            _creation.fill(self, value, stream)
        return self

    def reverse(self, stream=None):
        """A new array with the entries in reverse order, as if it had one dimension."""
        result = self._new_like_me() if self._is_dense else self._new_packed(self.dtype)
        flat, source = result.reshape(-1, order="A"), (self if self._is_dense else self.copy()).reshape(-1, order="A")
        _copies.copy_on_device(flat, source[::-1], stream)
        result._answers = self._answers
        return result

    # ---- views

    def reshape(self, *shape, order="C"):
        """The same entries with another shape, of which one length may be -1. Never copies: RuntimeError where that would be needed."""
        return _operations.reshape(self, shape[0] if len(shape) == 1 else shape, order)

    def ravel(self):
        """The same entries in one dimension."""
        return _operations.reshape(self, -1, "C")

    def flatten(self):
        """A copy in one dimension."""
        result = _operations.call("flattened", (self,))
        result._answers = self._answers
        return result

    def view(self, dtype=None):
        """The same bytes as entries of another dtype."""
        return _operations.view(self, self.dtype if dtype is None else dtype)

    def squeeze(self, axis=None):
        """The array without its axes of length 1, or without this one, or these, which must be of length 1."""
        return _operations.squeeze(self, None if axis is None else normalise_axes(axis, self.ndim))

    def transpose(self, axes=None, *more):
        """The array with its axes permuted, reversed by default; a sequence of axes, or one argument each."""
        axes = (axes, *more) if isinstance(axes, int) else axes
        return _operations.transpose(self, None if axes is None else [normalise_axis(axis, self.ndim) for axis in axes])

    def __getitem__(self, index):
        if isinstance(index, ArrayMethods):
            return _gather.compress(self, index) if _gather.is_mask(self, index) else _gather.take(self, index)
        return self._field(index) if isinstance(index, str) else _operations.index(self, index)

    def _field(self, name):
        if name not in (self.dtype.names or ()):
            raise IndexError(f"dtype {self.dtype} has no field '{name}'")
        dtype, offset = self.dtype.fields[name][:2]
        if dtype.subdtype is not None:
            raise IndexError(f"field '{name}' is an array of its own: {dtype}")
        return _operations.field(self, dtype, offset)

    def __setitem__(self, index, value):
        if isinstance(index, ArrayMethods):
            if _gather.is_mask(self, index):
                _gather.expand(self, index, value)
            else:
                _gather.scatter(self, index, value)
            return
        if isinstance(index, str):
            self._field(index)[...] = value
            return
        view = _operations.index(self, index)
        if isinstance(value, ArrayMethods):
            np.broadcast_to(np.empty(value.shape, np.bool_), view.shape)  # raises as NumPy does
            _copies.copy_on_device(view, value)
        elif isinstance(value, np.ndarray) and value.ndim:
            value = np.broadcast_to(value, view.shape)
            _copies.copy_to_device(view, value if value.dtype == view.dtype else value.astype(view.dtype))
        elif is_scalar(value) or isinstance(value, np.void) or self.dtype.names is not None:
            view.fill(value)
        else:
            self[index] = np.asarray(value)

    # ---- operators that the native type does not have

    def mul_add(self, selffac, other, otherfac, add_timer=None, stream=None, out=None):
        """selffac * self + otherfac * other."""
        if add_timer is None:
            return _operations.operate("mul_add", selffac, self, otherfac, other, type=_operations.ARRAYS, out=out, stream=stream)
        start, end = drv.Event(), drv.Event()
        start.record(stream)
        out = _operations.operate("mul_add", selffac, self, otherfac, other, type=_operations.ARRAYS, out=out, stream=stream)
        end.record(stream)

        def elapsed():
            end.synchronize()
            return 1e-3 * end.time_since(start)

        add_timer(3 * self.size, elapsed)
        return out

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __matmul__(self, other):
        return _ordering.matmul(self, other) if isinstance(other, ArrayMethods) else NotImplemented

    # ---- parts of complex numbers

    @property
    def real(self):
        """The real parts; of real arrays, the array."""
        if self.dtype.kind != "c":
            return self
        return _operations.operate("real", self)

    @property
    def imag(self):
        """The imaginary parts; of real arrays, zeros."""
        if self.dtype.kind != "c":
            return _creation.zeros_like(self)
        return _operations.operate("imag", self)

    def conj(self, out=None):
        """The conjugates; of real arrays, the array."""
        if self.dtype.kind != "c" and out is None:
            return self
        return _operations.operate("conj", self, out=out, converts=False)

    conjugate = conj

    # ---- reductions

    def any(self, stream=None, allocator=None, axis=None, keepdims=False):
        """Whether an entry is not zero, as a 0-d array."""
        return _reductions.any(self, stream=stream, allocator=allocator, axis=axis, keepdims=keepdims)

    def all(self, stream=None, allocator=None, axis=None, keepdims=False):
        """Whether no entry is zero, as a 0-d array."""
        return _reductions.all(self, stream=stream, allocator=allocator, axis=axis, keepdims=keepdims)

    def sum(self, dtype=None, stream=None, allocator=None, axis=None, keepdims=False):
        """The sum of all entries, as a 0-d array; along `axis`, an array of sums."""
        return _reductions.sum(self, dtype, stream, allocator, axis, keepdims)

    def prod(self, dtype=None, stream=None, allocator=None, axis=None, keepdims=False):
        """The product, like sum."""
        return _reductions.prod(self, dtype, stream, allocator, axis, keepdims)

    def mean(self, dtype=None, stream=None, allocator=None, axis=None, keepdims=False):
        """The mean, like sum."""
        return _reductions.mean(self, dtype, stream, allocator, axis, keepdims)

    def min(self, stream=None, axis=None, keepdims=False):
        """The least entry."""
        return _reductions.min(self, stream, axis, keepdims)

    def max(self, stream=None, axis=None, keepdims=False):
        """The largest entry."""
        return _reductions.max(self, stream, axis, keepdims)

    def argmin(self, stream=None, axis=None, keepdims=False):
        """Where the least entry is first."""
        return _reductions.argmin(self, stream, axis, keepdims)

    def argmax(self, stream=None, axis=None, keepdims=False):
        """Where the largest entry is first."""
        return _reductions.argmax(self, stream, axis, keepdims)

    def dot(self, other, dtype=None, stream=None, allocator=None, axis=None, keepdims=False):
        """The sum of products with `other`, like sum."""
        return _reductions.dot(self, other, dtype, stream, allocator, axis, keepdims)

    def clip(self, a_min=None, a_max=None, out=None, stream=None):
        """Every entry, or the bound that it is beyond. A bound may be None."""
        return _choice.clip(self, a_min, a_max, out, stream)

    def cumsum(self, axis=None, dtype=None, stream=None):
        """Sums up to each entry: of all in one dimension, or along `axis`."""
        return _ordering.cumsum(self, axis, dtype, stream=stream)
