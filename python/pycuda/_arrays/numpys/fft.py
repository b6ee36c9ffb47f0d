"""numpy.fft, by the core's transforms."""

import operator
import warnings

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays.axes import normalise_axis
from pycuda._arrays.copies import into
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.rearrange import roll

__all__ = []

# As the core's Fourier and FourierNorm.
_COMPLEX, _HALF, _WHOLE = range(3)
_NORMS = {None: 0, "backward": 0, "ortho": 1, "forward": 2}


def _inexact(name, kind, a):
    """The array in a type of the core's transforms."""
    a = exact.on_device(name, a)
    if kind == _HALF and a.dtype.kind == "c":
        raise TypeError(f"{name}: expected an array of real numbers, given {a.dtype}")
    if a.dtype.char in "fdFD":
        return a
    return a.astype(np.float32 if a.dtype.char == "e" else np.float64)


def _transformed(name, kind, a, lengths, axes, norm, backward, out):
    if norm not in _NORMS:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    is_half = getattr(a, "dtype", None) == np.float16 and kind == _WHOLE and len(axes) == 1  # NumPy's real results have its dtype, too
    a = _inexact(name, kind, a)
    axes = [normalise_axis(axis, a.ndim) for axis in axes]
    if not axes:
        return into(out, a.astype(np.result_type(a.dtype, np.complex64)))
    if kind == _WHOLE and a.dtype.kind != "c":
        a = a.astype(np.result_type(a.dtype, np.complex64))
    numbers = (kind, backward, _NORMS[norm], name.endswith("n"), len(lengths), *lengths, *axes)
    result = _operations.call("fourier", (a,), numbers)
    return into(out, result.astype(np.float16) if is_half else result)


def _along(name, kind, backward):
    def call(a, n=None, axis=-1, norm=None, out=None):
        length = -1 if n is None else operator.index(n)
        if n is not None and length < 1:
            raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
        return _transformed(name, kind, a, (length,), (operator.index(axis),), norm, backward, out)

    return call


def _lengths(s, axes, ndim):
    """The lengths of the transforms, -1 for an axis's own, and the axes. Warns as NumPy 2 of what it will refuse."""
    if s is not None and axes is None:
        warnings.warn("`axes` should not be `None` if `s` is not `None`: name the axes, as range(-len(s), 0)", DeprecationWarning, stacklevel=4)
    if s is not None and None in tuple(s):
        warnings.warn("`s` should not contain None: use -1 for an axis's own length", DeprecationWarning, stacklevel=4)
    if axes is None:
        axes = tuple(range(ndim)) if s is None else tuple(range(-len(s), 0))
    lengths = (-1,) * len(axes) if s is None else tuple(-1 if length is None else operator.index(length) for length in s)
    if len(lengths) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    return lengths, axes


def _over(name, kind, backward, default):
    def call(a, s=None, axes=default, norm=None, out=None):
        lengths, axes = _lengths(s, axes, a.ndim)
        if kind != _COMPLEX and not len(axes):
            raise IndexError("at least 1 axis must be transformed")
        return _transformed(name, kind, a, lengths, axes, norm, backward, out)

    return call


for _name, _kind in (("fft", _COMPLEX), ("rfft", _HALF)):
    implements(f"fft.{_name}")(_along(_name, _kind, False))
    implements(f"fft.i{_name}")(_along(f"i{_name}", _WHOLE if _kind == _HALF else _COMPLEX, True))
    for _suffix, _axes in (("2", (-2, -1)), ("n", None)):
        implements(f"fft.{_name}{_suffix}")(_over(f"{_name}n", _kind, False, _axes))
        implements(f"fft.i{_name}{_suffix}")(_over(f"i{_name}n", _WHOLE if _kind == _HALF else _COMPLEX, True, _axes))
implements("fft.hfft")(_along("hfft", _WHOLE, False))
implements("fft.ihfft")(_along("ihfft", _HALF, True))


def _shifted(sign):
    def call(x, axes=None):
        given = range(x.ndim) if axes is None else axes if hasattr(axes, "__iter__") else (axes,)
        axes = tuple(normalise_axis(axis, x.ndim) for axis in given)
        return roll(x, tuple(sign * (x.shape[k] // 2) for k in axes), axes) if axes else x.copy()

    return call


implements("fft.fftshift")(_shifted(1))
implements("fft.ifftshift")(_shifted(-1))
