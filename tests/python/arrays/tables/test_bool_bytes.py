"""Bools whose bytes are neither 0 nor 1, as masks of 0 and 255 viewed as bool are: any byte but 0 is true, in every function."""

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda._arrays import operations
from pycuda.gpuarray import to_gpu

pytestmark = pytest.mark.filterwarnings("ignore")

BYTES = np.array([0, 1, 2, 255, 3, 0, 128, 254, 1, 0, 16, 7], np.uint8)
TRUE = BYTES != 0
OTHERS = {code: np.arange(12).astype(code) for code in "?if"}
FUNCTIONS = {
    **{name: getattr(np, name) for name in ("sum prod mean any all min max argmin argmax cumsum cumprod sort argsort unique nonzero count_nonzero flatnonzero bincount std var median "
                                            "nansum nanmax nanmean nan_to_num ptp diff round real imag tril argwhere").split() if name != "tril"},
    "sum of a dtype": lambda m: np.sum(m, dtype=np.int64), "minimum.reduce": lambda m: np.maximum.reduce(m), "maximum.accumulate": lambda m: np.maximum.accumulate(m),
    "index": lambda m: give(m, np.arange(12.0))[m], "where": lambda m: np.where(m, give(m, np.arange(12)), give(m, -np.arange(12))), "roll": lambda m: np.roll(m, 1) * 2.0,
    "where of bools": lambda m: np.where(give(m, TRUE), m, m[::-1]) * 3, "astype": lambda m: m.astype(np.float32), "astype of a view": lambda m: m[::2].astype(np.int8),
    "matmul": lambda m: m.reshape(3, 4).astype(np.int32) @ give(m, np.ones((4, 2), np.int32)), "product": lambda m: np.matmul(m.reshape(3, 4), give(m, np.ones((4, 2)))),
    "dot": lambda m: np.dot(m, give(m, np.arange(12.0))), "einsum": lambda m: np.einsum("i,i->", m, give(m, np.arange(12.0))), "isin": lambda m: np.isin(m, give(m, np.array([True]))),
    "histogram": lambda m: np.histogram(m, give(m, np.array([0, 1, 2])))[0], "weights": lambda m: np.bincount(give(m, np.arange(12) % 3), m), "diff": lambda m: np.diff(m.astype(np.int8)),
    "searchsorted": lambda m: np.searchsorted(give(m, np.array([False, True])), m), "concatenate": lambda m: np.concatenate((m, give(m, np.arange(3)))), "square": lambda m: m * m * 5,
    "sums of rows": lambda m: np.sum(m.reshape(3, 4), axis=1, dtype=np.float32), "sums of columns": lambda m: np.cumsum(m.reshape(3, 4), axis=0, dtype=np.int32),
    "repeat": lambda m: np.repeat(m, 2) + 1, "take": lambda m: np.take(m, give(m, np.array([3, 0]))) + 0.5, "where=": lambda m: np.sum(give(m, np.arange(12)), where=m),
    "equal": lambda m: (m == give(m, TRUE)).astype(bool), "invert": lambda m: ~m, "and": lambda m: m & give(m, TRUE), "in place": lambda m: added(give(m, np.arange(12.0)), m),
}


def give(like, values):
    return values if isinstance(like, np.ndarray) else to_gpu(values)


def added(x, m):
    x += m
    return x


def same(ours, theirs, message):
    for one, other in zip(ours if isinstance(theirs, tuple) else (ours,), theirs if isinstance(theirs, tuple) else (theirs,)):
        one = one.get() if isinstance(one, gpuarray.GPUArray) else np.asarray(one)
        np.testing.assert_allclose(one.astype(complex), np.asarray(other).astype(complex), rtol=2e-3, err_msg=message)


def ours_of(function, *arguments):
    return function(*arguments)


@pytest.mark.parametrize("name", sorted({"frexp", "modf", *operations.ufuncs}))
def test_universal_functions(name):
    """The same results as of the bytes 0 and 1."""
    ufunc, m, true = getattr(np, name), to_gpu(BYTES).view(np.bool_), to_gpu(TRUE)
    cases = [((m,), (true,))] if ufunc.nin == 1 else [pair for code in OTHERS for other in [to_gpu(OTHERS[code])] for pair in (((m, other), (true, other)), ((other, m), (other, true)))]
    if ufunc.nin == 2:
        cases += [((m, number), (true, number)) for number in (2, 0.5)]
    for ours, theirs in cases:
        try:
            expected = ufunc(*theirs)
        except (TypeError, ValueError):
            continue
        expected = tuple(x.get() for x in expected) if isinstance(expected, tuple) else expected.get()
        same(ufunc(*ours), expected, f"{name} {[getattr(x, 'dtype', x) for x in ours]}")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    """NumPy's results, except for the dtypes in which sums of bools are computed here."""
    m, function = to_gpu(BYTES).view(np.bool_), FUNCTIONS[name]
    try:
        expected = function(TRUE.copy())
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            function(m)
        return
    if name in ("sum", "prod", "cumsum", "cumprod", "nansum"):
        expected = np.asarray(expected) != 0 if name != "cumprod" else np.asarray(expected).astype(bool)
    if name == "equal":
        assert function(m).get().all()
        return
    same(function(m), expected, name)


def test_orders_and_long_arrays():
    """Radix sort, tiles of scans and blocks of reductions."""
    rng = np.random.default_rng(3)
    x = rng.integers(0, 256, 300_000).astype(np.uint8) * rng.integers(0, 2, 300_000).astype(np.uint8)
    m, true = to_gpu(x).view(np.bool_), x != 0
    np.testing.assert_array_equal(np.argsort(m).get(), np.argsort(true, kind="stable"))
    np.testing.assert_array_equal(np.cumsum(m, dtype=np.int64).get(), np.cumsum(true))
    assert int(np.count_nonzero(m)) == np.count_nonzero(true)
    np.testing.assert_array_equal(np.sum(m.reshape(300, 1000), axis=0, dtype=np.int64).get(), np.sum(true.reshape(300, 1000), axis=0))
    np.testing.assert_array_equal(np.nonzero(m)[0].get(), np.nonzero(true)[0])
