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

B, I = np.array([True, False]), np.array([1, 2])
#: Lists of numbers in the place of arrays.
LISTS = {
    "add": lambda A: np.add(A(I), [1, 2]), "add to a list": lambda A: np.add([[1, 2], [3, 4]], A(I)), "add out": lambda A: np.add(A(I), [1, 2.0], out=A(np.zeros(2))), "add a tuple": lambda A: np.add(A(I), (1, 2)),
    "add a list of arrays": lambda A: np.add([A(I), A(I) * 2, [5, 6]], A(I)), "add a list of arrays and numbers": lambda A: np.add(A(I), [A(np.array(3)), 4]), "add where": lambda A: np.add(A(I), 1, where=[True, False], out=A(I)), "power in place where": lambda A: np.power(a := A(np.array([[2, 3], [4, 5]])), [2, 3], out=a, where=[[0, 1], [1, 0]]), "sum where integers": lambda A: np.sum(A(I), where=[1, 0]), "add where integers": lambda A: np.add(A(I), 1, where=A(np.array([2, 0])), out=A(I)), "add at": lambda A: np.add.at(a := A(I), [0, 0], [1, 2]) or a,
    "outer product": lambda A: np.multiply.outer(A(I), [0, 1, 2]), "maximum": lambda A: np.maximum([0, 3], A(I)), "less": lambda A: np.less(A(I) * 1.0, [0.0, 3.0]).astype(bool), "matmul": lambda A: np.matmul(A(np.eye(2)), [[1, 2], [3, 4]]), "vecdot": lambda A: np.add(*[np.dot(A(I), [3, 4])] * 2),
    "concatenate": lambda A: np.concatenate([A(I), [3, 4]]), "vstack": lambda A: np.vstack([[3, 4], A(I)]), "stack": lambda A: np.stack([A(I), [3, 4.0]]), "hstack": lambda A: np.hstack([A(I), [5], 3]), "append": lambda A: np.append(A(I), [0, 1]), "broadcast_arrays": lambda A: np.broadcast_arrays(A(I), [[1], [2]]),
    "array_equal": lambda A: np.array_equal(A(I), [1, 2]), "allclose": lambda A: np.allclose(A(I) * 1.0, [1, 2]), "isclose": lambda A: np.isclose([1.5, 2], A(I)), "where": lambda A: np.where(A(B), [1, 2], [3.0, 4]), "where a list": lambda A: np.where([True, False], A(I), 5), "dot": lambda A: np.dot([[1, 2]], A(I)),
    "vdot": lambda A: np.vdot(A(I), [3, 4]), "kron": lambda A: np.kron([3, 4], A(I)), "einsum": lambda A: np.einsum("i,j", A(I), [3, 4]), "average": lambda A: np.average(A(I), weights=[3, 4]), "clip": lambda A: np.clip(A(I), [0, 1], [3, 1]), "bincount": lambda A: np.bincount(A(I), [0.5, 0.25]),
    "nan_to_num": lambda A: np.nan_to_num(A(np.array([np.nan, 2])), nan=[1, 2]), "full_like": lambda A: np.full_like(A(I), [5, 6]), "sum where": lambda A: np.sum(A(I), where=[True, False]), "mean where": lambda A: np.mean(A(I), where=[True, False]),
    "var where": lambda A: np.var(A(I), where=[True, True]), "isin": lambda A: np.isin([1, 5], A(I)), "isin by a table": lambda A: np.isin(A(I), [2], kind="table"), "isin by a table of floats": lambda A: np.isin(A(I), [2.5], kind="table"), "assign tuples": lambda A: np.apply_along_axis(lambda x: (x[1], x[0], 7), 1, A(np.eye(2))),
}
#: No indices at all.
NO_INDICES = {
    "get": lambda A: A(I)[[]], "get, nested": lambda A: A(I)[[[]]], "get by bool": lambda A: A(I)[np.zeros(0, bool)], "set by bool": lambda A: A(I).__setitem__(A(np.zeros(0, bool)), 5), "set": lambda A: A(I).__setitem__([], 5), "take": lambda A: np.take(A(I), []), "take along": lambda A: np.take(A(I), [], axis=0),
    "delete": lambda A: np.delete(A(I), []), "insert": lambda A: np.insert(A(I), [], []), "put": lambda A: np.put(a := A(I), [], []) or a, "searchsorted": lambda A: np.searchsorted(A(I), []), "take floats": lambda A: np.take(A(I), A(np.zeros(0))), "ravel": lambda A: np.ravel_multi_index((A(I[:0]), A(I[:0])), (5, 3)),
    "ravel a list": lambda A: np.ravel_multi_index((A(I[:0]), []), (5, 3)), "ravel in no elements": lambda A: np.ravel_multi_index(A(np.zeros((2, 0), int)), (2, 0)), "unravel": lambda A: np.unravel_index(A(I[:0]), (5, 3)), "unravel in no elements": lambda A: np.unravel_index(A(I[:0]), (5, 0)),
}
CASES |= {f"{name} {kind}": case for kind, cases in (("of a list", LISTS), ("of no indices", NO_INDICES)) for name, case in cases.items()}


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
