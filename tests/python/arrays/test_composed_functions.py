"""NumPy's functions that are composed of others, over dtypes, axes and layouts, compared with NumPy: values, dtypes and exceptions."""

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda.gpuarray import GPUArray, to_gpu

pytestmark = pytest.mark.filterwarnings("ignore")

DTYPES = [np.dtype(code) for code in "?bBhHiIlLefdFD"]
RAISED = (TypeError, ValueError, IndexError, ZeroDivisionError)
NAN = float("nan")


def on_device(value):
    if isinstance(value, np.ndarray) and value.ndim:
        return to_gpu(value)
    return tuple(map(on_device, value)) if isinstance(value, tuple) else value


def outcome(compute, *arguments):
    try:
        return compute(*arguments)
    except RAISED as error:
        return type(error)  # not the error, whose frames keep arrays alive


def same(ours, expected, message, types=True):
    if isinstance(expected, type) or isinstance(ours, type):
        kinds = [isinstance(result, type) and next(kind for kind in RAISED if issubclass(result, kind)) for result in (ours, expected)]
        assert kinds[0] is kinds[1] or not types and all(kinds), f"{message}: {ours!r}, not {expected!r}"
        return
    if isinstance(expected, (tuple, list)):
        assert len(ours) == len(expected), message
        for one, other in zip(ours, expected):
            same(one, other, message, types)
        return
    expected = np.asarray(expected)
    assert isinstance(ours, GPUArray) and ours.shape == expected.shape, f"{message}: {ours!r}, not {expected!r}"
    assert not types or ours.dtype == expected.dtype, f"{message}: {ours.dtype}, not {expected.dtype}"
    precision = 8 * float(np.finfo(ours.dtype).eps) if ours.dtype.kind in "fc" else 0
    np.testing.assert_allclose(ours.get(), expected.astype(ours.dtype), rtol=precision, atol=precision, err_msg=message)


def elements(shape, dtype):
    numbers = (np.arange(np.prod(shape, dtype=int)) * 7 % 11 % 5).reshape(shape)
    return numbers.astype(dtype) if dtype.kind != "c" else (numbers + 1j * numbers[::-1]).astype(dtype)


SHAPES = [(4, 5), (3, 2, 4), (1, 1), (5,), (2, 0)]
LAYOUTS = {"C": lambda x: x, "transposed": lambda x: x.T, "reversed": lambda x: x[::-1], "strided": lambda x: x[..., ::2]}

#: Functions of one array of every dtype, shape and layout.
OF_ONE = {
    **{f"median {axis}": lambda x, axis=axis: np.median(x, axis) for axis in (None, 0, -1, (0, 1), 7)}, "median kept": lambda x: np.median(x, 0, keepdims=True),
    "average": np.average, "average of rows": lambda x: np.average(x, 0), "average kept": lambda x: np.average(x, axis=-1, keepdims=True),
    "weighted": lambda x: np.average(x, weights=abs(x) + x.dtype.type(1)), "weighted rows": lambda x: np.average(x, 0, abs(x) + x.dtype.type(1)),
    "ptp": np.ptp, "ptp of rows": lambda x: np.ptp(x, 0), "ptp kept": lambda x: np.ptp(x, -1, keepdims=True),
    **{f"rot90 {k}": lambda x, k=k: np.rot90(x, k) for k in (-1, 0, 1, 2, 3)}, "rot90 of axes": lambda x: np.rot90(x, 1, (1, 2)), "rot90 of one axis": lambda x: np.rot90(x, 1, (0, 0)),
    "argwhere": np.argwhere, "flatnonzero": np.flatnonzero, "trace": np.trace, "trace above": lambda x: np.trace(x, 1), "trace below": lambda x: np.trace(x, -1, 1, 0),
    "trace of axes": lambda x: np.trace(x, 0, 0, 2), "trace in a dtype": lambda x: np.trace(x, dtype=np.float64) if x.dtype.kind != "c" else x,
    "diagonal": np.diagonal, "diagonal of axes": lambda x: np.diagonal(x, 1, 2, 0), "diagonal of one axis": lambda x: np.diagonal(x, 0, 1, 1), "diagonal beyond": lambda x: np.diagonal(x, 9),
    "kron": lambda x: np.kron(x, x), "vdot": lambda x: np.vdot(x, x[::-1]), "vdot of sizes": lambda x: np.vdot(x, x[1:]),
    "kron of rows": lambda x: np.kron(x[0], x),
    "quantile": lambda x: np.quantile(x, 0.3), "quantiles": lambda x: np.quantile(x, [0, 0.25, 1], axis=0), "percentile": lambda x: np.percentile(x, 90, axis=-1, keepdims=True),
    "percentiles": lambda x: np.percentile(x, [[10, 50], [75, 100]]), "percentile beyond": lambda x: np.percentile(x, 101),
}


@pytest.mark.parametrize("name", OF_ONE)
def test_functions_of_one_array(name):
    for dtype in DTYPES:
        for shape in SHAPES:
            if name.startswith("ptp") and dtype.kind == "c":
                continue  # complex numbers have no min and max here
            if "quantile" in name and 0 in shape or "percentile" in name and 0 in shape:
                continue  # NumPy's result depends on the version
            for layout, view in LAYOUTS.items():
                if layout != "C" and dtype.char not in "bF":
                    continue
                x = elements(shape, dtype)
                same(outcome(OF_ONE[name], view(to_gpu(x))), outcome(OF_ONE[name], view(x)), f"{name} {dtype} {shape} {layout}")


#: Functions of other arguments.
CASES = {
    "median with NaN": (lambda x: np.median(x, 1), np.array([[1, NAN, 3], [2.5, 7, 4]])), "median of a number": (np.median, np.array([3.5])),
    "median of infinities": (np.median, np.array([np.inf, np.inf, 1, 2])),
    "weights of an axis": (lambda x, w: np.average(x, 1, w), np.arange(12.0).reshape(3, 4), np.arange(4) + 1),
    "weights of two axes": (lambda x, w: np.average(x, (2, 0), w), np.arange(24.0).reshape(2, 3, 4), np.arange(8.0).reshape(4, 2)),
    "weights without axis": (lambda x, w: np.average(x, None, w), np.arange(12.0).reshape(3, 4), np.arange(4)),
    "weights of another length": (lambda x, w: np.average(x, 0, w), np.arange(12.0).reshape(3, 4), np.arange(4)),
    "weights without sum": (lambda x, w: np.average(x, weights=w), np.arange(2.0), np.array([-1.0, 1])),
    "average and its weights": (lambda x, w: np.average(x, 0, w, returned=True), np.arange(6).reshape(2, 3), np.arange(1, 3)),
    "average and its number": (lambda x: np.average(x, 1, returned=True), np.arange(6).reshape(2, 3)),
    "float32 and weights": (lambda x, w: np.average(x, weights=w), np.arange(3, dtype=np.float32), np.arange(3, dtype=np.float32)),
    "quantile with NaN": (lambda x: np.quantile(x, [0.1, 0.9], 1), np.array([[1, NAN, 3], [2.5, 7, 4]])),
    "quantile of a method": (lambda x: np.quantile(x, 2), np.arange(4.0)), "ptp with NaN": (lambda x: np.ptp(x, 1), np.array([[1, NAN, 3], [2.5, 7, 4]])),
    "kron of shapes": (np.kron, np.arange(6).reshape(2, 3), np.arange(20, dtype=np.float32).reshape(1, 4, 5)),
    "vdot of dtypes": (np.vdot, np.arange(4) * 1j, np.arange(4, dtype=np.float32) + 1), "vdot of shapes": (np.vdot, np.arange(6).reshape(2, 3), np.arange(6).reshape(3, 2)),
    "bincount": (np.bincount, np.array([0, 3, 3, 1, 7])), "bincount longer": (lambda x: np.bincount(x, minlength=12), np.array([0, 3, 3], np.uint8)),
    "bincount by weights": (np.bincount, np.array([0, 3, 3, 1]), np.array([1, 2, 3, 4], np.float32)), "bincount of none": (np.bincount, np.array([], int)),
    "bincount of negative numbers": (np.bincount, np.array([0, -3])), "bincount of fractions": (np.bincount, np.array([0.5])), "bincount of rows": (np.bincount, np.eye(2, dtype=int)),
    "bincount by too few": (np.bincount, np.arange(3), np.arange(2.0)),
    "digitize": (np.digitize, np.array([0.2, 6.4, 3.0, 1.6]), np.array([0.0, 1, 2.5, 4, 10])),
    "digitize right": (lambda x, b: np.digitize(x, b, right=True), np.arange(6.0).reshape(2, 3), np.array([0.0, 1, 2, 4])),
    "digitize down": (np.digitize, np.arange(6), np.array([4, 3, 1])), "digitize down right": (lambda x, b: np.digitize(x, b, True), np.arange(6), np.array([4, 3, 1])),
    "digitize in disorder": (np.digitize, np.arange(6), np.array([4, 5, 1])),
    "float_power": (lambda x: np.float_power(x, 0.5), np.arange(4, dtype=np.float32)), "float_power of integers": (np.float_power, np.arange(4), np.arange(4, dtype=np.uint8)),
    "float_power of complex numbers": (lambda x: np.float_power(x, 2), np.arange(1, 4) * np.complex64(1j)), "float_power of a number": (lambda x: np.float_power(2, x), np.arange(-2, 3)),
    "float_power where": (lambda x: np.float_power(x, -1.0, out=x, where=x > 1), np.arange(4.0)),
    "argwhere of a number": (lambda x: np.argwhere(x[1]) if isinstance(x, GPUArray) else np.argwhere(x[1, ...]), np.array([0, 2])),
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name):
    compute, *operands = CASES[name]
    same(outcome(compute, *map(on_device, operands)), outcome(compute, *operands), name, types=not name.startswith("weights of another"))


def test_outputs():
    x = np.arange(12.0).reshape(3, 4)
    a, out = to_gpu(x), gpuarray.zeros(4, np.float64)
    for function in (np.median, np.ptp):
        assert function(a, 0, out=out) is out
        same(out, function(x, 0), function.__name__)
    assert np.quantile(a, 0.5, 0, out=out) is out
    same(out, np.quantile(x, 0.5, 0), "quantile")
    total = gpuarray.zeros((), np.float64)
    assert np.trace(a, out=total) is total and total.get() == 15


def test_views():
    a = to_gpu(np.arange(12.0).reshape(3, 4))
    for view in (np.diagonal(a), np.rot90(a)):
        view.fill(-1)
    assert (a.get() == -1).all()


def test_unavailable():
    a = gpuarray.zeros(3, np.float64)
    with pytest.raises(TypeError, match="to_gpu"):
        np.quantile(a, 0.5, weights=np.ones(3), method="inverted_cdf")
    with pytest.raises(TypeError, match="to_gpu"):
        np.average(a, weights=np.ones(3))
    with pytest.raises(TypeError, match="to_gpu"):
        np.kron(a, np.ones(3))


def test_rejected():
    a, x = gpuarray.zeros(3, np.float64), gpuarray.to_gpu(np.array([0, 1, 1]))
    with pytest.raises(TypeError, match="safe"):
        np.bincount(x, weights=a.astype(np.complex128))
    with pytest.raises(IndexError, match="axis 7"):
        np.average(gpuarray.zeros((2, 3), np.float64), 7, a)
