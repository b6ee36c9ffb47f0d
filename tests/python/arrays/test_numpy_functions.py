"""NumPy's functions and universal functions on device arrays: NumPy's parameters, and its results where PyCUDA does not define others."""

import math

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda._arrays import operations, universal_functions
from pycuda.gpuarray import GPUArray

from conftest import close, sample

FUNCTIONS = {
    "sum": lambda m: np.sum(m, 0), "sum of all": lambda m: np.sum(m, dtype=np.float64), "sum kept": lambda m: np.sum(m, axis=(0, 1), keepdims=True),
    "prod": lambda m: np.prod(m, 1), "mean": lambda m: np.mean(m, 1), "any": lambda m: np.any(m, 0), "all": lambda m: np.all(m, axis=-1),
    "min": lambda m: np.min(m, 1), "max": lambda m: np.max(m, 0, keepdims=True), "amin": lambda m: np.amin(m), "amax": lambda m: np.amax(m, axis=1),
    "argmin": lambda m: np.argmin(m), "argmax": lambda m: np.argmax(m, 1), "cumsum": lambda m: np.cumsum(m, 1), "cumprod": lambda m: np.cumprod(m),
    "sort": lambda m: np.sort(m, 0), "argsort": lambda m: np.argsort(m, 1, kind="stable"), "unique": lambda m: np.unique(m),
    "clip": lambda m: np.clip(m, -1, 1), "clip above": lambda m: np.clip(m, None, 1), "clip by names": lambda m: np.clip(m, a_min=0, a_max=None),
    "clip method": lambda m: m.clip(0, 1),
    "where": lambda m: np.where(m, m, 3), "nonzero": lambda m: np.nonzero(m)[1], "where of one": lambda m: np.where(m)[0],
    "take": lambda m: np.take(m, m.argmax(axis=1)), "concatenate": lambda m: np.concatenate((m, m), -1), "all in one": lambda m: np.concatenate((m, m), None),
    "stack": lambda m: np.stack([m, m], 1), "transpose": lambda m: np.transpose(m, (1, 0)), "transposed by axes": lambda m: m.transpose(1, 0),
    "reshape": lambda m: np.reshape(m, (4, -1)), "ravel": lambda m: np.ravel(m), "squeeze": lambda m: np.squeeze(m[None], 0),
    "dot": lambda m: np.dot(m[0], m[1]), "dot of matrices": lambda m: np.dot(m, m.T), "dot with an array of no axes": lambda m: np.dot(m, m.max()),
    "matmul": lambda m: np.matmul(m, m[0]), "copy": lambda m: np.copy(m), "full_like": lambda m: np.full_like(m, 2, np.int16),
    "zeros_like": lambda m: np.zeros_like(m, dtype=np.int8), "ones_like": lambda m: np.ones_like(m), "expand_dims": lambda m: np.expand_dims(m, (0, -1)),
    "flip": lambda m: np.flip(m), "flip one": lambda m: np.flip(m, 1), "swapaxes": lambda m: np.swapaxes(m[None], 0, -1),
    "moveaxis": lambda m: np.moveaxis(m[None], [0, 1], [-1, 0]), "counted along": lambda m: np.count_nonzero(m, 0),
    "outer": lambda m: np.multiply.outer(m[0], m), "accumulate": lambda m: np.add.accumulate(m), "reduce": lambda m: np.add.reduce(m, axis=None),
    "reduce with numbers": lambda m: np.maximum.reduce(m), "real": lambda m: np.real(m), "typed": lambda m: np.sin(m, dtype=np.float64),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, rng):
    x = sample(rng, (3, 4), np.float32).round(1)
    x[1, 2] = 0
    ours = FUNCTIONS[name](gpuarray.to_gpu(x))
    assert isinstance(ours, GPUArray)
    expected = np.asarray(FUNCTIONS[name](x))
    assert ours.dtype == expected.dtype
    close(ours, expected)


def test_arguments_that_are_not_arrays(rng):
    x = sample(rng, (3, 4), np.float32)
    x[0] = 0
    a = gpuarray.to_gpu(x)
    assert (np.shape(a), np.ndim(a), np.size(a), np.size(a, 1)) == ((3, 4), 2, 12, 4)
    assert np.count_nonzero(a) == 8
    assert np.array_equal(a, gpuarray.to_gpu(x)) and not np.array_equal(a, a[1:]) and not np.array_equal(a, a + 1)
    assert np.result_type(a, np.float64) == np.float64 and np.isrealobj(a) and not np.iscomplexobj(a)


@pytest.mark.parametrize("function", [np.sum, np.prod, np.max, np.cumsum, np.any])
def test_out(function, rng):
    x = sample(rng, (3, 4), np.float32)
    expected = function(x, axis=0)
    out = gpuarray.zeros(expected.shape, expected.dtype)
    assert function(gpuarray.to_gpu(x), axis=0, out=out) is out
    close(out, expected)
    with pytest.raises(ValueError, match="out must have shape"):
        function(gpuarray.to_gpu(x), axis=0, out=gpuarray.zeros(7, np.float32))
    with pytest.raises(TypeError, match="out must be a GPUArray"):
        function(gpuarray.to_gpu(x), axis=0, out=np.zeros(expected.shape, expected.dtype))


def test_results_are_broadcast_to_out():
    row, column = np.arange(4.0), np.arange(3.0)[:, None]
    for shape, operands in (((3, 4), (row, 1.0)), ((2, 3, 4), (row, column)), ((0, 4), (row, row)), ((3, 4), (column, 2.0))):
        expected = np.add(*operands, out=np.zeros(shape))
        out = gpuarray.zeros(shape, np.float64)
        assert np.add(*(gpuarray.to_gpu(x) if isinstance(x, np.ndarray) else x for x in operands), out=out) is out
        np.testing.assert_array_equal(out.get(), expected)
    a = gpuarray.to_gpu(np.arange(12.0).reshape(3, 4))
    np.add(a[0], a[1], out=a)
    assert a.tolist() == [[4, 6, 8, 10]] * 3
    with pytest.raises(ValueError, match="but the output array has"):
        np.add(a, a, out=gpuarray.zeros(4, np.float64))
    with pytest.raises(ValueError, match="but the output array has"):
        a[0].__iadd__(a)


def dtypes_of(ufunc):
    return [np.dtype(t) for t in (np.bool_, np.int8, np.uint8, np.int32, np.float16, np.float32, np.float64, np.complex64)
            if any(types.startswith(np.dtype(t).char * ufunc.nin) or types.startswith(f"{np.dtype(t).char}i->") for types in ufunc.types)]


@pytest.mark.parametrize("name", sorted({*operations.ufuncs, *universal_functions._PAIRS}))
def test_every_ufunc_with_every_dtype(name, rng):
    ufunc = getattr(np, name)
    tried = 0
    for dtype in dtypes_of(ufunc):
        if name == "divide" and dtype.kind in "biu" or name == "power" and dtype.kind == "b":
            continue  # follows PyCUDA: see test_operators
        operands = [(sample(rng, (2, 5), dtype) % 4 + 1 if dtype.kind in "iu" else sample(rng, (2, 5), dtype)) for _ in range(ufunc.nin)]
        if dtype.kind == "f":
            operands = [(abs(x) % 0.9 + 0.05).astype(dtype) for x in operands]
        if dtype.kind == "b" and name in ("floor_divide", "remainder", "divmod"):
            operands[1][:] = True
        if name == "ldexp":
            operands[1] = np.array([-2, 0, 1, 2, 3], np.int32)
        try:
            expected = ufunc(*operands)
        except TypeError:
            continue
        ours = ufunc(*map(gpuarray.to_gpu, operands))
        tried += 1
        several = isinstance(expected, tuple)
        for one, other in zip(ours if several else (ours,), expected if several else (expected,)):
            assert one.dtype == (dtype if name in universal_functions._COMPARISONS else other.dtype), dtype
            eps = max(float(np.finfo(t).eps) for t in (dtype, other.dtype) if t.kind in "fc") if dtype.kind in "fc" or other.dtype.kind in "fc" else 0
            np.testing.assert_allclose(one.get().astype(np.complex128), other.astype(np.complex128), rtol=32 * eps, atol=32 * eps, err_msg=f"{dtype}")
    assert tried


def test_sides_of_branch_cuts():
    """Inverse functions of complex numbers have branch cuts there, and the sign of zero says on which side a number is."""
    z = np.array([2, -2, 0.5, 2j, -2j, 0.5j, 1, -1, 0], np.complex128)
    z = np.concatenate((z, z.conj(), -z, -z.conj(), [3 - 4j, 1e-9 + 1e-9j, 1e3 + 1j]))
    for name in ("arcsin", "arccos", "arcsinh", "arccosh"):
        np.testing.assert_allclose(getattr(np, name)(gpuarray.to_gpu(z)).get(), getattr(np, name)(z), rtol=1e-14, atol=1e-15, err_msg=name)
    z = z[(abs(z) != 1)]
    for name in ("arctan", "arctanh"):
        np.testing.assert_allclose(getattr(np, name)(gpuarray.to_gpu(z)).get(), getattr(np, name)(z), rtol=1e-14, atol=1e-15, err_msg=name)


def test_errors_say_what_to_do(rng):
    x = sample(rng, (3, 4), np.float32)
    a = gpuarray.to_gpu(x)
    for compute in (lambda: a + x, lambda: x * a, lambda: np.add(a, x), lambda: np.hypot(x, a)):
        with pytest.raises(TypeError, match="on the host.*to_gpu.*get"):
            compute()
    for compute in (lambda: np.add(a, a, where=a), lambda: np.isnat(a)):
        with pytest.raises(TypeError, match="no counterpart.*get"):
            compute()
    with pytest.raises(TypeError):
        np.add(a, a, out=np.empty_like(x))
    with pytest.raises(TypeError):
        np.add(a, "text")
    with pytest.raises(TypeError):
        np.sum(a, 0, None, None, False, 1, True, 2)
    indices = gpuarray.to_gpu(np.array([0, 1], np.int32))
    with pytest.raises(ValueError, match="text"):
        np.take(a, indices, mode="text")


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("shape,axis", [((0, 0), 1), ((0, 3), 1), ((3, 0), 0), ((3, 0), 1), ((0,), 0), ((0, 3), 0), ((2, 0, 3), 2), ((0,), None)], ids=str)
@pytest.mark.parametrize("indices", [[0, 0, 0], [9], np.zeros((2, 0), int)], ids=["first", "out of range", "none"])
def test_take_from_arrays_without_elements(shape, axis, mode, indices):
    """NumPy looks at no index if none is read."""
    def taken(x):
        try:
            return np.take(x, indices, axis, mode=mode).shape
        except IndexError:
            return IndexError

    x = np.zeros(shape, np.float32)
    assert taken(gpuarray.to_gpu(x)) == taken(x)


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((3,), (5, 3, 4)), ((5, 2, 3), (3,)), ((5, 2, 3), (3, 4)),
                                    ((5, 2, 3), (5, 3, 4)), ((6, 5, 2, 3), (7, 3, 4)), ((2, 3), ()), ((), (2, 3)), ((2, 3), (4, 3)), ((2, 3), (2, 4, 3)), ((0, 3), (2, 3, 4)), ((2, 0), (3, 0, 4))], ids=str)
@pytest.mark.parametrize("dtypes", [(np.float64, np.float64), (np.int32, np.float32), (np.complex64, np.int64)], ids=str)
def test_dot_of_every_number_of_axes(shapes, dtypes):
    """The sums over the last axis of the one and the second-to-last of the other, not products of stacks."""
    x, y = ((np.arange(math.prod(shape)) % 7).reshape(shape).astype(dtype) for shape, dtype in zip(shapes, dtypes))
    try:
        expected = np.dot(x, y)
    except ValueError:
        with pytest.raises(ValueError):
            np.dot(gpuarray.to_gpu(x), gpuarray.to_gpu(y))
        return
    ours = np.dot(gpuarray.to_gpu(x), gpuarray.to_gpu(y))
    assert ours.dtype == expected.dtype and ours.shape == expected.shape
    np.testing.assert_array_equal(ours.get(), expected)
