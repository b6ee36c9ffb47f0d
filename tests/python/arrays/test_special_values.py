"""Every universal function of every dtype at the limits of its range, compared with NumPy: NaN, infinities, zeros of both signs, extreme
integers, Python numbers, and outputs that overlap operands. Differences are listed with their reasons."""

import sys

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda._arrays import operations, universal_functions
from pycuda.gpuarray import to_gpu

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

DTYPES = [np.dtype(code) for code in "?bBhHiIlLefdFD"]
UFUNCS = {name: getattr(np, name) for name in sorted(
    {*operations.ufuncs, *universal_functions._PAIRS})}
COMPARISONS = set(universal_functions._COMPARISONS)
#: For complex numbers NumPy's differ from C99's Annex G: test_complex_functions.py.
REAL_ONLY = {"expm1"}
#: Which of two equal zeros they return varies even between NumPy's dtypes.
SIGN_OF_ZERO = {"minimum", "maximum", "fmin", "fmax", "nextafter"}


def specials(dtype):
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array(sorted({info.min, info.min + 1, max(info.min, -1), 0, 1, 2, 3, 7, info.max - 1, info.max}), dtype)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        return np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 0.5, -2.5, 3, float(info.max) / 2, -float(info.max) / 2, info.tiny, info.smallest_subnormal,
                         -info.smallest_subnormal], dtype)
    parts = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -2.5]
    return np.array([complex(x, y) for x in parts for y in parts], dtype)


#: Where Microsoft's C library, and so NumPy, has other complex results of zero, infinity and NaN than the C standard, or a wrong square root.
MICROSOFTS = {"arccosh", "tan", "tanh", "exp", "exp2", "sqrt"} if sys.platform == "win32" else set()


def differs_on_purpose(name, dtype):
    """PyCUDA's integer division and 0 for what NumPy rejects, C's result where NumPy's is unspecified."""
    if name == "frexp" and sys.platform == "win32":
        return True  # C leaves the exponent of infinity and NaN to the library
    return (dtype.kind in "biu" and name in ("divide", "power", "reciprocal") or dtype.kind == "c" and name in REAL_ONLY | MICROSOFTS)


def same(ours, expected, message, signs=True):
    """Check for equality up to rounding errors, where NaN equals NaN."""
    ours, expected = np.asarray(ours), np.asarray(expected)
    assert ours.shape == expected.shape, message
    if expected.dtype.kind not in "fc" and ours.dtype.kind not in "fc":
        np.testing.assert_array_equal(ours, expected, err_msg=message)
        return
    info = np.finfo(expected.dtype if expected.dtype.kind in "fc" else ours.dtype)
    for part in ("real", "imag"):
        one, other = (np.asarray(getattr(values, part)).astype(np.float64) for values in (ours, expected))
        with np.errstate(invalid="ignore"):
            near = abs(one - other) <= 32 * float(info.eps) * abs(other) + 2 * float(info.smallest_subnormal)
        right = (np.isnan(one) & np.isnan(other)) | (one == other) | near
        if signs and expected.dtype.kind == "f":
            right &= (one != 0) | (other != 0) | (np.signbit(one) == np.signbit(other))
        assert right.all(), f"{message}: {part} {one[~right][:5]}, not {other[~right][:5]}"


def check(ours, expected, name, message, types=True):
    several = isinstance(expected, tuple)
    assert isinstance(ours, tuple) == several
    for one, other in zip(ours if several else (ours,), expected if several else (expected,)):
        if types and name not in COMPARISONS:  # which return 0 and 1 in the operands' dtype, as in PyCUDA
            assert one.dtype == other.dtype, f"{message}: {one.dtype}, not {other.dtype}"
        same(one.get(), other, message, name not in SIGN_OF_ZERO)


def numpys(function, *arguments):
    try:
        return function(*arguments)
    except (TypeError, ValueError, OverflowError) as error:
        return error


def finite_powers(name, x, y):
    """Leave out infinite powers: only glibc's cpow multiplies infinities as in C's Annex G."""
    if name == "power" and x.dtype.kind == "c":
        return x[np.isfinite(x)], y[np.isfinite(y)]
    return x, y


@pytest.mark.parametrize("name", [name for name, ufunc in UFUNCS.items() if ufunc.nin == 1])
def test_functions_of_one_array(name):
    ufunc = UFUNCS[name]
    for dtype in DTYPES:
        if differs_on_purpose(name, dtype):
            continue
        x = specials(dtype)
        if name == "reciprocal" and dtype.kind == "c":
            x = x[x != 0]
        expected = numpys(ufunc, x)
        if isinstance(expected, Exception):
            with pytest.raises(TypeError):
                ufunc(to_gpu(x))
            continue
        a = to_gpu(x)
        for host, ours in ((x, a), (x[:0], a[:0]), (x[0, ...], a[0]), (x[::2], a[::2]), (x[::-1], a[::-1])):
            check(ufunc(ours), ufunc(host), name, f"{name} {dtype}")


@pytest.mark.parametrize("name", [name for name, ufunc in UFUNCS.items() if ufunc.nin == 2])
def test_functions_of_two_arrays(name):
    ufunc = UFUNCS[name]
    for dtype in DTYPES:
        if differs_on_purpose(name, dtype):
            continue
        x, y = finite_powers(name, specials(dtype), specials(dtype))
        y = np.array([-1, 0, 1, 3, 40], np.int32) if name == "ldexp" else y
        expected = numpys(ufunc, x[:, None], y)
        if isinstance(expected, Exception):
            with pytest.raises(TypeError):
                ufunc(to_gpu(x)[:, None], to_gpu(y))
            continue
        check(ufunc(to_gpu(x)[:, None], to_gpu(y)), expected, name, f"{name} {dtype}")


NUMBERS = [True, False, 0, 2, -1, 300, 2**40, 1.5, float("nan"), -0.0, 1e300, 0.1, np.float32(2.5), np.int8(-3), np.uint64(2**63), np.bool_(True)]


@pytest.mark.parametrize("name", [name for name, ufunc in UFUNCS.items() if ufunc.nin == 2 and name not in ("power", "ldexp", "divide")])
@pytest.mark.parametrize("dtype", ["?", "b", "B", "i", "L", "e", "f", "d", "F"])
def test_functions_of_an_array_and_a_number(name, dtype):
    ufunc, dtype = UFUNCS[name], np.dtype(dtype)
    x = specials(dtype)
    a = to_gpu(x)
    for number in NUMBERS:
        for ours, theirs in (((a, number), (x, number)), ((number, a), (number, x))):
            expected = numpys(ufunc, *theirs)
            if isinstance(expected, Exception):
                with pytest.raises((TypeError, ValueError, OverflowError)):
                    ufunc(*ours)
            else:
                check(ufunc(*ours), expected, name, f"{name} {dtype} {number!r}")


@pytest.mark.parametrize("name", UFUNCS)
def test_outputs_that_overlap_operands(name):
    """The output is an operand, part of one, or one of two outputs is."""
    ufunc = UFUNCS[name]
    ways = {1: [lambda u, a, b, c: u(a, out=a), lambda u, a, b, c: u(a[1:], out=a[:-1]), lambda u, a, b, c: u(a[::-1], out=a)],
            2: [lambda u, a, b, c: u(a, b, out=a), lambda u, a, b, c: u(a, b, out=b), lambda u, a, b, c: u(a[1:], b[1:], out=a[:-1]),
                lambda u, a, b, c: u(a, b[::-1], out=b)]}[ufunc.nin]
    if ufunc.nout == 2:
        ways = {1: [lambda u, a, b, c: u(a, out=(a, c)), lambda u, a, b, c: u(a, out=(c, a))],
                2: [lambda u, a, b, c: u(a, b, out=(a, c)), lambda u, a, b, c: u(a, b, out=(c, b)), lambda u, a, b, c: u(a, b, out=(a, b))]}[ufunc.nin]
    tried = 0
    for dtype in map(np.dtype, "bidF"):
        x = np.arange(1, 9).astype(dtype)
        y = np.roll(x, 3)
        if name == "ldexp":
            y = y.real.astype(np.int32)
        if differs_on_purpose(name, dtype):
            continue
        for way in ways:
            for c in (np.zeros(8, dtype), np.zeros(8, np.int32)):
                hosts = [x.copy(), y.copy(), c]
                expected = numpys(way, ufunc, *hosts)
                if isinstance(expected, Exception):
                    continue
                tried += 1
                check(way(ufunc, *map(to_gpu, (x, y, c))), expected, name, f"{name} {dtype}", types=False)
    assert tried or name in ("isnan", "isinf", "isfinite", "signbit", "logical_not", "frexp")


def test_outputs_of_frexp_that_overlap_its_operand():
    for dtype in map(np.dtype, "efd"):
        a, exponents = to_gpu(np.array([1.5, 8, -3], dtype)), gpuarray.zeros(3, np.int32)
        np.frexp(a, out=(a, exponents))
        assert a.get().tolist() == [0.75, 0.5, -0.75] and exponents.get().tolist() == [1, 4, 2]


# ---- in another dtype


@pytest.mark.parametrize("name", UFUNCS)
@pytest.mark.parametrize("dtype", ["?", "i", "e", "f", "d", "F"])
def test_functions_with_a_given_dtype(name, dtype):
    """dtype= sets the dtype of results, not the one in which comparisons compare."""
    ufunc = UFUNCS[name]
    for given in map(np.dtype, "?bifF"):
        x = specials(given)
        x = x[np.isfinite(x) & ((abs(x) == 0) | (abs(x.astype(np.complex128)) >= 0.5))]  # NumPy's complex quotients by tiny numbers overflow
        operands = [x, x[::-1].copy()][:ufunc.nin]
        expected = numpys(lambda: ufunc(*operands, dtype=dtype))
        if isinstance(expected, Exception):
            continue
        if "c" in (given.kind, np.dtype(dtype).kind) and name in REAL_ONLY | MICROSOFTS or name in ("power", "reciprocal"):
            continue
        ours = ufunc(*map(to_gpu, operands), dtype=dtype)
        check(ours, expected, name, f"{name} {given} in {dtype}")
        assert not isinstance(expected, np.ndarray) or ours.dtype == expected.dtype


def test_functions_of_two_kinds_of_results():
    i = to_gpu(np.array([1, 2, 3], np.int32))
    assert np.less(i, 2, dtype=bool).get().tolist() == [True, False, False]
    assert np.isnan(to_gpu(np.array([np.nan, 1], np.float32)), dtype=bool).get().tolist() == [True, False]
    lengths = np.absolute(to_gpu(np.array([3 + 4j], np.complex64)), dtype=np.float32)
    assert lengths.dtype == np.float32 and lengths.get().tolist() == [5]
    quotient = np.divide(i, 2, dtype=np.float64)
    assert quotient.dtype == np.float64 and quotient.get().tolist() == [0.5, 1, 1.5]
    with pytest.raises(TypeError):
        np.less(i, 2, dtype=np.float64)


# ---- whole arrays

FUNCTIONS = {
    "sum": lambda m: np.sum(m, dtype=m.dtype), "prod": lambda m: np.prod(m, dtype=m.dtype), "any": np.any, "all": np.all, "min": np.min, "max": np.max,
    "argmin": np.argmin, "argmax": np.argmax, "sort": lambda m: np.sort(m, kind="stable"), "argsort": lambda m: np.argsort(m, kind="stable"),
    "clip": lambda m: np.clip(m, 0, 2), "clip by fractions": lambda m: np.clip(m, 0.5, 2.5), "clip beyond the range": lambda m: np.clip(m, -1, 300),
    "clip by NaN": lambda m: np.clip(m, np.nan, 1.0), "clip above": lambda m: np.clip(m, None, 1.5), "least": np.minimum.reduce, "greatest": np.maximum.reduce,
    "least number": np.fmin.reduce, "greatest number": np.fmax.reduce, "cumsum": lambda m: np.cumsum(m, dtype=m.dtype),
    "equal": lambda m: np.array_equal(m, m), "equal with NaN": lambda m: np.array_equal(m, m, equal_nan=True),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    function = FUNCTIONS[name]
    for dtype in DTYPES:
        if dtype.kind == "c" and name not in ("sum", "prod", "any", "all", "equal", "equal with NaN"):
            continue
        x = specials(dtype)
        if name in ("sum", "prod", "cumsum") and dtype.kind in "fc":
            x = x[:3]  # others overflow or underflow, depending on the order
        for host, ours in ((x, to_gpu(x)), (x[:0], to_gpu(x)[:0]), (x[::-1], to_gpu(x)[::-1]), (x[1:2], to_gpu(x[1:2]))):
            if name.startswith(("least", "greatest")) and not host.size:
                continue  # NumPy leaks the array if ufunc.reduce raises: test_empty_arrays_have_no_extremum uses one without memory
            expected = numpys(function, host)
            if isinstance(expected, Exception):
                with pytest.raises(type(expected)):
                    function(ours)
                continue
            result = function(ours)
            if isinstance(expected, bool):
                assert result is expected, f"{name} {dtype}"
            else:
                assert result.dtype == expected.dtype, f"{name} {dtype}"
                same(result.get(), expected, f"{name} {dtype}", signs=False)


def test_empty_arrays_have_no_extremum():
    for function in (np.min, np.max, np.amin, np.minimum.reduce, np.fmax.reduce, np.argmin):
        with pytest.raises(ValueError):
            function(gpuarray.zeros(0, np.int32))
    assert np.max(gpuarray.zeros((0, 3), np.float32), axis=1).shape == (0,)
    with pytest.raises(ValueError):
        np.max(gpuarray.zeros((0, 3), np.float32), axis=0)


def test_nan_is_the_extremum_in_numpy_and_skipped_in_pycuda():
    a = to_gpu(np.array([3, np.nan, 1], np.float32))
    for numpys_way in (np.min(a), np.max(a), np.minimum.reduce(a), np.maximum.reduce(a)):
        assert np.isnan(numpys_way.get())
    assert float(gpuarray.min(a)) == float(a.min()) == float(np.fmin.reduce(a)) == 1 and float(gpuarray.max(a)) == 3
    assert int(np.argmin(a)) == int(np.argmax(a)) == 1


def test_array_equal_compares_device_arrays_and_lists():
    a = to_gpu(np.array([1, np.nan], np.float32))
    assert np.array_equal(a[:1], a[:1]) and not np.array_equal(a, a) and np.array_equal(a, a, equal_nan=True) and np.array_equal(a[0], 1)
    assert np.array_equal(a[:1], [1]) and not np.array_equal(a, [1, 2])
    for other in (np.array([1, 2], np.float32), None):
        with pytest.raises(TypeError, match="to_gpu"):
            np.array_equal(a, other)


def iter_once(array):
    return next(iter(array))


def test_arrays_without_axes_are_not_iterated():
    a = to_gpu(np.array([[1, 2], [3, 4]], np.float32))
    assert [row.get().tolist() for row in a] == [[1, 2], [3, 4]]
    for iterate in (list, iter_once, lambda b: b[0]):
        with pytest.raises(TypeError, match="0-d"):
            iterate(a.sum())


@pytest.mark.parametrize("numbers", [(0, 5, 0.5), (0.5, 5, 0.5), (5, 0, -0.5), (0, 5, 1.5), (0, 1, 0.3), (7,), (3, 0, -1)])
def test_arange_of_integers(numbers):
    """PyCUDA rounds the step; if that is 0, the numbers are NumPy's."""
    ours = gpuarray.arange(*numbers, dtype=np.int32).get()
    step = int(numbers[2]) if len(numbers) > 2 and int(numbers[2]) else None
    expected = np.arange(numbers[0], numbers[1], step, dtype=np.int32) if step else np.arange(*numbers, dtype=np.int32)
    assert ours.tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=lambda dtype: dtype.__name__)
def test_magnitudes_near_the_greatest_number(dtype):
    """They overflow where the exact magnitude does, not one unit before."""
    greatest = np.finfo(dtype).max
    angles = np.linspace(0, np.pi / 2, 20000)
    z = (greatest * (1 - np.finfo(dtype).eps * 4) * np.exp(1j * angles)).astype(dtype)
    ours = abs(gpuarray.to_gpu(z)).get()
    assert np.isfinite(ours).all()
    np.testing.assert_allclose(ours, greatest, rtol=16 * np.finfo(dtype).eps)
    z = np.array([complex(greatest, greatest), complex(greatest, greatest / 2), complex(np.inf, np.nan), complex(np.nan, -np.inf), complex(np.nan, 1), complex(greatest, 0)], dtype)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(abs(gpuarray.to_gpu(z)).get(), abs(z))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_products_of_infinite_complex_numbers(dtype):
    """The neutral element, with which lanes without elements begin, adds no NaN."""
    for numbers in ([np.inf], [complex(2, np.inf)], [complex(np.inf, 1), complex(2, 1)], [complex(-np.inf, 3)], [-0.0], [complex(np.nan, 1)], [1j] * 5, []):
        host = np.array(numbers, dtype)
        for name in ("prod", "nanprod"):
            reduce = getattr(np, name)
            same(reduce(to_gpu(host)).get(), reduce(host), f"{name} of {numbers}")
            if numbers:
                rows = np.array([host] * 3)
                same(reduce(to_gpu(rows), axis=1).get(), reduce(rows, axis=1), f"{name} of rows of {numbers}")
                same(reduce(to_gpu(rows.T.copy()), axis=0).get(), reduce(rows, axis=1), f"{name} of columns of {numbers}")


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_commonest_powers_are_rounded_once(dtype, rng):
    x = np.concatenate((rng.uniform(0, 100, 1000), [0.0, np.inf, np.nan])).astype(dtype)
    for exponent in (1, 2, 0.5, -1, 1.0):
        np.testing.assert_array_equal((to_gpu(x) ** exponent).get(), x**exponent, err_msg=f"{exponent}")
        np.testing.assert_array_equal((to_gpu(x) ** to_gpu(np.full(x.shape, exponent, dtype))).get(), x**exponent, err_msg=f"array of {exponent}")
    for exponent in (0.5, 1, -1):
        same((to_gpu(-x) ** exponent).get(), np.power(-x, np.full(x.shape, exponent, dtype)), f"{exponent} of negative numbers")


def test_roots_of_infinite_complex_numbers():
    z = np.array([complex(np.inf, 1), complex(1, np.inf), complex(np.inf, 0), 2j, -4])
    same((to_gpu(z) ** 0.5).get(), z**0.5, "z ** 0.5")
