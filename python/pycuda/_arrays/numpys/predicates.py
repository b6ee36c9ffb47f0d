"""Elementwise functions that are no universal functions of NumPy, and those of one operand that are composed of others."""

import math

import numpy as np

from pycuda._arrays.copies import into
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.operations import is_array, operate
from pycuda._arrays.universal_functions import composed

__all__ = []


@implements("isreal")
def _isreal(x):
    return exact.filled(x.shape, True, np.bool_, x) if x.dtype.kind != "c" else exact.equal(operate("imag", x), 0)


@implements("iscomplex")
def _iscomplex(x):
    return exact.zeros(x.shape, np.bool_, x) if x.dtype.kind != "c" else exact.not_equal(operate("imag", x), 0)


def _infinity(name, x, out, is_wanted):
    if x.dtype.kind == "c":
        raise TypeError(f"This operation is not supported for {x.dtype} values because it would be ambiguous.")
    result = is_wanted(x) if exact.is_inexact(x) else exact.zeros(x.shape, np.bool_, x)
    return into(out, result)


@implements("isposinf")
def _isposinf(x, out=None):
    return _infinity("isposinf", x, out, lambda x: exact.equal(x, np.inf))


@implements("isneginf")
def _isneginf(x, out=None):
    return _infinity("isneginf", x, out, lambda x: exact.equal(x, -np.inf))


@implements("fix")
def _fix(x, out=None):
    return into(out, exact.trunc(exact.on_device("fix", x)), casting="same_kind")


@implements("sinc")
def _sinc(x):
    scaled = exact.multiply(x, math.pi)
    eps = float(np.finfo(scaled.dtype).eps) if scaled.dtype.kind == "f" else 1e-20
    scaled = operate("where", exact.not_equal(scaled, 0), scaled, eps, type=scaled.dtype)
    return exact.divide(exact.sin(scaled), scaled)


#: Chebyshev coefficients of exp(-x) I0(x) for x from 0 to 8, and of exp(-x) sqrt(x) I0(x) for larger ones (Cephes).
_NEAR = [
    -4.41534164647933937950E-18, 3.33079451882223809783E-17, -2.43127984654795469359E-16, 1.71539128555513303061E-15, -1.16853328779934516808E-14,
    7.67618549860493561688E-14, -4.85644678311192946090E-13, 2.95505266312963983461E-12, -1.72682629144155570723E-11, 9.67580903537323691224E-11,
    -5.18979560163526290666E-10, 2.65982372468238665035E-9, -1.30002500998624804212E-8, 6.04699502254191894932E-8, -2.67079385394061173391E-7,
    1.11738753912010371815E-6, -4.41673835845875056359E-6, 1.64484480707288970893E-5, -5.75419501008210370398E-5, 1.88502885095841655729E-4,
    -5.76375574538582365885E-4, 1.63947561694133579842E-3, -4.32430999505057594430E-3, 1.05464603945949983183E-2, -2.37374148058994688156E-2,
    4.93052842396707084878E-2, -9.49010970480476444210E-2, 1.71620901522208775349E-1, -3.04682672343198398683E-1, 6.76795274409476084995E-1,
]
_FAR = [
    -7.23318048787475395456E-18, -4.83050448594418207126E-18, 4.46562142029675999901E-17, 3.46122286769746109310E-17, -2.82762398051658348494E-16,
    -3.42548561967721913462E-16, 1.77256013305652638360E-15, 3.81168066935262242075E-15, -9.55484669882830764870E-15, -4.15056934728722208663E-14,
    1.54008621752140982691E-14, 3.85277838274214270114E-13, 7.18012445138366623367E-13, -1.79417853150680611778E-12, -1.32158118404477131188E-11,
    -3.14991652796324136454E-11, 1.18891471078464383424E-11, 4.94060238822496958910E-10, 3.39623202570838634515E-9, 2.26666899049817806459E-8,
    2.04891858946906374183E-7, 2.89137052083475648297E-6, 6.88975834691682398426E-5, 3.36911647825569408990E-3, 8.04490411014108831608E-1,
]


def _chebyshev(x, coefficients):
    """The series at x, by Clenshaw's recurrence."""
    first, second, third = exact.filled(x.shape, coefficients[0], x.dtype, x), exact.zeros(x.shape, x.dtype, x), None
    for coefficient in coefficients[1:]:
        first, second, third = exact.add(exact.subtract(exact.multiply(x, first), second), coefficient), first, second
    return exact.multiply(exact.subtract(first, third), 0.5)


@implements("i0")
def _i0(x):
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    x = exact.absolute(x if x.dtype.kind == "f" else x.astype(np.float64))
    near = _chebyshev(exact.subtract(exact.multiply(x, 0.5), 2.0), _NEAR)
    far = exact.divide(_chebyshev(exact.subtract(exact.divide(32.0, exact.maximum(x, 8.0)), 2.0), _FAR), exact.sqrt(x))
    return exact.multiply(exact.exp(x), exact.where(exact.less_equal(x, 8.0), near, far))


# ---- universal functions


def _spacing(x):
    """The distance to the next number of larger magnitude, with the sign of x."""
    distance = exact.subtract(exact.nextafter(x, exact.copysign(np.inf, x)), x)
    return exact.where(exact.isfinite(x), distance, math.nan)


def _bitwise_count(x):
    """The number of 1-bits of the magnitude, uint8: sums of ever more neighbours, in place of these."""
    bits = x.astype(np.uint8) if x.dtype.kind == "b" else exact.absolute(x).view(f"u{x.itemsize}") if x.dtype.kind == "i" else x
    width = 8 * bits.itemsize
    every = (1 << width) - 1
    bits = exact.subtract(bits, exact.bitwise_and(exact.right_shift(bits, 1), every // 3))
    bits = exact.add(exact.bitwise_and(bits, every // 5), exact.bitwise_and(exact.right_shift(bits, 2), every // 5))
    bits = exact.bitwise_and(exact.add(bits, exact.right_shift(bits, 4)), every // 17)
    bits = exact.right_shift(exact.multiply(bits, every // 255), width - 8) if width > 8 else bits
    return bits.astype(np.uint8)


def _of_one(name, kinds, compute):
    """A universal function of one array of these kinds of elements."""

    def call(x, out=None, dtype=None, casting="same_kind", where=True):
        if x.dtype.kind not in kinds or where is not True:
            return NotImplemented
        result = compute(x)
        if dtype is not None:
            result = result.astype(dtype, casting=casting)
        return into(out, result, casting=casting)

    composed[name] = call


_of_one("spacing", "f", _spacing)
_of_one("bitwise_count", "biu", _bitwise_count)


# ---- memory


def _extent(a):
    """The addresses of the first byte, and after the last one."""
    low = a.ptr + sum(min(0, stride * (length - 1)) for stride, length in zip(a.strides, a.shape))
    high = a.ptr + sum(max(0, stride * (length - 1)) for stride, length in zip(a.strides, a.shape)) + a.itemsize
    return low, high


@implements("may_share_memory")
def _may_share_memory(a, b, /, max_work=0):
    if not (is_array(a) and is_array(b)) or not a.size or not b.size:
        return False
    (low, high), (other_low, other_high) = _extent(a), _extent(b)
    return low < other_high and other_low < high


def _of_same_layout(a):
    """A NumPy array with the address and the strides of `a`, which must not be read."""
    interface = {"version": 3, "shape": a.shape, "strides": a.strides, "typestr": f"|V{a.itemsize}", "data": (a.ptr, False)}
    return np.asarray(type("Imagined", (), {"__array_interface__": interface})())


@implements("shares_memory")
def _shares_memory(a, b, /, max_work=-1):
    """Only addresses and strides are compared."""
    if not _may_share_memory(a, b):
        return False
    return bool(np.shares_memory(_of_same_layout(a), _of_same_layout(b), max_work=None if max_work == -1 else max_work))
