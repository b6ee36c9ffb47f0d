"""The Fourier transform extension of the array API standard.

Lengths are any: powers of two are the fastest, others take about six times as long. Elements are float32, float64, complex64 or complex128, others
a TypeError; real ones count as complex where a complex transform is asked for. An axis of no elements, `n` below 1 and an unknown `norm` are a
ValueError. `norm` says which direction divides: "backward" the inverse by n, "forward" the forward one by n, "ortho" both by the root of n.

>>> import pycuda.autoinit
>>> import pycuda.array_api as xp
>>> xp.fft.rfft(xp.asarray([1.0, 0.0, 0.0, 0.0])).get().real.tolist()
[1.0, 1.0, 1.0]
"""

import functools
import math
import operator

import numpy as np

from pycuda._arrays.axes import normalise_axes, normalise_axis
from pycuda._arrays.copies import copy_on_device
from pycuda._arrays.kernel_cache import PerContext
from pycuda.array_api._array import Array, check_device, converted, packed
from pycuda.array_api._creation import asarray, zeros
from pycuda.array_api._dtypes import checked_dtype, float64, isdtype
from pycuda.array_api._elementwise import conj, real
from pycuda.array_api._manipulation import moveaxis, roll
from pycuda.compiler import SourceModule
from pycuda.tools import dtype_to_ctype

__all__ = ["fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft", "rfftfreq", "rfftn"]

_THREADS = 256

_SOURCE = """
#include <pycuda-fft.hpp>
typedef %s T;
typedef T::value_type R;
typedef long long index;
#define EACH const index thread = blockIdx.x * index(blockDim.x) + threadIdx.x; if (thread < count)
extern "C" __global__ void stage(index count, const T *from, T *to, index n, index half, int sign) { EACH pycuda::fft::stage(from, to, n, half, sign, thread); }
extern "C" __global__ void spread(index count, const T *from, T *to, index n, index m, int sign) { EACH pycuda::fft::spread(from, to, n, m, sign, thread); }
extern "C" __global__ void conjugate_chirp(index count, T *to, index n, index m, int sign) { EACH pycuda::fft::conjugate_chirp(to, n, m, sign, thread); }
extern "C" __global__ void multiply(index count, T *rows, const T *by, index m, R factor) { EACH pycuda::fft::multiply(rows, by, m, factor, thread); }
extern "C" __global__ void gather(index count, const T *from, T *to, index n, index m, int sign) { EACH pycuda::fft::gather(from, to, n, m, sign, thread); }
extern "C" __global__ void mirror(index count, const T *from, T *to, index n) { EACH pycuda::fft::mirror(from, to, n, thread); }
"""


# ---- transforms of rows, arrays (rows, n) of complex elements in C order


@functools.cache
def _module(dtype):
    return PerContext(lambda: SourceModule(_SOURCE % dtype_to_ctype(dtype), no_extern_c=True))


def _launch(name, count, first, *arguments):
    """Run a kernel with a thread for each of `count` elements."""
    kernel = _module(first.dtype).get().get_function(name)
    kernel(np.int64(count), first, *arguments, block=(_THREADS, 1, 1), grid=(-(-count // _THREADS), 1))


def _transformed(x, sign):
    """exp(sign * 2 pi i j k / n) times element j, summed over j; no norm."""
    rows, n = x.shape
    if n == 1 or not rows:
        return x.copy()  # never memory of the caller's
    return _stockham(x, sign) if n & (n - 1) == 0 else _bluestein(x, sign)


def _stockham(x, sign):
    rows, n = x.shape
    source, spare = x, Array(x.shape, x.dtype)
    half = 1
    while half < n:
        target = spare
        _launch("stage", rows * n // 2, source, target, np.int64(n), np.int64(half), np.int32(sign))
        spare = Array(x.shape, x.dtype) if source is x else source  # x is the caller's
        source, half = target, 2 * half
    return source


def _bluestein(x, sign):
    rows, n = x.shape
    m = 1 << (2 * n - 2).bit_length()
    lengths = np.int64(n), np.int64(m)
    spread, by, result = (Array(shape, x.dtype) for shape in ((rows, m), (1, m), (rows, n)))
    _launch("spread", rows * m, x, spread, *lengths, np.int32(sign))
    _launch("conjugate_chirp", m, by, *lengths, np.int32(sign))
    product = _stockham(spread, -1)
    _launch("multiply", rows * m, product, _stockham(by, -1), np.int64(m), x.dtype.type(1 / m).real)
    _launch("gather", rows * n, _stockham(product, 1), result, *lengths, np.int32(sign))
    return result


# ---- arguments


def _check(name, x, *kinds):
    if not isdtype(x.dtype, kinds):
        raise TypeError(f"{name}: expected an array of {' or '.join(kinds)} elements, given {x.dtype}; convert it with astype()")


def _length(name, n):
    n = operator.index(n)
    if n < 1:
        raise ValueError(f"{name}: expected at least 1 element to transform, given {n}")
    return n


def _scale(name, norm, n, sign):
    """What results are multiplied by."""
    if norm not in ("backward", "ortho", "forward"):
        raise ValueError(f"{name}: expected norm 'backward', 'ortho' or 'forward', given {norm!r}")
    if norm == "ortho":
        return 1 / math.sqrt(n)
    return 1 / n if (norm == "backward") == (sign > 0) else 1.0


def _complex(x):
    return x if x.dtype.kind == "c" else converted(x, np.result_type(x.dtype, np.complex64))


def _resized(x, n):
    """x with n elements along the last axis: the first ones, or zeros after them."""
    kept = x[..., :n]
    if kept.shape[-1] == n:
        return kept
    result = zeros((*x.shape[:-1], n), dtype=x.dtype)
    if kept.size:
        copy_on_device(result[..., :kept.shape[-1]], kept)
    return result


def _rows(x):
    """The last axis of an array, in C order."""
    x = packed(x)
    return x.reshape((math.prod(x.shape[:-1]), x.shape[-1]))


def _along(name, x, n, axis, norm, sign):
    """The complex transform along an axis."""
    axis = normalise_axis(axis, x.ndim)
    n = _length(name, x.shape[axis] if n is None else n)
    scale = _scale(name, norm, n, sign)
    x = _complex(_resized(moveaxis(x, axis, -1), n))
    result = _transformed(_rows(x), sign).reshape(x.shape)
    return moveaxis(result * scale if scale != 1 else result, -1, axis)


def _axes(name, x, s, axes):
    """Pairs of an axis and the length of its transform."""
    if s is not None and axes is None:
        raise ValueError(f"{name}: axes must be given with s")
    axes = [normalise_axis(axis, x.ndim) for axis in (range(x.ndim) if axes is None else axes)]
    s = [-1] * len(axes) if s is None else list(s)
    if len(s) != len(axes):
        raise ValueError(f"{name}: expected one length for each of {len(axes)} axes, given {len(s)}")
    if not axes:
        raise ValueError(f"{name}: expected at least one axis")
    return [(axis, None if length == -1 else length) for axis, length in zip(axes, s)]


# ---- complex transforms


def fft(x, /, *, n=None, axis=-1, norm="backward"):
    """Return the discrete Fourier transforms along an axis, of its first n elements, or of it and zeros."""
    _check("fft", x, "real floating", "complex floating")
    return packed(_along("fft", x, n, axis, norm, -1))


def ifft(x, /, *, n=None, axis=-1, norm="backward"):
    """Return the inverse discrete Fourier transforms along an axis, of its first n elements, or of it and zeros."""
    _check("ifft", x, "real floating", "complex floating")
    return packed(_along("ifft", x, n, axis, norm, 1))


def _over_axes(name, x, s, axes, norm, sign):
    _check(name, x, "real floating", "complex floating")
    for axis, n in reversed(_axes(name, x, s, axes)):
        x = _along(name, x, n, axis, norm, sign)
    return packed(x)


def fftn(x, /, *, s=None, axes=None, norm="backward"):
    """Return the discrete Fourier transforms over axes, all by default; s are as many lengths, of which -1 is the axis's own."""
    return _over_axes("fftn", x, s, axes, norm, -1)


def ifftn(x, /, *, s=None, axes=None, norm="backward"):
    """Return the inverse discrete Fourier transforms over axes, all by default; s are as many lengths, of which -1 is the axis's own."""
    return _over_axes("ifftn", x, s, axes, norm, 1)


# ---- real transforms


def _half(name, x, n, axis, norm, sign):
    """The first n // 2 + 1 elements of the transforms of real numbers."""
    _check(name, x, "real floating")
    result = _along(name, x, n, axis, norm, sign)
    before = (slice(None),) * normalise_axis(axis, x.ndim)
    return result[(*before, slice(result.shape[axis] // 2 + 1))]


def _whole(name, x, n, axis, norm, sign):
    """The real transforms, of length n, of the n // 2 + 1 elements that they are told by."""
    _check(name, x, "real floating", "complex floating")
    axis = normalise_axis(axis, x.ndim)
    n = _length(name, 2 * (x.shape[axis] - 1) if n is None else n)
    given = _rows(_complex(_resized(moveaxis(x, axis, -1), n // 2 + 1)))
    whole = Array((given.shape[0], n), given.dtype)
    if whole.size:
        _launch("mirror", whole.size, given, whole, np.int64(n))
    result = real(_transformed(whole, sign)).reshape((*moveaxis(x, axis, -1).shape[:-1], n))
    return moveaxis(result * _scale(name, norm, n, sign), -1, axis)


def rfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Return the first n // 2 + 1 elements of the transforms of real elements along an axis; the others are their conjugates."""
    return packed(_half("rfft", x, n, axis, norm, -1))


def irfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Return the n real elements, 2 * (M - 1) by default, whose transform along an axis begins with the M elements of x."""
    return packed(_whole("irfft", x, n, axis, norm, 1))


def rfftn(x, /, *, s=None, axes=None, norm="backward"):
    """Return the transforms of real elements over axes, all by default; along the last one only the first half, as of rfft()."""
    (*others, (axis, n)) = _axes("rfftn", x, s, axes)
    x = _half("rfftn", x, n, axis, norm, -1)
    for each, n in reversed(others):
        x = _along("rfftn", x, n, each, norm, -1)
    return packed(x)


def irfftn(x, /, *, s=None, axes=None, norm="backward"):
    """Return the real elements whose transform over axes, as of rfftn(), is x; s are the lengths of the result."""
    _check("irfftn", x, "real floating", "complex floating")
    (*others, (axis, n)) = _axes("irfftn", x, s, axes)
    for each, length in others:
        x = _along("irfftn", x, length, each, norm, 1)
    return packed(_whole("irfftn", x, n, axis, norm, 1))


_OTHER_WAY = {"backward": "forward", "forward": "backward"}


def hfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Return the n real elements, 2 * (M - 1) by default, of the transforms of Hermitian signals along an axis, of which M elements are given."""
    _check("hfft", x, "real floating", "complex floating")
    return packed(_whole("hfft", conj(x) if x.dtype.kind == "c" else x, n, axis, _OTHER_WAY.get(norm, norm), 1))


def ihfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Return the first n // 2 + 1 elements of the inverse transforms of real elements along an axis."""
    return packed(_half("ihfft", x, n, axis, norm, 1))


# ---- frequencies


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Return the frequencies of the n elements of fft() of samples that are d apart: 0, 1 / (n d), …, the negative ones last."""
    check_device(device)
    return asarray(np.fft.fftfreq(_length("fftfreq", n), d), dtype=_real("fftfreq", dtype))


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Return the frequencies of the n // 2 + 1 elements of rfft() of n samples that are d apart."""
    check_device(device)
    return asarray(np.fft.rfftfreq(_length("rfftfreq", n), d), dtype=_real("rfftfreq", dtype))


def _real(name, dtype):
    dtype = checked_dtype(dtype, float64)
    if not isdtype(dtype, "real floating"):
        raise TypeError(f"{name}: expected a dtype of real floating elements, given {dtype}")
    return dtype


def _shifted(name, x, axes, sign):
    _check(name, x, "real floating", "complex floating")
    axes = tuple(normalise_axes(axes if axes is None or isinstance(axes, int) else tuple(axes), x.ndim))
    return roll(x, tuple(sign * (x.shape[k] // 2) for k in axes), axis=axes) if axes else x.copy()


def fftshift(x, /, *, axes=None):
    """Return the elements with that of frequency 0 in the middle of axes, all by default."""
    return _shifted("fftshift", x, axes, 1)


def ifftshift(x, /, *, axes=None):
    """Return the elements as they were before fftshift()."""
    return _shifted("ifftshift", x, axes, -1)
