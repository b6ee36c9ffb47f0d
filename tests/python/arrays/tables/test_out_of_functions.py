"""out= of every function that has it: an array that would lose the kind of the results is rejected, others get NumPy's elements. Reductions compute
in the common dtype of the array and `out`, as NumPy's do. Universal functions are in test_casting.py."""

import inspect

import numpy as np
import numpys_calls
import pytest
from pycuda import cumath, gpuarray
from pycuda._arrays import numpy_functions
from pycuda.gpuarray import GPUArray, to_gpu

pytestmark = pytest.mark.filterwarnings("ignore")

M = np.array([[1.5, 2.25], [3.75, 0.5]])
OUTS = [np.dtype(code) for code in "?bBhilLefdFD"]
INPUTS = [np.dtype(code) for code in "?Bifd"] + [np.dtype(np.complex128)]

#: NumPy's functions with out=, with arguments of an array of shape (2, 2). The result has shape (2,).
CALLS = {
    **{name: lambda f, x, out: f(x, axis=0, out=out) for name in (
        "sum prod mean std var max min amax amin any all argmax argmin median ptp nansum nanprod nanmean nanstd nanvar nanmax nanmin nanargmax nanargmin").split()},
    **{name: lambda f, x, out: f(x, 50, axis=0, out=out) for name in ("percentile", "quantile")},
    **{name: lambda f, x, out: f(x[0], out=out) for name in ("cumsum", "cumprod", "nancumsum", "nancumprod", "round", "around")},
    "quantile": lambda f, x, out: f(x, 0.5, axis=0, out=out), "dot": lambda f, x, out: f(x, x[0], out=out), "clip": lambda f, x, out: f(x[0], 0, 2, out=out),
    "concatenate": lambda f, x, out: f((x[0, :1], x[1, :1]), out=out), "stack": lambda f, x, out: f((x[0, :1].reshape(()), x[1, :1].reshape(())), out=out),
    "einsum": lambda f, x, out: f("ij->i", x, out=out), "trace": lambda f, x, out: f(x.reshape(2, 1, 2), out=out), "take": lambda f, x, out: f(x[0], give(x, [1, 0]), out=out),
}
CALLS |= {
    **{name: lambda f, x, out: f(x, axis=0, out=out) for name in ("nanmedian",)}, **{name: lambda f, x, out: f(x, 50, axis=0, out=out) for name in ("nanpercentile",)}, "nanquantile": lambda f, x, out: f(x, 0.5, axis=0, out=out),
    **{name: lambda f, x, out: f(x[0], out=out) for name in ("cumulative_sum", "cumulative_prod", "isposinf", "isneginf", "fix")}, "choose": lambda f, x, out: f(give(x, [1, 0]), (x[0], x[1]), out=out),
    "compress": lambda f, x, out: f(give(x, [True, True]), x[0], out=out), "outer": lambda f, x, out: f(x[0, 0], x[1], out=None if out is None else out[None]), "linalg.multi_dot": lambda f, x, out: f((x[:1], x, x), out=None if out is None else out[None]),
    **{f"fft.{name}": lambda f, x, out: f(x[0], out=out) for name in "fft ifft fftn ifftn rfft ihfft irfft hfft rfftn irfftn".split()}, **{f"fft.{name}": lambda f, x, out: f(x[None, 0], out=None if out is None else out[None]) for name in "fft2 ifft2 rfft2 irfft2".split()},
}
#: Their out= is ignored by NumPy 2.4.
IGNORED = {"fft.hfft", "fft.ifft2", "fft.irfft2"}
#: They write to a view of `out`.
VIEWS_OF_OUT = {"outer", "linalg.multi_dot", "fft.fft2", "fft.ifft2", "fft.rfft2", "fft.irfft2"}
#: Methods of arrays with out=.
METHODS = {
    **{name: lambda a, out, name=name: getattr(a, name)(axis=0, out=out) for name in "any all sum prod mean var std min max argmin argmax".split()},
    "clip": lambda a, out: a[0].clip(0, 2, out=out), "round": lambda a, out: a[0].round(out=out), **{name: lambda a, out, name=name: getattr(a[0], name)(out=out) for name in ("conj", "conjugate")},
    "mul_add": lambda a, out: a[0].mul_add(2, a[1], 3, out=out), "choose": lambda a, out: to_gpu(np.array([1, 0])).choose((a[0], a[1]), out=out), "take": lambda a, out: a[0].take([1, 0], out=out),
    "compress": lambda a, out: a[0].compress([True, True], out=out), **{name: lambda a, out, name=name: getattr(a[0], name)(out=out) for name in ("cumsum", "cumprod")}, "trace": lambda a, out: a[:, None].trace(out=out),
}
#: Functions of pycuda.gpuarray with out=, beside those above.
OWN = {
    "where": lambda a, out: gpuarray.where(a[0], a[1], a[0], out=out), "if_positive": lambda a, out: gpuarray.if_positive(a[0].real, a[1], a[0], out=out),
    "minimum": lambda a, out: gpuarray.minimum(a[0], a[1], out=out), "maximum": lambda a, out: gpuarray.maximum(a[0], a[1], out=out),
    "logical_and": lambda a, out: gpuarray.logical_and(a[0], a[1], out=out), "logical_or": lambda a, out: gpuarray.logical_or(a[0], a[1], out=out),
    "logical_not": lambda a, out: gpuarray.logical_not(a[0], out=out), "take": lambda a, out: gpuarray.take(a[0], to_gpu(np.array([1, 0])), out=out),
    "clip": lambda a, out: gpuarray.clip(a[0], 0, 2, out=out), "matmul": lambda a, out: gpuarray.matmul(a, a[0], out=out),
    **{name: lambda a, out, name=name: getattr(gpuarray, name)(a, axis=0, out=out) for name in "any all sum prod mean min max argmin argmax".split()},
    **{name: lambda a, out, name=name: getattr(gpuarray, name)(a[0], out=out) for name in ("cumsum", "cumprod")},
}
#: Functions that write several arrays at once, whose dtypes test_gpuarray.py checks.
OF_LISTS = {"multi_take", "multi_take_put", "multi_put"}


def give(like, values):
    return np.array(values) if isinstance(like, np.ndarray) else to_gpu(np.array(values))


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except (TypeError, ValueError, OverflowError) as error:
        return error


def has_out(function):
    try:
        return "out" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # written in C, without a signature
        return "out=" in (function.__doc__ or "").replace(" ", "").split("\n\n")[0]


def test_every_function_with_out_is_here():
    assert {numpys_calls.name_of(f) for f in numpy_functions.functions if has_out(f) and not isinstance(f, np.ufunc)} <= {*CALLS, *METHODS}
    assert {name for name in dir(GPUArray) if not name.startswith("_") and has_out(getattr(GPUArray, name))} <= {*METHODS}
    ours = {name for name in gpuarray.__all__ if callable(getattr(gpuarray, name)) and not inspect.isclass(getattr(gpuarray, name))} if hasattr(gpuarray, "__all__") else set(OWN)
    assert {name for name in ours if has_out(getattr(gpuarray, name))} - OF_LISTS <= {*OWN, *CALLS}


def loses_kind(result, out):
    return not np.can_cast(result, out, "same_kind")


@pytest.mark.parametrize("name", CALLS)
def test_numpys_functions(name):
    function, call = numpys_calls.function_of(name), CALLS[name]
    if function is None:
        return  # of a newer NumPy
    for dtype in INPUTS:
        x = M.astype(dtype)
        a = to_gpu(x)
        usual = outcome(call, function, a, None)
        for out in OUTS:
            y, b = np.zeros(2, out), gpuarray.zeros(2, out)
            theirs, ours = outcome(call, function, x, y), outcome(call, function, a, b)
            if name in IGNORED and not isinstance(theirs, Exception):
                np.copyto(y, np.ravel(theirs), casting="unsafe")
            if name == "compress" and isinstance(theirs, TypeError):
                theirs = outcome(lambda: np.copyto(y, function([True, True], x[0]), casting="same_kind"))
            if name == "take" and isinstance(theirs, TypeError):  # before 2.5, NumPy asks whether `out` could be converted to the array
                theirs = outcome(lambda: np.copyto(y, function(x[0], [1, 0]), casting="same_kind"))
            message = f"{name} of {dtype} to {out}"
            if isinstance(theirs, Exception) or isinstance(ours, TypeError) and (isinstance(usual, Exception) or loses_kind(usual.dtype, out)):
                assert isinstance(ours, Exception), f"{message}: {ours}, not {theirs!r}"
                assert not b.get().any(), f"{message}: written although it is rejected"
                continue
            assert ours is b or name in VIEWS_OF_OUT and ours.ptr == b.ptr, f"{message}: {ours!r}"
            np.testing.assert_allclose(b.get(), y, rtol=2e-3, err_msg=message)


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    check_ours(METHODS[name], name)


@pytest.mark.parametrize("name", OWN)
def test_functions_of_gpuarray(name):
    check_ours(OWN[name], name)


def check_ours(call, name):
    """Written if no kind is lost, or if it is a reduction, compared with NumPy's above; else rejected."""
    for dtype in INPUTS:
        a = to_gpu(M.astype(dtype))
        usual = outcome(call, a, None)
        for out in OUTS:
            b = gpuarray.zeros(2, out)
            ours = outcome(call, a, b)
            message = f"{name} of {dtype} to {out}"
            assert isinstance(ours, Exception) or ours is b, message
            if isinstance(usual, Exception):
                assert isinstance(ours, Exception), message
            elif usual.dtype == out:
                assert ours is b, f"{message}: {ours!r}"
                np.testing.assert_array_equal(b.get(), usual.get(), err_msg=message)
            elif isinstance(ours, Exception):
                assert not b.get().any(), f"{message}: written although it is rejected"
            elif name in ("sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "cumsum", "cumprod", "trace"):
                continue
            else:
                assert not loses_kind(usual.dtype, out), f"{message}: {ours}, from {usual.dtype}"


def test_reductions_compute_in_the_common_dtype():
    x = np.full((3, 2), 100, np.int8)
    a = to_gpu(x)
    for function in (np.sum, np.cumsum):
        out = gpuarray.zeros((3, 2) if function is np.cumsum else 2, np.int64)
        function(a, axis=0, out=out)
        np.testing.assert_array_equal(out.get(), function(x, axis=0))
    assert a.sum(axis=0, out=gpuarray.zeros(2, np.int32)).tolist() == np.add.reduce(a, out=gpuarray.zeros(2, np.int32)).tolist() == [300, 300]
    with pytest.raises(ValueError):
        a.sum(axis=0, out=gpuarray.zeros(3, np.int64))
    with pytest.raises(TypeError):
        np.sum(a, axis=0, out=np.zeros(2, np.int64))


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_casting_of_division_and_products(casting):
    """Division has the operators' dtypes, which NumPy's own do not tell."""
    for dtype, out in ((np.int32, np.int64), (np.int32, np.int16), (np.float64, np.float32), (np.float64, np.int32), (np.int32, np.int32)):
        x = np.array([[7, -8], [3, 2]], dtype)
        a, b = to_gpu(x), gpuarray.zeros((2, 2), out)
        for function in (np.divide, np.matmul):
            result = outcome(lambda: function(a, a, out=b, casting=casting))
            numpys = outcome(lambda: np.divide(x, x, out=np.zeros((2, 2), out), casting=casting))
            is_own = function is np.matmul or casting == "same_kind"  # else NumPy's dtypes of a division count
            assert (result is b) == (np.can_cast(dtype, out, casting) if is_own else not isinstance(numpys, Exception)), f"{function.__name__} of {np.dtype(dtype)} to {np.dtype(out)}: {result!r}"


def test_functions_of_cumath_take_an_array_of_their_own_dtype():
    a = gpuarray.ones(2, np.float32)
    for name in ("sin", "floor", "fabs"):
        with pytest.raises(TypeError):
            getattr(cumath, name)(a, out=gpuarray.zeros(2, np.float64))
