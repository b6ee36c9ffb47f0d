"""Covariances."""

import warnings

import numpy as np

from pycuda._arrays import join as _join
from pycuda._arrays import ordering as _ordering
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.diagonals import diag
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.operations import is_array, operate

__all__ = []


def _weights_of(name, weights, count):
    """Weights of observations. Waits for the device, to find negative ones."""
    weights = exact.on_device("cov", weights)
    if name == "fweights" and weights.dtype.kind not in "iu":
        raise TypeError("fweights must be integer")
    weights = weights.astype(np.float64, copy=False)
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if weights.size != count:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if exact.any_true(exact.less(weights, 0)):
        raise ValueError(f"{name} cannot be negative")
    return weights


def _observations(m, y, rowvar, dtype):
    """One row for each variable."""
    parts = [exact.on_device("cov", m), *(() if y is None else (exact.on_device("cov", y),))]
    for name, part in zip(("m", "y"), parts):
        if part.ndim > 2:
            raise ValueError(f"{name} has more than 2 dimensions")
    dtype = np.result_type(*(part.dtype for part in parts), np.float64) if dtype is None else np.dtype(dtype)
    if dtype.kind not in "fc":
        raise TypeError(f"cov: expected a floating-point or complex dtype, given {dtype}")
    rows = []
    for part in parts:
        row = part.astype(dtype)
        row = row[(None,) * (2 - row.ndim) + (...,)]
        rows.append(row.T if not rowvar and (part.ndim != 1 if not rows else row.shape[0] != 1) else row)
    return rows


def _degrees_of_freedom(count, ddof, weights, aweights):
    """The divisor, and the means' weights: numbers, or an array without axes."""
    if weights is None:
        return count - ddof
    total = exact.summed(weights)
    if ddof == 0:
        return total
    if aweights is None:
        return exact.subtract(total, ddof)
    return exact.subtract(total, exact.divide(exact.multiply(exact.summed(exact.multiply(weights, aweights)), ddof), total))


@implements("cov")
def _cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    ddof = (1 if bias == 0 else 0) if ddof is None else ddof
    rows = _observations(m, y, rowvar, dtype)
    if rows[0].shape[0] == 0:
        return exact.zeros((0, 0), np.float64, rows[0])
    rows = _join.concatenate(rows, 0) if len(rows) > 1 else rows[0]
    count = rows.shape[1]
    fweights, aweights = (None if given is None else _weights_of(name, given, count) for name, given in (("fweights", fweights), ("aweights", aweights)))
    weights = aweights if fweights is None else fweights if aweights is None else exact.multiply(fweights, aweights)
    means = exact.divide(exact.summed(rows, 1), count) if weights is None else exact.divide(exact.summed(exact.multiply(rows, weights), 1), exact.summed(weights))
    divisor = _degrees_of_freedom(count, ddof, weights, aweights)
    if is_array(divisor):
        divisor = exact.maximum(divisor, 0.0)
    elif divisor <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=4)
        divisor = 0.0
    rows = exact.subtract(rows, means[:, None])
    others = (rows if weights is None else exact.multiply(rows, weights)).T
    products = _ordering.matmul(rows, exact.conjugate(others) if others.dtype.kind == "c" else others)
    share = exact.divide(exact.filled((), 1.0, operate("real", products).dtype, rows), divisor)
    return exact.multiply(products, share).squeeze()


@implements("corrcoef")
def _corrcoef(x, y=None, rowvar=True, *, dtype=None):
    covariance = _cov(x, y, rowvar, dtype=dtype)
    if not covariance.ndim:
        return exact.divide(covariance, covariance)
    deviations = exact.sqrt(operate("real", diag(covariance)))
    result = exact.divide(exact.divide(covariance, deviations[:, None]), deviations[None, :])
    if result.dtype.kind != "c":
        return exact.maximum(exact.minimum(result, 1.0), -1.0)
    for part in ("real", "imag"):
        setattr(result, part, exact.maximum(exact.minimum(getattr(result, part), 1.0), -1.0))
    return result
