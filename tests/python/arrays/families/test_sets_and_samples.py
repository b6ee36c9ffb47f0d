"""Sets, orders by several keys, partitions, quantiles by weights and without NaN, covariances and histograms of several dimensions."""

import inspect

import numpy as np
import pytest
from both import check, check_layouts, elements

N, M = np.array([3, 1, 3, 0, 7, 1]), np.array([1, 7, 7, 9])
NAN = np.array([[4.0, np.nan, 2.5, np.nan], [3.0, 0.5, 7.0, np.inf], [np.nan] * 4, [-np.inf, 1.0, -0.0, 2.0]])
DTYPES, SHAPES = "?bIlefdD", [(), (0,), (5,), (3, 4), (2, 0, 3), (2, 3, 2)]


def kth_of(a, k):
    """The k-th element of each row of a partition, which is determined."""
    return np.partition(a, k, axis=-1)[..., k] if a.ndim and a.shape[-1] > k else None


OF_ANY = {
    "union1d": lambda A, x: np.union1d(x, x[::-1] if x.ndim else x), "intersect1d": lambda A, x: np.intersect1d(x, x[:2] if x.ndim else x), "setdiff1d": lambda A, x: np.setdiff1d(x, x[:1] if x.ndim else x), "setxor1d": lambda A, x: np.setxor1d(x, x[1:] if x.ndim else x),
    "unique_counts": lambda A, x: np.unique_counts(x) if hasattr(np, "unique_counts") else None, "unique_inverse": lambda A, x: np.unique_inverse(x) if hasattr(np, "unique_inverse") else None, "isin": lambda A, x: np.isin(x, x[:1] if x.ndim else x), "partition": lambda A, x: kth_of(x, 2),
    "sort_complex": lambda A, x: np.sort_complex(x) if x.ndim else None, "lexsort": lambda A, x: np.lexsort((x, -x if x.dtype.kind not in "b" else x)) if x.ndim else None, "nanmedian": lambda A, x: np.nanmedian(x), "nanmedian along": lambda A, x: np.nanmedian(x, axis=0) if x.ndim else None, "cov": lambda A, x: np.cov(x) if x.size else None,
    "nanquantile": lambda A, x: np.nanquantile(x, [0.25, 0.9]) if x.size > 1 and x.dtype.kind not in "bc" else None, "nanpercentile": lambda A, x: np.nanpercentile(x, 30, axis=-1, keepdims=True) if x.size and x.dtype.kind not in "bc" and x.ndim else None,
    "corrcoef": lambda A, x: np.corrcoef(x) if x.ndim and x.size else None, "min": lambda A, x: np.min(x), "argmax": lambda A, x: np.argmax(x, axis=-1) if x.ndim else None, "ptp": lambda A, x: np.ptp(x, axis=0) if x.ndim else None, "sort": lambda A, x: np.sort(x, axis=0) if x.ndim else None, "sort in place": lambda A, x: (lambda y: [y.sort(), y][1])(x.copy()),
    "searchsorted": lambda A, x: np.searchsorted(np.sort(x), x) if x.ndim == 1 else None, "clip": lambda A, x: np.clip(x, 1, 2) if x.dtype.kind not in "b" else None, "byteswap": lambda A, x: x.byteswap().byteswap(), "tobytes": lambda A, x: x.tobytes(), "flat": lambda A, x: x.flat[1:3], "nonzero": lambda A, x: x.nonzero() if x.ndim else None,
}


@pytest.mark.parametrize("name", OF_ANY)
def test_dtypes_shapes_and_layouts(name):
    if name.startswith("unique_") and not hasattr(np, name):
        return
    for code in DTYPES:
        check_layouts(OF_ANY[name], code, SHAPES, special=name not in ("cov", "corrcoef"), ulps=64)


SAMPLE, WEIGHTS = elements("d", (40, 2), seed=3), elements("d", (40,), seed=4) ** 2
W = np.array([0.0, 2, 1, 0, 0.5, 3])
Z = np.array([1 + 2j, 1 + 1j, -1 + 5j, 1 + 2j, 3])
METHODS = "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear median_unbiased normal_unbiased lower higher midpoint nearest".split()
QS = [0.0, 0.1, 0.25, 0.5, 0.7, 0.95, 1.0]
CASES = {
    **{f"quantile {method}": (lambda A, method=method: [np.quantile(A(values), QS, axis=axis, method=method) for values in (N, N + 0.5, SAMPLE, NAN) for axis in (None, 0)]) for method in METHODS},
    **{f"nanquantile {method}": (lambda A, method=method: [np.nanquantile(A(values), QS, axis=axis, method=method) for values in (N, NAN[:3, :3], SAMPLE) for axis in (None, 0)]) for method in METHODS}, "quantile of q on the device": lambda A: np.quantile(A(N), A(np.array([[0.5], [0.25]]))), "quantile of large integers": lambda A: np.quantile(A(np.array([2**62 + 1, 5])), 1.0, method="lower"),
    **{f"unique along {axis}": (lambda A, axis=axis: np.unique(A(np.array([[1, 2, 1], [0, 5, 0], [1, 2, 1], [0, 4, 0]])), True, True, True, axis=axis)) for axis in (0, 1, -1)}, "unique of stacks": lambda A: np.unique(A(np.arange(24).reshape(2, 3, 4) % 3 // 2), axis=1), "unique along with NaN": lambda A: np.unique(A([[np.nan, 1], [np.nan, 1], [0, -0.0], [-0.0, 0]]), axis=0),
    "unique of one axis with NaN": lambda A: np.unique(A([np.nan, 1.0, np.nan]), axis=-1), "unique of no rows": lambda A: np.unique(A(np.zeros((0, 2))), True, True, True, axis=0), "unique of no such axis": lambda A: np.unique(A(N), axis=3),
    "percentile of float32": lambda A: np.percentile(A(SAMPLE.astype(np.float32)), 30, axis=0, method="nearest", keepdims=True), "quantile of an unknown method": lambda A: np.quantile(A(N), 0.5, method="x"), "quantile of integers kept": lambda A: np.quantile(A(np.arange(24).reshape(2, 3, 4)), [0.5, 0.9], axis=(0, 2), keepdims=True, method="higher"),
    **{f"quantile by weights, {q}": (lambda A, q=q: [function(A(values), q, axis=axis, weights=A(weights), method="inverted_cdf", keepdims=axis == 1) for function, values, weights, axis in (
        *((function, *given) for function in (np.quantile, np.nanquantile) for given in ((N, W, None), (NAN[0], W[1:5], None), (NAN[1:2], W[None, 1:5], 1), (N * 1.5, W.astype(int), None))),
        *((np.quantile, *given) for given in ((SAMPLE, WEIGHTS, 0), (SAMPLE[:6], W, 0), (SAMPLE[:6].T, W, 1))))]) for q in (0.0, 0.3, 1.0, [0.0, 0.5, 0.99], [[0.2], [0.8]])},
    "percentile by weights": lambda A: np.percentile(A(N), [30.0, 60], weights=A(W), method="inverted_cdf"), "nanpercentile by weights": lambda A: np.nanpercentile(A(NAN[0]), 60.0, weights=A(W[1:5]), method="inverted_cdf"), "quantile by weights in a list": lambda A: np.quantile(A(N), 0.5, weights=[1, 1, 2, 1, 1, 1], method="inverted_cdf"),
    **{f"{function.__name__} of {code} in dtypes": (lambda A, function=function, code=code: [function(A(np.arange(3000).astype(code)[::3]), q, method=method) for q in (0.999, np.float32(0.3), np.float64(0.3), np.array([0.1, 0.77]), np.array([0.1, 0.77], np.float32), 1, [0, 1]) for method in ("linear", "nearest", "hazen", "midpoint")])
       for function in (np.quantile, np.percentile) for code in "efd" if np.lib.NumpyVersion(np.__version__) >= "2.4.0"},
    **{f"{function.__name__} with ddof {ddof}": (lambda A, function=function, ddof=ddof: [function(A(values), axis=axis, ddof=ddof) for values in (NAN[:3], NAN[:3] * 1j) for axis in (None, 0, 1)]) for function in (np.nanvar, np.nanstd) for ddof in (1, 2, 3, 4)}, "nanargmin of complex": lambda A: np.nanargmin(A(np.array([[1 + 2j, np.nan, 3], [0, complex(np.nan, 5), -1]])), axis=1),
    "nanargmax of complex NaN": lambda A: np.nanargmax(A([complex(np.nan, 1)])), "nanvar of a mean": lambda A: np.nanvar(A(NAN[:2, :3]), axis=1, mean=A(np.array([[3.0], [4.0]]))) if "mean" in inspect.signature(np.nanvar).parameters else None, "var by two corrections": lambda A: np.var(A(N), ddof=1, correction=1) if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else None,
    "nanquantile of nothing": lambda A: np.nanquantile(A(np.zeros((0, 3))), 0.4, axis=0), "bincount of uint64": lambda A: np.bincount(A(np.array([1, 2], np.uint64))) if np.lib.NumpyVersion(np.__version__) >= "2.3.0" else None,
    "quantile by negative weights": lambda A: np.quantile(A(N), 0.5, weights=A(-W), method="inverted_cdf"), "quantile by zeros": lambda A: np.quantile(A(N), 0.5, weights=A(0 * W), method="inverted_cdf"), "quantile by infinite weights": lambda A: np.quantile(A(N), 0.5, weights=A(W / 0), method="inverted_cdf"),
    "quantile by weights, linear": lambda A: np.quantile(A(N), 0.5, weights=A(W)), "quantile by too few weights": lambda A: np.quantile(A(N), 0.5, weights=A(W[:2]), method="inverted_cdf"),
    "intersect1d with indices": lambda A: np.intersect1d(A(N), A(M), return_indices=True), "intersect1d of unique": lambda A: np.intersect1d(A([3, 1]), A([1, 5]), assume_unique=True, return_indices=True), "intersect1d of types": lambda A: np.intersect1d(A(N), A(M + 0.0)), "setdiff1d of unique": lambda A: np.setdiff1d(A([5, 3, 1]), A([3]), assume_unique=True),
    "setxor1d of unique": lambda A: np.setxor1d(A([5, 3, 1]), A([3, 9]), True), "union1d of matrices": lambda A: np.union1d(A(np.array([[1, 2], [2, 3]])), A([[9]])), "setxor1d with NaN": lambda A: np.setxor1d(A([np.nan, 1.0]), A([np.nan, 2.0])), "isin of floats": lambda A: np.isin(A(N), A([1.0, np.nan]), invert=True), "partition beyond": lambda A: np.partition(A(N), 9),
    "partition by floats": lambda A: np.partition(A(N), 1.5), "partition of a kind": lambda A: np.partition(A(N), 1, kind="x"), "partition of all": lambda A: np.partition(A(N.reshape(2, 3)), [0, 5], axis=None)[[0, 5]], "argpartition": lambda A: np.argpartition(A([3, 1, 2]), [0, 1, 2]), "partition in place": lambda A: (lambda a: [a.partition([0, 1, 2, 3, 4, 5]), a][1])(A(N)),
    "lexsort": lambda A: np.lexsort((A([1, 0, 1, 0]), A([2, 2, 1, 1]))), "lexsort of rows": lambda A: np.lexsort(A(np.array([[1, 0, 1, 0], [2, 2, 1, 1]]))), "lexsort along": lambda A: np.lexsort((A(N.reshape(2, 3)), A(N.reshape(2, 3)[::-1].copy())), axis=0), "lexsort of nothing": lambda A: np.lexsort([]), "lexsort of unequal": lambda A: np.lexsort((A(N), A(M))),
    **{f"nanmedian of axis {axis}": (lambda A, axis=axis: np.nanmedian(A(NAN), axis=axis, keepdims=axis == 1)) for axis in (None, 0, 1, (0, 1))}, "nanmedian out": lambda A: np.nanmedian(A(NAN), axis=1, out=A(np.zeros(4))), "nanmedian of complex": lambda A: np.nanmedian(A([1j, np.nan, 2])), **{f"nanquantile of axis {axis}": (lambda A, axis=axis: np.nanquantile(A(NAN[:, :3]), [0.0, 0.3, 1.0], axis=axis)) for axis in (None, 0, 1)},
    "nanquantile beyond": lambda A: np.nanquantile(A(NAN), 1.5), "nanpercentile beyond": lambda A: np.nanpercentile(A(NAN), -1), "nanpercentile of float32": lambda A: np.nanpercentile(A(NAN[:2].astype(np.float32)), 25.0, axis=1), "nanquantile of complex": lambda A: np.nanquantile(A([1j]), 0.5), "cov of two": lambda A: np.cov(A(N), A(N[::-1].copy())), "cov by columns": lambda A: np.cov(A(SAMPLE), rowvar=False),
    "cov biased": lambda A: np.cov(A(SAMPLE.T), bias=True), "cov with weights": lambda A: np.cov(A(SAMPLE.T), aweights=A(WEIGHTS), fweights=A(np.arange(40) % 3)), "cov with ddof": lambda A: np.cov(A(SAMPLE.T), ddof=0, aweights=A(WEIGHTS)), "cov of negative weights": lambda A: np.cov(A(SAMPLE.T), aweights=A(-WEIGHTS - 1)), "cov of fractional counts": lambda A: np.cov(A(SAMPLE.T), fweights=A(WEIGHTS)),
    "cov of unequal weights": lambda A: np.cov(A(SAMPLE.T), aweights=A([1.0])), "cov of complex": lambda A: np.cov(A(np.stack([Z, Z * 1j]))), "cov of a cube": lambda A: np.cov(A(np.zeros((2, 2, 2)))), "cov of one": lambda A: np.cov(A([3.0])), "cov of float ddof": lambda A: np.cov(A(N), ddof=0.5), "corrcoef of two": lambda A: np.corrcoef(A(N), A(N[::-1].copy())), "corrcoef of columns": lambda A: np.corrcoef(A(SAMPLE), rowvar=False),
    "corrcoef of complex": lambda A: np.corrcoef(A(np.stack([Z, Z[::-1]]))), "histogramdd": lambda A: np.histogramdd(A(SAMPLE), 4), "histogramdd of ranges": lambda A: np.histogramdd(A(SAMPLE), (3, 5), [(-1, 1), (0, 2)]), "histogramdd of edges": lambda A: np.histogramdd(A(SAMPLE), [A([-1.0, 0.0, 0.25, 2.0]), 3]), "histogramdd by weights": lambda A: np.histogramdd(A(SAMPLE), 3, weights=A(WEIGHTS)),
    "histogramdd as a density": lambda A: np.histogramdd(A(SAMPLE), 3, density=True), "histogramdd of columns": lambda A: np.histogramdd([A(SAMPLE[:, 0]), A(SAMPLE[:, 1])], 3), "histogramdd of descending edges": lambda A: np.histogramdd(A(SAMPLE), [A([2.0, 1.0]), 3]), "histogramdd of too few": lambda A: np.histogramdd(A(SAMPLE), [3]), "histogramdd of 0 bins": lambda A: np.histogramdd(A(SAMPLE), 0), "histogramdd of integers": lambda A: np.histogramdd(A(np.array([[1, 2], [3, 4], [1, 2]])), 2),
    "histogram2d": lambda A: np.histogram2d(A(SAMPLE[:, 0]), A(SAMPLE[:, 1]), 5), "histogram2d of edges": lambda A: np.histogram2d(A(SAMPLE[:, 0]), A(SAMPLE[:, 1]), A([-1.0, 0.0, 1.0])), "histogram2d of two": lambda A: np.histogram2d(A(SAMPLE[:, 0]), A(SAMPLE[:, 1]), [2, A([-1.0, 0.5, 1.0])], weights=A(WEIGHTS)), "histogram2d of unequal": lambda A: np.histogram2d(A(N), A(M)), "histogram2d of a range": lambda A: np.histogram2d(A(N), A(N), 3, [[0, 4], [1, 3]]),
    "min of complex": lambda A: np.min(A(Z)), "max of complex": lambda A: np.max(A(Z)), "max with NaN": lambda A: np.max(A(np.append(Z, [complex(0, np.nan)]))), "argmin of complex": lambda A: np.argmin(A(Z)), "argmax along": lambda A: np.argmax(A(np.stack([Z, Z[::-1]])), axis=0), "argmax of NaN": lambda A: np.argmax(A([1j, complex(np.nan, 0), 5, np.nan])), "ptp of complex": lambda A: np.ptp(A(Z)), "clip complex": lambda A: np.clip(A(Z), 1, 2), "clip complex by arrays": lambda A: np.clip(A(Z), A(Z[::-1].copy()), None),
    "searchsorted of complex": lambda A: np.searchsorted(A(np.sort(Z)), A(Z + 0.5)), "searchsorted right": lambda A: np.searchsorted(A(np.sort(Z)), A(Z), "right"), "min of complex along": lambda A: np.min(A(np.stack([Z, Z[::-1]])), axis=1, keepdims=True), "max of no complex": lambda A: np.max(A(np.zeros(0, complex))), "min initial": lambda A: np.min(A(Z), initial=-5), "min where": lambda A: np.min(A(Z), initial=9j, where=A(np.array([True, False, False, True, True]))),
    "methods of complex": lambda A: [A(Z).min(), A(Z).max(), A(Z).argmin(), A(Z).argmax()], "nanmin of complex": lambda A: np.nanmin(A([complex(0, np.nan), 2, 1j])), "maximum.reduce of complex": lambda A: np.maximum.reduce(A(Z)), "fmax.reduce of complex": lambda A: np.fmax.reduce(A(Z)), "maximum.accumulate of complex": lambda A: np.maximum.accumulate(A(Z)), "minimum.accumulate with NaN": lambda A: np.minimum.accumulate(A(np.array([[3, 2j, np.nan, 1], [5, complex(1, np.nan), 0, 2]])), axis=1), "pad by complex minima": lambda A: np.pad(A(Z), 1, mode="minimum"),
    "flat": lambda A: [A(NAN).flat[5], A(NAN).T.flat[[1, 2]], len(A(NAN).flat)], "assign to flat": lambda A: (lambda a: [a.T.flat.__setitem__(slice(0, 3), [9, 8, 7]), a][1])(A(NAN.copy())), "assign all to flat": lambda A: (lambda a: [setattr(a, "flat", 5), a][1])(A(NAN.copy())), "iterate over flat": lambda A: list(A(N.reshape(2, 3).T).flat), "flat at a new axis": lambda A: A(N).flat[None], "flat at two indices": lambda A: A(N).flat.__setitem__((1, 2), 5), "flat out of bounds": lambda A: A(N).flat[9], "byteswap": lambda A: A(np.array([1, 256], np.int16)).byteswap(),
    "byteswap in place": lambda A: (lambda a: [a.byteswap(True), a][1])(A(np.arange(4).reshape(2, 2))), "byteswap of complex": lambda A: A(np.array([1 + 2j])).byteswap().view(np.int64), "tobytes in F": lambda A: A(NAN).tobytes("F"), "mT": lambda A: A(np.zeros((2, 3, 4))).mT if hasattr(np.ndarray, "mT") else None, "mT of a vector": lambda A: A(N).mT if hasattr(np.ndarray, "mT") else None, "sort along": lambda A: (lambda a: [a.sort(axis=0), a][1])(A(N.reshape(3, 2))), "sort of a kind": lambda A: A(N).sort(kind="x"),
    "sort of no axis": lambda A: A(N).sort(axis=3), "sort all": lambda A: A(N).sort(axis=None), "sort a view": lambda A: (lambda a: [a[::-2].sort(), a][1])(A(N)), "searchsorted method": lambda A: A(np.sort(N)).searchsorted([2, 3]), "searchsorted by a sorter": lambda A: A(N).searchsorted(A([2, 3]), sorter=A(np.argsort(N))), "compress method": lambda A: A(NAN).compress([False, True], axis=0), "trace": lambda A: A(NAN[:3, :3].astype(np.int8)).trace(), "diagonal": lambda A: A(NAN).diagonal(1), "cumprod": lambda A: A(M).cumprod(dtype=float),
}


@pytest.mark.parametrize("name", CASES)
def test_parameters_and_exceptions(name):
    check(CASES[name], name, ulps=64)
