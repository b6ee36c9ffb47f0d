"""No parameter is accepted and ignored: each of NumPy's parameters, with each value, has NumPy's effect, or an error names it."""

import warnings

import numpy as np
import numpys_calls
import pytest
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("module_context")

#: Elements that NumPy does not determine either.
UNINITIALISED = {"empty_like"}
#: Vectors that are determined up to their signs.
UP_TO_SIGNS = {"linalg.svd", "linalg.eigh", "linalg.eig", "linalg.qr"}
#: Sums of products whose parts cancel.
ROUNDED = {"linalg.tensorsolve", "linalg.pinv", "linalg.lstsq", "polyfit"}
#: The order is that of the numbers, not of the memory.
ORDERS_OF_INDICES = {"unravel_index"}
#: Their results are numbers (docs/arrays.md).
COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
#: PyCUDA's reshape keeps memory order (docs/arrays.md); ndarray's transpose takes no keyword.
HABITS = {("reshape", "order"), ("transpose", "axes")}


def outcome(call, args, keywords):
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return call(*args, **keywords), None
    except Exception as error:  # noqa: BLE001 - its class and text are compared
        return None, error


def parts_of(value):
    return [part for each in value for part in parts_of(each)] if isinstance(value, (tuple, list)) else [value]


def require_equal(name, ours, numpys, compares_layout):
    """Check elements, dtypes and shapes, and for orders the layouts."""
    assert len(parts_of(ours)) == len(parts_of(numpys))
    for one, other in zip(parts_of(ours), parts_of(numpys)):
        if not isinstance(one, gpuarray.GPUArray):
            assert one == other
            continue
        other = np.asarray(other)
        assert one.shape == other.shape and (one.dtype == other.dtype or name in COMPARISONS)
        if name not in UNINITIALISED:
            eps = np.finfo(other.dtype).eps if other.dtype.kind in "fc" else 0
            one, other = (np.abs(one), np.abs(other)) if name in UP_TO_SIGNS else (one, other)
            np.testing.assert_allclose(one.get(), other, rtol=8 * eps, atol=eps * (8 if name in ROUNDED else 1))
        if compares_layout and other.size and name not in ORDERS_OF_INDICES:
            assert (one.flags.c_contiguous, one.flags.f_contiguous) == (other.flags.c_contiguous, other.flags.f_contiguous)


def check(name, call_of, args, keywords, parameter, value):
    """`call_of(convert)` is the function for arrays of a kind."""
    ours, our_error = outcome(call_of, *numpys_calls.on_device([list(args), {**keywords, parameter: value}], gpuarray.to_gpu))
    numpys, numpys_error = outcome(call_of, *numpys_calls.on_device([list(args), {**keywords, parameter: value}], np.copy))
    if our_error is None:
        assert numpys_error is None, f"NumPy raises {numpys_error!r}"
        require_equal(name, ours, numpys, parameter == "order")
    elif numpys_error is None:
        assert isinstance(our_error, (TypeError, ValueError, NotImplementedError)) and parameter in str(our_error), repr(our_error)


def groups(rows):
    """The rows by their first two parts."""
    found = {}
    for function, parameter, value in rows:
        found.setdefault((function, parameter), []).append(value)
    return [pytest.param(*key, values, id=f"{key[0] if isinstance(key[0], str) else numpys_calls.name_of(key[0])}-{key[1]}") for key, values in found.items()]


@pytest.mark.parametrize(("function", "parameter", "values"), groups(numpys_calls.function_parameters()))
def test_parameters_of_functions(function, parameter, values):
    args, keywords = numpys_calls.CALLS[numpys_calls.name_of(function)]
    for value in values:
        check(numpys_calls.name_of(function), function, args, keywords, parameter, value)


@pytest.mark.parametrize(("method", "parameter", "values"), groups(numpys_calls.method_parameters()))
def test_parameters_of_methods(method, parameter, values):
    if (method, parameter) in HABITS:
        return
    for value in values:
        check(method, lambda x, *args, **keywords: getattr(x, method)(*args, **keywords), (numpys_calls.X, *numpys_calls.METHODS[method]), {}, parameter, value)


@pytest.mark.parametrize(("ufunc", "parameter", "values"), groups(numpys_calls.ufunc_parameters()))
def test_parameters_of_universal_functions(ufunc, parameter, values):
    operands = numpys_calls.ufunc_operands(ufunc)
    for value in values:
        out = {}
        if parameter == "where":  # elsewhere, elements of new arrays are not initialised
            results = ufunc(*operands)
            out = {"out": tuple(np.zeros_like(result) for result in results) if isinstance(results, tuple) else np.zeros_like(results)}
        check(ufunc.__name__, ufunc, operands, out, parameter, value)
