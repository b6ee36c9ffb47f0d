"""The array API's arrays are closed: each function and method of an Array returns Arrays with the standard's rules, and none mixes them with GPUArrays.

Every public name is in a table here; a new one without a row fails.
"""

import operator
import warnings

import numpy as np
import numpys_calls
import pycuda.array_api as xp
import pytest
from pycuda import gpuarray
from pycuda._arrays import operations, universal_functions
from pycuda._arrays.numpy_functions import functions

pytestmark = pytest.mark.usefixtures("module_context")

X, Y, V, M = numpys_calls.X, numpys_calls.Y, numpys_calls.V, numpys_calls.M
I, S, SQUARE, HERMITIAN = np.array([3, 1, 2, 0], np.int8), np.array([5, 200, 200], np.uint8), np.array([[4.0, 1], [1, 3]]), np.array([[2, 1j], [-1j, 3]])

#: The arguments of each function of the namespace.
FUNCTIONS = {
    **{name: (X,) for name in """abs acos acosh all any argmax argmin argsort asarray asin asinh atan atanh ceil clip conj copy cos cosh count_nonzero cumulative_prod diff empty_like exp
       expm1 flip floor from_dlpack isfinite isinf isnan linspace log log10 log1p log2 matrix_transpose max mean min negative nonzero ones_like positive prod real reciprocal result_type
       round sign signbit sin sinh sort sqrt square std sum tan tanh tril triu trunc unique_all unique_counts unique_inverse unique_values unstack var zeros_like broadcast_arrays""".split()},
    **{name: (X, Y) for name in """add atan2 copysign divide equal floor_divide greater greater_equal hypot isin less less_equal logaddexp maximum minimum multiply nextafter not_equal pow
       remainder subtract vecdot""".split()},
    **{name: (I, I) for name in ("bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor")}, **{name: (M, M) for name in ("logical_and", "logical_or", "logical_xor")},
    "bitwise_invert": (I,), "logical_not": (M,), "imag": (numpys_calls.Z,), "arange": (4,), "astype": (X, np.float32), "broadcast_to": (X, (2, 2, 3)), "concat": ([X, Y],), "stack": ([X, Y],),
    "cumulative_sum": (S,), "empty": (3,), "eye": (3,), "expand_dims": (X, 0), "full": (3, 2.0), "full_like": (X, 2.0), "linspace": (0.0, 1.0, 3), "matmul": (X, Y.T.copy()), "meshgrid": (V, V),
    "moveaxis": (X, 0, 1), "ones": (3,), "permute_dims": (X, (1, 0)), "repeat": (X, 2), "reshape": (X, (3, 2)), "roll": (X, 1), "searchsorted": (V, V), "squeeze": (X[None], 0), "take": (V, I % 2),
    "take_along_axis": (X, np.array([[1], [0]])), "tensordot": (X, Y.T.copy(), 1), "tile": (X, (2,)), "where": (M, X, Y), "zeros": (3,), "broadcast_shapes": ((2,), (1,)), "can_cast": (X, np.float64),
    "isdtype": (np.float32, "integral"), "finfo": (np.float32,), "iinfo": (np.int8,), "cumulative_prod": (V,), "unstack": (X,),
}
KEYWORDS = {"tensordot": "axes"}
LINALG = {
    **{name: (SQUARE,) for name in "cholesky det eig eigh eigvals eigvalsh inv matrix_norm matrix_rank matrix_transpose pinv qr slogdet svd svdvals trace diagonal vector_norm".split()},
    "cross": (V, V), "outer": (V, V), "solve": (SQUARE, SQUARE), "matmul": (SQUARE, SQUARE), "matrix_power": (SQUARE, 2), "tensordot": (SQUARE, SQUARE, 1), "vecdot": (V, V),
}
FFT = {**{name: (V,) for name in "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftshift ifftshift".split()}, "fftfreq": (4,), "rfftfreq": (4,)}
NOT_FUNCTIONS = {"Array", "LinAlgError", "__array_api_version__", "__array_namespace_info__", "e", "inf", "nan", "newaxis", "pi", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
                 "uint32", "uint64", "float32", "float64", "complex64", "complex128"}
#: They make Arrays of others, or only read their dtypes.
TAKE_ANY = {"asarray", "from_dlpack", "can_cast", "result_type"}

CALLS = [pytest.param(module, name, calls[name], id=f"{module.__name__.split('.')[-1]}.{name}")
         for module, calls in ((xp, FUNCTIONS), (xp.linalg, LINALG), (xp.fft, FFT)) for name in sorted(set(module.__all__) - NOT_FUNCTIONS) if name in calls]


def on_device(args, convert=xp.asarray):
    return numpys_calls.on_device(args, convert)


def call(function, args):
    keyword = KEYWORDS.get(function.__name__)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args[:-1], **{keyword: args[-1]}) if keyword else function(*args)


def parts_of(value):
    return [part for each in value for part in parts_of(each)] if isinstance(value, (tuple, list)) else [value]


def require_arrays(value):
    """Check that each array in a result is an Array."""
    for part in parts_of(value):
        assert not isinstance(part, (gpuarray.GPUArray, np.ndarray)) or isinstance(part, xp.Array)


def count_arrays(value):
    if isinstance(value, (list, tuple)):
        return sum(map(count_arrays, value))
    return int(isinstance(value, np.ndarray))


def mixtures(args):
    """The arguments, with each array in turn a GPUArray and the others Arrays."""
    for wanted in range(count_arrays(args)):
        numbers = iter(range(count_arrays(args)))
        yield on_device(list(args), lambda host: (gpuarray.to_gpu if next(numbers) == wanted else xp.asarray)(host))


def test_every_function_of_the_namespace_has_a_row():
    for module, calls in ((xp, FUNCTIONS), (xp.linalg, LINALG), (xp.fft, FFT)):
        assert set(module.__all__) - NOT_FUNCTIONS <= set(calls)


@pytest.mark.parametrize(("module", "name", "args"), CALLS)
def test_functions_of_the_namespace(module, name, args):
    require_arrays(call(getattr(module, name), on_device(list(args))))
    if name in TAKE_ANY:
        return
    for mixed in mixtures(args):
        before = [type(value) for value in mixed]
        with pytest.raises(TypeError, match=r"array_api\.asarray\(\) or pycuda\.gpuarray\.asarray"):
            call(getattr(module, name), mixed)
        assert [type(value) for value in mixed] == before


# ---- NumPy's functions

#: Vectors that are determined up to their signs.
UP_TO_SIGNS = {"linalg.svd", "linalg.eigh", "linalg.eig", "linalg.qr"}
#: Eigenvalues, which are always complex from NumPy 2.5 on.
REAL_IF_THEY_ARE = {"linalg.eig", "linalg.eigvals"}
#: Those that do not return arrays, or have NumPy's dtype only in some versions.
HERE = {function for function in functions if function.__name__ not in ("clip",)}


@pytest.mark.parametrize("function", functions, ids=numpys_calls.name_of)
@pytest.mark.parametrize("dtype", ["given", "small"])
def test_numpys_functions(function, dtype):
    """Arrays with NumPy's elements and dtypes, also of small integers, which PyCUDA adds up in their own dtype."""
    args, keywords = numpys_calls.CALLS[numpys_calls.name_of(function)]
    if dtype == "small":
        args = on_device(list(args), lambda host: host.astype(np.uint8) * (100 if function.__name__ in ("sum", "nansum", "cumsum", "nancumsum") else 1) if host.dtype.kind == "f" else host)
    numpys_args = on_device([list(args), keywords], np.copy)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = function(*numpys_args[0], **numpys_args[1])
        ours = function(*on_device(list(args)), **on_device(keywords))
    require_arrays(ours)
    for one, other in zip(parts_of(ours), parts_of(expected)):
        if not isinstance(one, xp.Array):
            assert one == other
            continue
        other = np.asarray(other)
        assert one.shape == other.shape
        assert one.dtype == (other.real.dtype if numpys_calls.name_of(function) in REAL_IF_THEY_ARE else other.dtype)
        if function.__name__ == "unique_values":  # in any order
            other = np.sort(other)
        if function is not np.empty_like and numpys_calls.name_of(function) not in UP_TO_SIGNS:
            np.testing.assert_allclose(one.get(), other, rtol=1e-14, atol=1e-14)
    for mixed in mixtures(args):
        if count_arrays(args) > 1:
            with pytest.raises(TypeError, match=r"array_api\.asarray\(\) or pycuda\.gpuarray\.asarray"):
                function(*mixed, **on_device(keywords))


@pytest.mark.parametrize("name", sorted({*operations.ufuncs, *universal_functions._PAIRS}))
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int32, np.float32, np.float64, np.complex64], ids=lambda dtype: dtype.__name__)
def test_universal_functions(name, dtype):
    """NumPy's dtypes: bool for comparisons, and floating point for quotients of integers."""
    ufunc = getattr(np, name)
    hosts = [np.array([1, 2, 1, 3, 7]).astype(dtype), np.array([1, 1, 2, 3, 2]).astype(dtype)][:ufunc.nin]
    if dtype in (np.float32, np.float64, np.complex64):
        hosts = [host / dtype(8) for host in hosts]
    if name == "ldexp":
        hosts[1] = np.array([1, 2, 3, 1, 2], np.int32)
    try:
        with np.errstate(all="ignore"):
            expected = ufunc(*hosts)
    except TypeError:
        with pytest.raises(TypeError):
            ufunc(*map(xp.asarray, hosts))
        return
    if any(part.dtype == np.float16 for part in (expected if isinstance(expected, tuple) else (expected,))):
        return  # not a dtype of the standard
    ours = ufunc(*map(xp.asarray, hosts))
    for one, other in zip(ours if isinstance(ours, tuple) else (ours,), expected if isinstance(expected, tuple) else (expected,)):
        assert isinstance(one, xp.Array) and one.dtype == other.dtype
        eps = np.finfo(other.dtype).eps if other.dtype.kind in "fc" else 0
        np.testing.assert_allclose(one.get(), other, rtol=16 * eps, atol=16 * eps)
    if ufunc.nin == 2:
        for mixed in mixtures(hosts):
            with pytest.raises(TypeError, match=r"array_api\.asarray"):
                ufunc(*mixed)
        number = np.float32(2) if dtype == np.float32 else dtype(1)
        assert isinstance(ufunc(number, xp.asarray(hosts[1])), (xp.Array, tuple))


@pytest.mark.parametrize("method", ["reduce", "accumulate", "outer"])
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum"])
def test_methods_of_universal_functions(name, method):
    args = (S, S) if method == "outer" else (S,)
    ours, expected = getattr(getattr(np, name), method)(*on_device(list(args))), getattr(getattr(np, name), method)(*args)
    assert isinstance(ours, xp.Array) and ours.dtype == expected.dtype
    np.testing.assert_array_equal(ours.get(), expected)


def test_out_is_returned():
    x, out = xp.asarray(X), xp.asarray(np.zeros(3))
    assert np.sum(x, axis=0, out=out) is out and (out.get() == X.sum(0)).all()
    out = xp.asarray(np.zeros((2, 3)))
    assert np.add(x, x, out=out) is out and (out.get() == 2 * X).all()
    with pytest.raises(TypeError, match=r"array_api\.asarray"):
        np.add(x, x, out=gpuarray.zeros((2, 3)))


# ---- methods and operators

#: Methods whose results are no arrays, or that only take what they return.
METHODS = {
    **{name: () for name in """all any argmax argmin argsort conj conjugate copy cumsum flatten get get_async max mean min prod ravel reverse round squeeze std sum tolist transpose var view
       __abs__ __copy__ __neg__ __pos__ __array_namespace__""".split()},
    "argpartition": (1,), "byteswap": (), "choose": None, "compress": ([True, False],), "cumprod": (), "diagonal": (), "nonzero": (), "partition": (1,), "put": ([0], 2.0), "searchsorted": None, "sort": (), "swapaxes": (0, 1),
    "take": ([0, 1],), "tobytes": None, "trace": (),
    "astype": (np.float32,), "clip": (1.0, 2.0), "dot": (Y.T.copy(),), "fill": (3,), "mul_add": (2.0, Y, 3.0), "repeat": (2,), "reshape": (3, 2), "set": (Y,), "set_async": (Y,), "to_device": None,
    "item": None, "bind_to_texref": None, "bind_to_texref_ext": None, "__deepcopy__": ({},), "__iter__": (), "__len__": (), "__getitem__": (0,), "__setitem__": None, "__divmod__": (Y,), "__rdivmod__": (Y,),
}
BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow]


def test_every_method_has_a_row():
    public = {name for name in dir(xp.Array) if not name.startswith("_") and callable(getattr(xp.Array, name))}
    assert public <= set(METHODS)


@pytest.mark.parametrize("method", [name for name, args in METHODS.items() if args is not None])
def test_methods(method):
    x = xp.asarray(X)
    result = getattr(x, method)(*on_device(list(METHODS[method])))
    if method not in ("get", "get_async", "tolist", "__array_namespace__"):
        require_arrays(list(result) if method == "__iter__" else result)
    if method not in ("set", "set_async"):  # which copy elements
        for mixed in mixtures(METHODS[method]):
            with pytest.raises(TypeError, match=r"array_api\.asarray\(\) or pycuda\.gpuarray\.asarray"):
                getattr(x, method)(*mixed)
    for name in ("T", "mT", "real", "imag"):
        require_arrays(getattr(x, name))


@pytest.mark.parametrize("op", [*BINARY, *BITS, operator.matmul, *IN_PLACE, operator.iand, operator.ior, operator.imatmul], ids=lambda op: op.__name__)
def test_operators(op):
    host = SQUARE.astype(np.int32) if op in (*BITS, operator.iand, operator.ior) else SQUARE
    require_arrays(op(xp.asarray(host, copy=True), xp.asarray(host)))
    for x, y in ((xp.asarray(host), gpuarray.to_gpu(host)), (gpuarray.to_gpu(host), xp.asarray(host))):
        with pytest.raises(TypeError, match=r"array_api\.asarray\(\) or pycuda\.gpuarray\.asarray"):
            op(x, y)
        assert (x.get() == host).all()


def test_indices_and_assignments():
    for one, other in ((xp.asarray, gpuarray.to_gpu), (gpuarray.to_gpu, xp.asarray)):
        a = one(X.copy())
        for index in (other(M), other(np.array([1, 0])), (slice(None), other(np.array([1, 0])))):
            with pytest.raises(TypeError, match=r"array_api\.asarray"):
                a[index]
            with pytest.raises(TypeError, match=r"array_api\.asarray"):
                a[index] = 1.0
        for index in (..., 0, one(M), (0, one(np.array([0])))):
            with pytest.raises(TypeError, match=r"array_api\.asarray"):
                a[index] = other(np.ones(1))
        assert (a.get() == X).all()


def test_conversions_share_memory():
    g = gpuarray.to_gpu(X)
    x = xp.asarray(g)
    back = gpuarray.asarray(x)
    assert (type(x), type(back), type(g)) == (xp.Array, gpuarray.GPUArray, gpuarray.GPUArray) and g.ptr == x.ptr == back.ptr
    assert gpuarray.asarray(x, np.float32).dtype == np.float32 and type(gpuarray.asarray(x, np.float32)) is gpuarray.GPUArray
    assert gpuarray.asarray(g) is g


def test_pycudas_functions():
    """They have PyCUDA's rules, and refuse mixtures where the rules would differ."""
    x, g = xp.asarray(X), gpuarray.to_gpu(X)
    for compute in (lambda: gpuarray.maximum(x, g), lambda: gpuarray.where(g, x, 1.0), lambda: gpuarray.clip(g, x, None), lambda: g.mul_add(1, x, 2)):
        with pytest.raises(TypeError, match=r"array_api\.asarray"):
            compute()


# ---- programs in NumPy's words

H = np.array([3, 1, 2, 0])


@pytest.mark.parametrize("compute", [
    lambda a: a[np.sort(a) > 1], lambda a: a[np.roll(a, 1) > 1], lambda a: a[a >= np.max(a)], lambda a: a[a > a.mean()], lambda a: a[a < np.median(a)], lambda a: a[a.max() == a],
    lambda a: a[a == a.max()], lambda a: (a == a.max()).sum(), lambda a: ~(np.sort(a) > 1), lambda a: np.true_divide(a.sum(), 4), lambda a: a.sum() / 4, lambda a: 2 / (a + 1), lambda a: a / a.max(), lambda a: np.divide(np.cumsum(a), 2),
    lambda a: np.where(np.sort(a) > 1, a, 0), lambda a: (a > 0).mean(), lambda a: (a * (a > 1)), lambda a: np.average(a), lambda a: a.astype(np.int8).sum(), lambda a: np.less(a, 2),
])
def test_programs(compute):
    ours, expected = compute(xp.asarray(H.copy())), compute(H.copy())
    assert isinstance(ours, xp.Array) and ours.dtype == expected.dtype
    np.testing.assert_array_equal(ours.get(), expected)
