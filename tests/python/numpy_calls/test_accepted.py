"""Arguments that NumPy takes beside arrays: numbers in joins, several shifts, single indices; and what `in` and NaN mean."""

import numpy as np
import numpys_calls
import pytest
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("module_context")

X, V, N = numpys_calls.X, numpys_calls.V, np.array([2, 1, 2, 0])
NAN = np.array([np.nan, 1.0, np.nan, 0.0, 1.0])

CASES = {
    "append a number": lambda A: np.append(5, A(V)), "append to an axis": lambda A: np.append(A(X), A(X), axis=0), "append matrices": lambda A: np.append(A(X), A(X)),
    "atleast_1d": lambda A: np.atleast_1d(5, A(V)), "roll by several": lambda A: np.roll(A(V), (1, 1)), "roll by a list": lambda A: np.roll(A(X), [2, -1]),
    "clip without bounds": lambda A: np.clip(A(V), None, None), "tril of a vector": lambda A: np.tril(A(V)), "triu of a vector": lambda A: np.triu(A(V), 1),
    "item of a vector": lambda A: A(V).item(1), "item at a place": lambda A: A(X).item(4), "item at indices": lambda A: A(X).item(1, -1), "item at a tuple": lambda A: A(X).item((0, 2)),
    "item from the end": lambda A: A(X).item(-1), "item beyond": lambda A: A(X).item(6), "item of too many": lambda A: A(X).item(0, 0, 0), "item of one axis less": lambda A: A(np.ones((2, 1, 2))).item(1, 0),
    "in": lambda A: (2.0 in A(V), 3 in A(V), np.nan in A(NAN)), "repeat by uint64": lambda A: np.repeat(A(V), A(np.array([1, 2, 0], np.uint64))),
    "repeat by uint32": lambda A: np.repeat(A(V), A(np.array([1, 2, 0], np.uint32))), "bincount of nothing": lambda A: np.bincount(A(np.array([], np.int64)), weights=A(np.array([], float))),
    "zeros like, with a shape": lambda A: np.zeros_like(A(X), shape=(2, 2), dtype=np.int8), "full like": lambda A: np.full_like(A(X), 3, shape=4),
    "concatenate to a dtype": lambda A: np.concatenate((A(X), A(N.reshape(2, 2)[:, :1])), axis=1, dtype=np.float32), "join to a narrower dtype": lambda A: np.concatenate((A(N), A(N)), dtype=np.int8),
    "searchsorted by a short sorter": lambda A: np.searchsorted(A(V), A(V), sorter=A(np.array([0]))),
    **{f"unique {names}, {title}": (lambda A, values=values, names=names, more=more: np.unique(A(values), **dict.fromkeys(names.split(), True), **more))
       for title, values in (("integers", N), ("NaN", NAN), ("one NaN", NAN[:2]), ("matrix", X), ("complex", np.array([1j, complex(0, np.nan), np.nan, 1j])), ("nothing", N[:0]))
       for names in ("return_index", "return_inverse", "return_counts", "return_index return_inverse return_counts") for more in ({}, {"equal_nan": False})},
}


def outcome(compute, convert):
    try:
        return compute(convert)
    except (ValueError, TypeError, IndexError) as error:
        return type(error)


@pytest.mark.parametrize("name", CASES)
def test_results(name):
    ours, expected = outcome(CASES[name], lambda host: gpuarray.to_gpu(host)), outcome(CASES[name], np.copy)
    assert isinstance(ours, type) == isinstance(expected, type)
    if isinstance(expected, type):
        assert issubclass(ours, expected)
        return
    several = isinstance(expected, (tuple, list))
    assert not several or len(ours) == len(expected)
    for one, other in zip(ours if several else [ours], expected if several else [expected]):
        one = one.get() if isinstance(one, gpuarray.GPUArray) else one
        assert np.asarray(one).dtype == np.asarray(other).dtype and (np.shape(one) == np.shape(other) or np.lib.NumpyVersion(np.__version__) < "2.0.0")
        np.testing.assert_array_equal(one, other)
