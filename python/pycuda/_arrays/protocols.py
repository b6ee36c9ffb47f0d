"""What lets NumPy and other packages work with arrays on the device."""

from pycuda import _dlpack
from pycuda._arrays import numpy_functions as _numpy_functions
from pycuda._arrays import texts as _texts

__all__ = ["ArrayProtocols", "register"]

#: register(namespace): makes numpy.NAME(arrays of ours) call the function of that name.
register = _numpy_functions.register


class ArrayProtocols(_dlpack.ArrayExport):
    """The class under GPUArray: __array_ufunc__ and its like."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        return _numpy_functions.call_ufunc(ufunc, method, inputs, out, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        ours = _numpy_functions.functions.get(function)
        if ours is None:
            return NotImplemented
        return ours(*args, **kwargs)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("a GPUArray is not converted to a NumPy array implicitly, as that copies from the device; call its method get()")

    @property
    def __cuda_array_interface__(self):
        """Version 3. The default stream has what was computed here."""
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "data": (self.ptr if self.size else 0, False),
            "stream": None,
            "version": 3,
        }

    def __reduce_ex__(self, protocol):
        return _rebuild, (type(self), self.get(), dict(self.__dict__) if getattr(self, "__dict__", None) else None)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __str__(self):
        return _texts.str_of(self)

    def __repr__(self):
        return _texts.repr_of(self)


def _rebuild(cls, host, attributes):
    """Unpickles: an array of the class on the device that is current now."""
    from pycuda.gpuarray import GPUArray, to_gpu

    result = to_gpu(host)
    if cls is not GPUArray:
        result = cls(result.shape, result.dtype, gpudata=result.gpudata, strides=result.strides)
    if attributes:
        result.__dict__.update(attributes)
    return result
