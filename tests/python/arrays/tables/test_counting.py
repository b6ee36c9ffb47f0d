"""bincount and histogram: exact counts, and sums of weights that depend neither on their order nor on other bins."""

import math
from fractions import Fraction

import numpy as np
import pytest
from pycuda.gpuarray import to_gpu

INTEGERS = [np.dtype(code) for code in "?bBhHiIl"]
WEIGHTS = {
    "large beside small": [1e17, 1.0, 2.0, 3.0], "infinite": [np.inf, 1, -np.inf, 2], "NaN": [1, np.nan, 2, 3], "tiny beside huge": [1e300, 1e-5, 1, 1e-300],
    "subnormal": [5e-324, 1e-310, 2e-308, 1], "zeros": [-0.0, 0.0, -0.0, 1], "greatest": [1.7e308, -1.7e308, 1.2e308, 1], "both infinities": [np.inf, -np.inf, np.inf, np.nan],
}


def sums(x, weights, bins):
    """Each bin's sum, rounded once."""
    def of(part):
        part = [float(w) for w in part]
        if not all(map(math.isfinite, part)):
            return float(np.sum(part))
        total = sum(map(Fraction, part))
        return float(total) if abs(total) < 2**1024 else math.inf if total > 0 else -math.inf

    with np.errstate(all="ignore"):
        return np.array([of(weights[x == k]) for k in range(bins)])


@pytest.mark.parametrize("n", [0, 1, 5, 1000, 70_001])
@pytest.mark.parametrize("bins", [1, 3, 1000, 13_000, 60_000])
def test_counts(n, bins):
    """Tables in shared memory, and those that do not fit."""
    rng = np.random.default_rng(n + bins)
    for dtype in INTEGERS:
        x = rng.integers(0, min(bins, 2 if dtype.kind == "b" else np.iinfo(dtype).max), n, endpoint=False).astype(dtype)
        ours, theirs = np.bincount(to_gpu(x), minlength=bins), np.bincount(x, minlength=bins)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours.get(), theirs, err_msg=str(dtype))


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_stay_in_their_bin(name):
    weights = np.array(WEIGHTS[name])
    for x in ([0, 1, 2, 3], [3, 3, 1, 0], [0, 0, 0, 0], [2, 0, 2, 0]):
        x = np.array(x)
        expected = sums(x, weights, 4)
        np.testing.assert_array_equal(np.bincount(to_gpu(x), to_gpu(weights), 4).get(), expected)
        for edges in (np.arange(5) - 0.5, np.array([-1, 0.5, 1.5, 2.5, 9])):
            np.testing.assert_array_equal(np.histogram(to_gpu(x), to_gpu(edges), weights=to_gpu(weights))[0].get(), expected)
        np.testing.assert_array_equal(np.histogram(to_gpu(x), 4, (-0.5, 3.5), weights=to_gpu(weights))[0].get(), expected)


@pytest.mark.parametrize("bins", [1, 7, 2048, 5000])
def test_sums_are_rounded_once(bins):
    rng = np.random.default_rng(bins)
    n = 20_000
    x = rng.integers(0, bins, n)
    for scale in (0, 3, 40):
        weights = rng.standard_normal(n) * 10.0 ** rng.uniform(-scale, scale, n)
        ours = np.bincount(to_gpu(x), to_gpu(weights), bins).get()
        expected = sums(x, weights, bins)
        np.testing.assert_allclose(ours, expected, rtol=1e-15, atol=1e-22 * np.abs(weights).max())
        order = rng.permutation(n)
        np.testing.assert_array_equal(np.bincount(to_gpu(x[order]), to_gpu(weights[order]), bins).get(), ours)


@pytest.mark.parametrize("code", "?bBhHiIlLefFD")
def test_weights_of_every_dtype(code):
    rng = np.random.default_rng(5)
    x = rng.uniform(-1, 11, 500)
    weights = rng.integers(0, 100, 500).astype(code) if code not in "FD" else (rng.integers(0, 100, 500) + 1j * rng.integers(0, 9, 500)).astype(code)
    for bins, limits in ((10, (0, 10)), (np.array([0, 1, 1, 2.5, 9, 10]), None)):
        given = to_gpu(bins) if isinstance(bins, np.ndarray) else bins
        ours = np.histogram(to_gpu(x), given, limits, weights=to_gpu(weights))[0]
        edges = np.histogram_bin_edges(x, bins, limits)
        wide = weights.astype(object if code not in "?" else int)
        expected = np.array([sum(wide[(x >= low) & ((x < high) | ((x == high) & (k + 2 == len(edges))))]) for k, (low, high) in enumerate(zip(edges, edges[1:]))])
        np.testing.assert_array_equal(ours.get(), expected.astype(np.complex128 if code in "FD" else np.float64 if code in "ef" else np.int64).astype(ours.dtype))
        assert ours.dtype == (np.dtype(code) if code != "?" else np.int64)


@pytest.mark.parametrize("code", "?bBhHiIlLefd")
def test_elements_at_the_edges(code):
    """Elements equal to edges, between them and outside; spaced, bunched and repeated edges, of the same dtype and of another."""
    rng = np.random.default_rng(6)
    dtype = np.dtype(code)
    whole = rng.integers(0 if dtype.kind in "?uL" else -3, 12, 3000)
    x = whole.astype(dtype) if dtype.kind in "biu" else np.where(rng.random(3000) < 0.5, whole, rng.uniform(-3, 12, 3000)).astype(dtype)
    if dtype.kind == "f":
        x[:4] = np.nan, np.inf, -np.inf, -0.0
    for edges in (np.arange(10.0), np.array([0.0, 1e-3, 2e-3, 5, 5, 5, 7.25, 1000]), np.array([0, 3, 4]), np.array([2]), np.array([0.0, np.inf]), np.array([-np.inf, 1, 2, np.inf]), np.linspace(-2, 11, 3001)):
        expected = np.histogram(x, edges)[0]
        np.testing.assert_array_equal(np.histogram(to_gpu(x), to_gpu(edges))[0].get(), expected, err_msg=str(edges))
    if dtype.kind == "f":
        x = x[4:]
    for bins in (1, 10, 333):
        ours, theirs = np.histogram(to_gpu(x), bins), np.histogram(x, bins) if code != "?" else np.histogram(x.astype(np.uint8), bins)
        if code != "?":
            np.testing.assert_array_equal(ours[0].get(), np.histogram(x, ours[1].get())[0])
        assert int(ours[0].get().sum()) == x.size and len(theirs[0]) == bins


def test_what_bincount_rejects():
    for x in (np.array([1, -1]), np.array([-128], np.int8), np.array([-1], np.int32)):
        with pytest.raises(ValueError, match="negative"):
            np.bincount(to_gpu(x))
    with pytest.raises(TypeError):
        np.bincount(to_gpu(np.array([1.0])))
    with pytest.raises(TypeError):
        np.bincount(to_gpu(np.array([1])), to_gpu(np.array([1j])))
    with pytest.raises(ValueError):
        np.bincount(to_gpu(np.array([1, 2])), to_gpu(np.array([1.0])))
    with pytest.raises(TypeError):
        np.histogram(to_gpu(np.array([1j])), to_gpu(np.array([0, 1])))


@pytest.mark.parametrize("bins", [[1, 2, np.nan], [np.nan, 2, 1], [1, 2, 3], [3, 3, 1], [2.0], [np.nan]])
@pytest.mark.parametrize("right", [False, True])
def test_numbers_of_bins_with_nan(bins, right):
    x = np.array([0.5, 1, 1.5, 2, 3, 9, np.nan, np.inf, -np.inf])
    np.testing.assert_array_equal(np.digitize(to_gpu(x), to_gpu(np.array(bins)), right).get(), np.digitize(x, np.array(bins), right))
