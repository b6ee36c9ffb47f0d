"""Polynomials as arrays of coefficients, the highest power first."""

import warnings

import numpy as np

from pycuda._arrays import join as _join
from pycuda._arrays import ordering as _ordering
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.diagonals import diag
from pycuda._arrays.numpys.linalg import eigvals, inv, lstsq
from pycuda._arrays.numpys.products import outer
from pycuda._arrays.numpys.registry import FUNCTIONS, implements, named
from pycuda._arrays.operations import operate

__all__ = []


def _vector(name, p):
    p = exact.on_device(name, p)
    return exact.shaped(p, 1) if not p.ndim else p


@implements("polyval")
def _polyval(p, x):
    p, x = exact.on_device("polyval", p), exact.on_device("polyval", x)
    result = exact.zeros(x.shape, x.dtype, x)
    for coefficient in p:
        result = exact.add(exact.multiply(result, x), coefficient)
    return result


def _joined(name, a1, a2):
    """Both with as many coefficients."""
    both = [_vector(name, a) for a in (a1, a2)]
    size = max(a.size for a in both)
    common = np.result_type(*(a.dtype for a in both))
    return [a if a.size == size else _join.concatenate([exact.zeros((size - a.size,), common, a), a.astype(common, copy=False)]) for a in both]


@implements("polyadd")
def _polyadd(a1, a2):
    return exact.add(*_joined("polyadd", a1, a2))


@implements("polysub")
def _polysub(a1, a2):
    return exact.subtract(*_joined("polysub", a1, a2))


def _without_leading_zeros(p):
    """Waits for the device."""
    nonzero = _ordering.nonzero(p)[0]
    return p[int(nonzero[0].get()):] if nonzero.size else p[:0]


@implements("polymul")
def _polymul(a1, a2):
    """Waits for the device."""
    factors = [_without_leading_zeros(_vector("polymul", a)) for a in (a1, a2)]
    factors = [factor if factor.size else exact.zeros((1,), factor.dtype, factor) for factor in factors]
    return FUNCTIONS[np.convolve](*factors)


@implements("polydiv")
def _polydiv(u, v):
    """Waits for the device."""
    u, v = (exact.add(_vector("polydiv", p), 0.0) for p in (u, v))
    dtype = np.result_type(u.dtype, v.dtype)
    scale, degrees = exact.divide(1.0, v[0]), u.size - v.size
    quotient, rest = exact.zeros((max(degrees + 1, 1),), dtype, u), u.astype(dtype)
    for k in range(degrees + 1):
        quotient[k] = exact.multiply(scale, rest[k])
        rest[k:k + v.size] = exact.subtract(rest[k:k + v.size], exact.multiply(quotient[k], v))
    large = _ordering.nonzero(exact.logical_not(exact.less_equal(exact.absolute(rest), 1e-8)))[0]
    first = int(large[0].get()) if large.size else rest.size - 1
    return quotient, rest[first:]


@implements("polyder")
def polyder(p, m=1):
    """The derivative of order m."""
    m = int(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    for _ in range(m):
        powers = exact.arange(max(p.size - 1, 0), p)[::-1]
        p = exact.multiply(p[:-1], exact.add(powers, 1))
    return p


@implements("polyint")
def _polyint(p, m=1, k=None):
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    p = exact.on_device("polyint", p)
    constants = exact.zeros((m,), np.float64, p) if k is None else _vector("polyint", k)
    if constants.size == 1 and m > 1:
        constants = exact.multiply(constants, exact.filled((m,), 1.0, np.float64, p))
    if constants.size < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for number in range(m):
        quotients = exact.divide(p, exact.add(exact.arange(p.size, p)[::-1], 1))
        p = _join.concatenate([quotients, constants[number:number + 1]])
    return p


@implements("poly")
def _poly(seq_of_zeros):
    """Waits for the device if the zeros are complex."""
    roots = _vector("poly", seq_of_zeros)
    if roots.ndim == 2 and roots.shape[0] == roots.shape[1] and roots.size:
        roots = eigvals(roots)
    elif roots.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if not roots.size:
        return 1.0
    roots = roots.astype(np.mintypecode(roots.dtype.char), copy=False)
    result = exact.filled((1,), 1, roots.dtype, roots)
    for k in range(roots.size):
        longer = exact.zeros((k + 2,), roots.dtype, roots)
        longer[:-1] = result
        longer[1:] = exact.subtract(longer[1:], exact.multiply(result, roots[k]))
        result = longer
    if roots.dtype.kind == "c" and np.array_equal(_ordering.sort(roots), _ordering.sort(exact.conjugate(roots))):
        result = operate("real", result)
    return result


@implements("roots")
def _roots(p):
    """Waits for the device: zeros at either end determine the size of the companion matrix."""
    p = _vector("roots", p)
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    nonzero = _ordering.nonzero(p)[0]
    if not nonzero.size:
        return exact.zeros((0,), np.float64, p)
    first, last = nonzero[[0, -1]].tolist()
    trailing, p = p.size - last - 1, p[first:last + 1]
    p = p if exact.is_inexact(p) else p.astype(np.float64)
    if p.size == 1:
        return exact.zeros((trailing,), np.float64, p)
    companion = diag(exact.filled((p.size - 2,), 1, p.dtype, p), -1)
    companion[0] = exact.divide(exact.negative(p[1:]), p[0])
    found = eigvals(companion)
    return _join.concatenate([found, exact.zeros((trailing,), found.dtype, p)]) if trailing else found


def _check_points(x, y, w, deg):
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if w is not None and w.ndim != 1:
        raise TypeError("expected a 1-d array for weights")
    if w is not None and w.shape[0] != y.shape[0]:
        raise TypeError("expected w and y to have the same length")


def _covariance(matrix, scale, y, residuals, cov, count, order):
    base = exact.divide(inv(_ordering.matmul(matrix.T, matrix)), outer(scale, scale))
    if isinstance(cov, str) and cov == "unscaled":
        factor = 1
    else:
        if count <= order:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        factor = exact.divide(residuals, count - order)
    return exact.multiply(base if y.ndim == 1 else base[:, :, None], factor)


@implements("polyfit")
def _polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """Waits for the device, as lstsq() does."""
    order = int(deg) + 1
    x, y = (exact.add(exact.on_device("polyfit", value), 0.0) for value in (x, y))
    w = None if w is None else exact.add(exact.on_device("polyfit", w), 0.0)
    _check_points(x, y, w, deg)
    rcond = x.size * np.finfo(x.dtype).eps if rcond is None else rcond
    matrix, right = FUNCTIONS[np.vander](x, order), y
    if w is not None:
        matrix, right = exact.multiply(matrix, w[:, None]), exact.multiply(right, w[:, None] if right.ndim == 2 else w)
    scale = exact.sqrt(exact.summed(exact.multiply(matrix, matrix), 0))
    matrix = exact.divide(matrix, scale)
    coefficients, residuals, rank, singular = lstsq(matrix, right, rcond)
    coefficients = exact.divide(coefficients, scale if coefficients.ndim == 1 else scale[:, None])
    if rank != order and not full:
        warnings.warn("Polyfit may be poorly conditioned", _rank_warning(), stacklevel=4)
    if full:
        return coefficients, residuals, rank, singular, rcond
    if cov:
        return coefficients, _covariance(matrix, scale, y, residuals, cov, x.size, order)
    return coefficients


def _rank_warning():
    return np.exceptions.RankWarning if hasattr(getattr(np, "exceptions", None), "RankWarning") else named("RankWarning")
