"""The Fourier transform extension of the array API standard.

Any length is supported. On a GPU, cuFFT transforms large arrays if it is installed; otherwise powers of two are the fastest, and others take about six
times as long. Elements must be float32, float64, complex64 or complex128 (TypeError);
complex transforms accept real elements, too. An axis without elements, `n` below 1 and an unknown `norm` raise
ValueError. `norm` selects the direction that divides: "backward" the inverse one by n, "forward" the forward one by n, "ortho" both by the root of n.

>>> import pycuda.autoinit
>>> import pycuda.array_api as xp
>>> xp.fft.rfft(xp.asarray([1.0, 0.0, 0.0, 0.0])).get().real.tolist()
[1.0, 1.0, 1.0]
"""

import operator

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays.axes import normalise_axes, normalise_axis
from pycuda.array_api._array import check_device, wrap
from pycuda.array_api._array import of_arrays as _of_arrays
from pycuda.array_api._creation import asarray
from pycuda.array_api._dtypes import checked_dtype, float64, isdtype
from pycuda.array_api._manipulation import roll

__all__ = ["fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft", "rfftfreq", "rfftn"]

# As Fourier and FourierNorm.
_COMPLEX, _HALF, _WHOLE = range(3)
_NORMS = {"backward": 0, "ortho": 1, "forward": 2}


def _transformed(name, kind, x, lengths, axes, norm, backward):
    if norm not in _NORMS:
        raise ValueError(f"{name}: expected norm 'backward', 'ortho' or 'forward', given {norm!r}")
    axes = [normalise_axis(axis, x.ndim) for axis in axes]
    return wrap(_operations.call("fourier", (x,), (kind, backward, _NORMS[norm], name.endswith("n"), len(lengths), *lengths, *axes)))


def _along(name, kind, x, n, axis, norm, backward):
    length = -1 if n is None else _length(name, n)
    return _transformed(name, kind, x, (length,), (axis,), norm, backward)


def _over(name, kind, x, s, axes, norm, backward):
    if s is not None and axes is None:
        raise ValueError(f"{name}: axes must be given with s")
    axes = tuple(range(x.ndim)) if axes is None else tuple(axes)
    s = (-1,) * len(axes) if s is None else tuple(operator.index(length) for length in s)
    return _transformed(name, kind, x, s, axes, norm, backward)


def _length(name, n):
    n = operator.index(n)
    if n < 1:
        raise ValueError(f"{name}: expected at least 1 element to transform, given {n}")
    return n


# ---- complex transforms


def fft(x, /, *, n=None, axis=-1, norm="backward"):
    """Return the discrete Fourier transforms along an axis, which is truncated or padded with zeros to n elements."""
    return _along("fft", _COMPLEX, x, n, axis, norm, False)


def ifft(x, /, *, n=None, axis=-1, norm="backward"):
    """Return the inverse discrete Fourier transforms along an axis, which is truncated or padded with zeros to n elements."""
    return _along("ifft", _COMPLEX, x, n, axis, norm, True)


def fftn(x, /, *, s=None, axes=None, norm="backward"):
    """Return the discrete Fourier transforms over axes, all by default. `s` has a length for each; -1 is the axis's own length."""
    return _over("fftn", _COMPLEX, x, s, axes, norm, False)


def ifftn(x, /, *, s=None, axes=None, norm="backward"):
    """Return the inverse discrete Fourier transforms over axes, all by default. `s` has a length for each; -1 is the axis's own length."""
    return _over("ifftn", _COMPLEX, x, s, axes, norm, True)


# ---- real transforms


def rfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Return the first n // 2 + 1 elements of the transforms of real elements along an axis; the others are their conjugates."""
    return _along("rfft", _HALF, x, n, axis, norm, False)


def irfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Return the n real elements, 2 * (M - 1) by default, whose transform along an axis begins with the M elements of x."""
    return _along("irfft", _WHOLE, x, n, axis, norm, True)


def rfftn(x, /, *, s=None, axes=None, norm="backward"):
    """Return the transforms of real elements over axes, all by default; along the last axis only the first half, as from rfft()."""
    return _over("rfftn", _HALF, x, s, axes, norm, False)


def irfftn(x, /, *, s=None, axes=None, norm="backward"):
    """Return the real elements whose transform over axes, as from rfftn(), is x; `s` has the lengths of the result."""
    return _over("irfftn", _WHOLE, x, s, axes, norm, True)


def hfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Return the n real elements, 2 * (M - 1) by default, of the transforms of Hermitian signals, given by their first M elements along an axis."""
    return _along("hfft", _WHOLE, x, n, axis, norm, False)


def ihfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Return the first n // 2 + 1 elements of the inverse transforms of real elements along an axis."""
    return _along("ihfft", _HALF, x, n, axis, norm, True)


# ---- frequencies


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Return the frequencies of fft() of n samples that are d apart: 0, 1 / (n d), …, with the negative ones last."""
    check_device(device)
    return asarray(np.fft.fftfreq(_length("fftfreq", n), d), dtype=_real("fftfreq", dtype))


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Return the n // 2 + 1 frequencies of rfft() of n samples that are d apart."""
    check_device(device)
    return asarray(np.fft.rfftfreq(_length("rfftfreq", n), d), dtype=_real("rfftfreq", dtype))


def _real(name, dtype):
    dtype = checked_dtype(dtype, float64)
    if not isdtype(dtype, "real floating"):
        raise TypeError(f"{name}: expected a dtype of real floating elements, given {dtype}")
    return dtype


def _shifted(name, x, axes, sign):
    if not isdtype(x.dtype, ("real floating", "complex floating")):
        raise TypeError(f"{name}: expected an array of floating-point elements, given {x.dtype}; convert it with astype()")
    axes = tuple(normalise_axes(axes if axes is None or isinstance(axes, int) else tuple(axes), x.ndim))
    return roll(x, tuple(sign * (x.shape[k] // 2) for k in axes), axis=axes) if axes else x.copy()


def fftshift(x, /, *, axes=None):
    """Return the elements shifted so that frequency 0 is in the middle of axes, all by default."""
    return _shifted("fftshift", x, axes, 1)


def ifftshift(x, /, *, axes=None):
    """Undo fftshift()."""
    return _shifted("ifftshift", x, axes, -1)


globals().update((_name, _of_arrays(globals()[_name])) for _name in __all__)
