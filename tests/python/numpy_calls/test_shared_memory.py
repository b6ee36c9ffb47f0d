"""Whether results are views of an operand's memory or have their own: as in NumPy, so that writing to them changes the same arrays."""

import operator
import warnings

import numpy as np
import numpys_calls
import pytest
from pycuda import gpuarray
from pycuda._arrays.numpy_functions import functions

pytestmark = pytest.mark.usefixtures("module_context")

#: Copies here, as in PyCUDA, and views in NumPy (docs/arrays.md).
COPIES = {"real", "imag"}
OPERATORS = [operator.pos, operator.neg, operator.abs, lambda x: x + 0, lambda x: x * 1, lambda x: x ** 1, lambda x: x[...], lambda x: x[:, 1], lambda x: x.T]


def are_shared(result, operands):
    """Whether each part of a result lies in the operands' memory."""
    parts = arrays_in(result)
    if any(isinstance(part, gpuarray.GPUArray) for part in parts):
        return [any(x.ptr <= part.ptr < x.ptr + x.nbytes for x in operands) for part in parts]
    return [any(np.shares_memory(part, x) for x in operands) for part in parts]


def arrays_in(value):
    if isinstance(value, (np.ndarray, np.generic, gpuarray.GPUArray)):
        return [value]
    return sum(map(arrays_in, value), []) if isinstance(value, (list, tuple)) else []


def check(name, call, args, keywords=None):
    ours, numpys = ([*numpys_calls.on_device([list(args), keywords or {}], convert)] for convert in (gpuarray.to_gpu, np.array))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = [call(*given[0], **given[1]) for given in (ours, numpys)]
    if name == "linalg.lstsq":
        results = [(x, residuals, singular) for x, residuals, _, singular in results]  # without the rank
    if isinstance(results[0], (gpuarray.GPUArray, tuple, list)) and arrays_in(results[0]):
        found = are_shared(results[0], arrays_in(ours[0]))
        assert found == ([False] if name in COPIES else are_shared(results[1], arrays_in(numpys[0])))


@pytest.mark.parametrize("function", functions, ids=numpys_calls.name_of)
def test_functions(function):
    check(numpys_calls.name_of(function), function, *numpys_calls.CALLS[numpys_calls.name_of(function)])


@pytest.mark.parametrize("method", sorted(set(numpys_calls.METHODS) - {"fill", "item"}))  # fill returns the array itself, as in PyCUDA
def test_methods(method):
    check(method, lambda x, *args: getattr(x, method)(*args), (numpys_calls.X, *numpys_calls.METHODS[method]))


@pytest.mark.parametrize("number", range(len(OPERATORS)))
def test_operators(number):
    check("operator", OPERATORS[number], (numpys_calls.X,))


def test_parts_of_complex_arrays():
    """Real and imaginary parts are copies, which are contiguous as in PyCUDA; assigning to the attribute writes through."""
    z = gpuarray.to_gpu(numpys_calls.Z)
    assert z.real.flags.c_contiguous and z.imag.flags.c_contiguous
    z.real = 5
    z.imag[:, 0] = 7  # of a copy
    z.imag += 1
    np.testing.assert_array_equal(z.get(), 5 + 1j * (numpys_calls.Z.imag + 1))
    z[:, 1].imag = gpuarray.to_gpu(np.array([8.0, 9.0]))
    assert z.get()[:, 1].imag.tolist() == [8, 9]
    x = gpuarray.to_gpu(numpys_calls.X)
    x.real = 2
    assert (x.get() == 2).all()
    with pytest.raises(TypeError, match="imag: an array of float64 has no imaginary parts"):
        x.imag = 1
