"""Every function of NumPy's namespaces that takes arrays works with arrays on the device, or docs/arrays.md lists it with the reason why not."""

import pathlib

import numpy as np
import numpys_calls
import pytest
from pycuda import gpuarray
from pycuda._arrays import operations, universal_functions
from pycuda._arrays.numpy_functions import creators, functions
from pycuda._arrays.numpys import unavailable

pytestmark = pytest.mark.usefixtures("module_context")

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/arrays.md"
#: Functions of NumPy that are not dispatched, but only use what arrays on the device have: attributes, iteration, and other functions.
PLAIN = {"isfortran": lambda x: np.isfortran(x.T), "isscalar": np.isscalar, "iterable": np.iterable, "row_stack": lambda x: np.row_stack((x, x)), "float_power": lambda x: np.float_power(x, 2.0), "matmul": lambda x: np.matmul(x, x.T)}


def public(namespace):
    """Public functions and classes but element types."""
    for name in sorted(dir(namespace)):
        value = getattr(namespace, name)
        if not name.startswith("_") and callable(value) and not (isinstance(value, type) and issubclass(value, (np.generic, np.dtype))):
            yield name, value


def names():
    for prefix, namespace in (("", np), ("linalg.", np.linalg), ("fft.", np.fft)):
        yield from ((prefix + name, value) for name, value in public(namespace))


def is_available(name, value):
    if isinstance(value, np.ufunc):
        return value.__name__ in {*operations.ufuncs, *universal_functions._PAIRS, *universal_functions.composed} or name in PLAIN
    return name in PLAIN or not isinstance(value, type) and value in functions


@pytest.mark.filterwarnings("ignore")
def test_every_function_is_available_or_listed():
    neither = [name for name, value in names() if not is_available(name, value) and unavailable.reason_for(name) is None]
    both = [name for name, value in names() if is_available(name, value) and unavailable.reason_for(name) is not None]
    assert (neither, both) == ([], [])


def test_the_page_has_the_table():
    """Print it with: python -c 'from pycuda._arrays.numpys import unavailable; print(unavailable.markdown())'"""
    assert unavailable.markdown() in PAGE.read_text()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in PLAIN if hasattr(np, name)])
def test_functions_that_are_not_dispatched(name):
    x = np.arange(6.0).reshape(2, 3)
    ours, theirs = PLAIN[name](gpuarray.to_gpu(x)), PLAIN[name](x)
    np.testing.assert_array_equal(ours.get() if isinstance(ours, gpuarray.GPUArray) else ours, theirs)


@pytest.mark.parametrize("function", functions, ids=numpys_calls.name_of)
def test_every_function_runs(function):
    """As in the table of calls, with NumPy's results."""
    args, keywords = numpys_calls.CALLS[numpys_calls.name_of(function)]
    function(*numpys_calls.on_device(list(args), gpuarray.to_gpu), **numpys_calls.on_device(keywords, gpuarray.to_gpu))


def test_messages_tell_the_reason():
    a = gpuarray.zeros(3, np.float64)
    with pytest.raises(TypeError, match=r"numpy\.savetxt is not available.*files"):
        np.savetxt("nowhere", a)
    with pytest.raises(TypeError, match="dates"):
        np.busday_count(a, a)


CREATED = {
    "empty": lambda **like: np.empty((2, 3), np.int8, **like).shape, "zeros": lambda **like: np.zeros(3, **like), "ones": lambda **like: np.ones((2, 2), np.int32, order="F", **like), "full": lambda **like: np.full((2,), 7, **like),
    "eye": lambda **like: np.eye(3, 4, 1, **like), "identity": lambda **like: np.identity(3, **like), "tri": lambda **like: np.tri(3, 4, -1, **like), "arange": lambda **like: np.arange(2, 9, 3, **like), "arange of floats": lambda **like: np.arange(0.5, 2.0, **like),
    "array": lambda **like: np.array([[1, 2], [3, 4]], np.float32, ndmin=3, **like), "asarray": lambda **like: np.asarray([1, 2], **like), "asanyarray": lambda **like: np.asanyarray(5.0, **like), "ascontiguousarray": lambda **like: np.ascontiguousarray(3, **like),
    "asfortranarray": lambda **like: np.asfortranarray([[1, 2], [3, 4]], **like), "require": lambda **like: np.require([[1, 2]], np.float64, "F", **like), "fromfunction": lambda **like: np.fromfunction(lambda i, j: i + j, (2, 3), **like),
}


@pytest.mark.parametrize("name", CREATED)
def test_functions_that_create_arrays(name):
    ours, theirs = CREATED[name](like=gpuarray.zeros(1, np.float64)), CREATED[name]()
    if isinstance(theirs, tuple):
        assert ours == theirs
        return
    assert isinstance(ours, gpuarray.GPUArray) and (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_array_equal(ours.get(), theirs)
    assert ours.flags.f_contiguous == theirs.flags.f_contiguous


def test_every_function_that_creates_arrays_is_here():
    assert {function.__name__ for function in creators} <= set(CREATED)
