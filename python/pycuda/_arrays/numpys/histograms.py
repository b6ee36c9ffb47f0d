"""Histograms of one dimension and of several."""

import math
import operator
import warnings

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import reductions as _reductions
from pycuda._arrays import statistics as _statistics
from pycuda._arrays.creation import to_gpu
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.quantiles import percentile
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.operands import kind_of
from pycuda._arrays.operations import is_array
from pycuda._arrays.search import searchsorted

__all__ = ["histogram", "histogram_bin_edges", "histogramdd"]

# ---- estimates of the width of bins


class _Sample:
    """Elements between two bounds, of which there is at least one, and numbers on the host that describe them."""

    def __init__(self, elements, bounds):
        self.elements, self.bounds, self.size = elements, bounds, elements.size
        self.extent = _on_host(_reductions.amax(elements)) - _on_host(_reductions.amin(elements))

    def deviation(self):
        return _on_host(_statistics.std(self.elements))

    def skewness(self):
        """The mean of the cubes of the distances from the mean, in standard deviations."""
        distances = exact.subtract(self.elements, _reductions.mean(self.elements))
        return _on_host(_reductions.mean(exact.power(exact.divide(distances, self.deviation()), 3)))

    def distance_of_quartiles(self):
        lower, upper = percentile(self.elements, [25, 75]).get().tolist()
        return upper - lower


def _on_host(value):
    return value.get().item()


def _doane(sample):
    n = sample.size
    if n <= 2 or not sample.deviation() > 0:
        return 0.0
    expected = np.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return sample.extent / (1.0 + np.log2(n) + np.log2(1.0 + abs(sample.skewness()) / expected))


def _stone(sample):
    """The width with the least error in cross-validation, of all numbers of bins up to the square root of the size: a histogram for each."""
    if sample.size <= 1 or sample.extent == 0:
        return 0

    def error_of(bins):
        shares = histogram(sample.elements, bins, sample.bounds)[0].get() / sample.size
        return (2 - (sample.size + 1) * shares.dot(shares)) / (sample.extent / bins)

    limit = max(100, math.isqrt(sample.size))
    best = min(range(1, limit + 1), key=error_of)
    if best == limit:
        warnings.warn("The number of bins estimated may be suboptimal.", RuntimeWarning, stacklevel=5)
    return sample.extent / best


#: NumPy's estimators.
_WIDTHS = {
    "sqrt": lambda sample: sample.extent / np.sqrt(sample.size),
    "sturges": lambda sample: sample.extent / (np.log2(sample.size) + 1.0),
    "rice": lambda sample: sample.extent / (2.0 * sample.size ** (1.0 / 3)),
    "scott": lambda sample: (24.0 * np.pi**0.5 / sample.size) ** (1.0 / 3.0) * sample.deviation(),
    "doane": _doane, "stone": _stone,
    "fd": lambda sample: 2.0 * sample.distance_of_quartiles() * sample.size ** (-1.0 / 3.0),
    "auto": lambda sample: min(max(_WIDTHS["fd"](sample), _WIDTHS["sqrt"](sample) / 2), _WIDTHS["sturges"](sample)),
}


def _bounds(a, limits):
    """The first and the last edge, as numbers of Python."""
    if limits is not None:
        first, last = (np.asarray(limit).item() for limit in limits)
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
    elif not a.size:
        return 0, 1
    else:
        first, last = _on_host(_reductions.amin(a)), _on_host(_reductions.amax(a))
    if not (math.isfinite(first) and math.isfinite(last)):
        raise ValueError(f"{'autodetected' if limits is None else 'supplied'} range of [{first}, {last}] is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def _estimated(name, a, limits, weights):
    """The number of bins. Waits for the device."""
    if name not in _WIDTHS:
        raise ValueError(f"histogram: expected an estimator of {', '.join(map(repr, _WIDTHS))}, given {name!r}")
    if weights is not None:
        raise TypeError("histogram: the number of bins is not estimated for weighted elements: expected a number of bins or their edges")
    first, last = _bounds(a, limits)
    if limits is not None:
        a = _operations.call("selected", (a, exact.logical_and(exact.greater_equal(a, first), exact.less_equal(a, last))))
    if not a.size:
        return 1
    width = _WIDTHS[name](_Sample(a, (first, last)))
    if not width:
        return 1
    return int(np.ceil((last - first) / (max(width, 1) if a.dtype.kind in "iu" else width)))


# ---- one dimension


def _of_numbers(a):
    """The elements; bools as numbers, with NumPy's warning."""
    if a.dtype.kind != "b":
        return a
    warnings.warn("Converting input from bool to <class 'numpy.uint8'> for compatibility.", RuntimeWarning, stacklevel=4)
    return a.astype(np.uint8)


def _checked(a, limits, weights):
    a = _of_numbers(exact.on_device("histogram", a))
    weights = None if weights is None else exact.on_device("histogram", weights)
    if weights is not None and weights.shape != a.shape:
        raise ValueError(f"weights should have the same shape as a: expected {a.shape}, given {weights.shape}")
    return a, limits.get() if is_array(limits) else limits, weights


def _edges_of(a, bins, limits, weights):
    if isinstance(bins, str):
        bins = _estimated(bins, a, limits, weights)
    if isinstance(bins, (int, np.integer)):
        first, last = (0, 0) if limits is None else limits
        dtype = _dtype_of_edges(first, last, a) if limits is not None else None
        return _operations.call("bin_edges", (a,), (bins, limits is not None, float(first), float(last), dtype))
    if is_array(bins):
        _operations.call("require_bin_edges", (bins,))
        return bins
    return to_gpu(np.histogram_bin_edges(np.empty(0), bins))


def _dtype_of_edges(first, last, a):
    """Bounds with a dtype count as arrays do; None: as Python's numbers."""
    if not isinstance(first, np.generic) and not isinstance(last, np.generic):
        return None
    dtype = np.result_type(first, last, a.dtype)
    return dtype if kind_of(dtype) in "fc" else np.dtype(np.float64)


@implements("histogram_bin_edges")
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of a histogram's bins, ascending. Weights only matter to estimators, which refuse them."""
    a, limits, weights = _checked(a, range, weights)
    return _edges_of(a, bins, limits, weights)


@implements("histogram")
def histogram(a, bins=10, range=None, density=None, weights=None):
    """The number of elements, or the sum of weights, in each bin, and the edges. The last bin includes its right edge."""
    a, limits, weights = _checked(a, range, weights)
    edges = _edges_of(a, bins, limits, weights)
    return _operations.call("histogram", (a, edges) if weights is None else (a, edges, weights), (bool(density),)), edges


# ---- several dimensions


def _edges_along(number, column, bins, limits):
    if is_array(bins) and not bins.ndim:
        bins = bins.item()
    if np.ndim(bins) == 0:
        if bins < 1:
            raise ValueError(f"`bins[{number}]` must be positive, when an integer")
        try:
            operator.index(bins)
        except TypeError as error:
            raise TypeError(f"`bins[{number}]` must be an integer, when a scalar") from error
        return histogram_bin_edges(column, bins, limits)
    bins = exact.on_device("histogramdd", bins)
    if bins.ndim != 1:
        raise ValueError(f"`bins[{number}]` must be a scalar or 1d array")
    if exact.any_true(exact.greater(bins[:-1], bins[1:])):
        raise ValueError(f"`bins[{number}]` must be monotonically increasing, when an array")
    return bins


def _numbers_of_bins(column, edges):
    """The number of each element's bin: 0 and the number of edges for elements outside."""
    numbers = searchsorted(edges, column, "right")
    return exact.subtract(numbers, exact.equal(column, edges[-1]).astype(np.int64))


def _columns_of(sample):
    if is_array(sample) and sample.ndim == 2:
        return [sample[:, k] for k in range(sample.shape[1])]
    if is_array(sample) and sample.ndim < 2:
        return [exact.flat(sample)]
    return [exact.on_device("histogramdd", column) for column in sample]


@implements("histogramdd")
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """The number of points, or the sum of their weights, in each bin of a grid, and the grid's edges. Waits for the device."""
    columns = _columns_of(sample)
    bins = list(bins) if is_array(bins) and bins.ndim or not is_array(bins) and hasattr(bins, "__iter__") else [bins] * len(columns)
    if len(bins) != len(columns):
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    range = [None] * len(columns) if range is None else range
    if len(range) != len(columns):
        raise ValueError("range argument must have one entry per dimension")
    edges = [_edges_along(k, *given) for k, given in enumerate(zip(columns, bins, range))]
    lengths, bin_numbers = [each.size + 1 for each in edges], None
    for column, each, length in zip(columns, edges, lengths):
        number = _numbers_of_bins(column, each)
        bin_numbers = number if bin_numbers is None else exact.add(exact.multiply(bin_numbers, length), number)
    weights = None if weights is None else exact.on_device("histogramdd", weights)
    counts = exact.shaped(np.bincount(bin_numbers, weights, minlength=math.prod(lengths)), tuple(lengths)).astype(np.float64)
    counts = counts[(slice(1, -1),) * len(columns)].copy("C")
    if density:
        total = exact.summed(counts)
        for k, each in enumerate(edges):
            widths = exact.shaped(exact.subtract(each[1:], each[:-1]), tuple(-1 if j == k else 1 for j in np.arange(len(edges))))
            counts = exact.divide(counts, widths)
        counts = exact.divide(counts, total)
    return counts, edges


@implements("histogram2d")
def _histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    count = len(bins) if hasattr(bins, "__len__") else 1
    if count not in (1, 2):
        bins = [exact.on_device("histogram2d", bins)] * 2
    elif count == 1 and hasattr(bins, "__len__"):
        bins = [*bins] * 2
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, edges[0], edges[1]
