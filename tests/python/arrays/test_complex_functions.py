"""Complex numbers. Functions are compared with mpmath: every part within 8 eps, unless NumPy's is not either; special values as in C99's Annex G."""

import itertools

import mpmath
import numpy as np
import pycuda.driver as drv
import pytest
from kernels import COMPILERS
from pycuda import gpuarray
from pycuda.compiler import SourceModule

#: mpmath's functions under C's names.
FUNCTIONS = {name: getattr(mpmath, name) for name in (
    "sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh")}
FUNCTIONS |= {"log10": lambda z: mpmath.log(z) / mpmath.log(10), "log2": lambda z: mpmath.log(z) / mpmath.log(2), "exp2": lambda z: mpmath.power(2, z)}
PRECISIONS = {np.complex64: np.float32, np.complex128: np.float64}

KERNELS = """
#include <pycuda-complex.hpp>
#include <pycuda-complex-inverse.hpp>
#define FUNCTION(name) extern "C" __global__ void name##_all(const Z *z, Z *out, int n) \\
    { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = pycuda::name(z[i]); }
"""


def numpys(name):
    return getattr(np, f"arc{name[1:]}" if name[0] == "a" else name)


@pytest.fixture(scope="module", params=itertools.product(PRECISIONS, COMPILERS), ids=lambda p: f"{p[0].__name__}-{p[1]}")
def compute(request):
    """compute(name, numbers): the function's values on the device, in code from this compiler."""
    dtype, backend = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYCUDA_COMPILER", backend)
        real = "float" if dtype == np.complex64 else "double"
        source = "".join((f"typedef pycuda::complex<{real}> Z;\n", *(f"FUNCTION({name})\n" for name in FUNCTIONS)))
        module = SourceModule(KERNELS + source, no_extern_c=True, options=["-fmad=false"])  # as kernels of arrays

    def run(name, z):
        a = gpuarray.to_gpu(np.asarray(z, dtype))
        out = gpuarray.zeros_like(a)
        module.get_function(f"{name}_all")(a, out, np.int32(a.size), grid=(8, 1), block=(128, 1, 1))
        return out.get()

    run.dtype, run.backend = np.dtype(dtype), backend
    return run


def magnitudes(real):
    info = np.finfo(real)
    small, large = (-37, 37) if real == np.float32 else (-300, 300)
    return np.array([0, info.smallest_subnormal, 3 * float(info.tiny), *np.logspace(small, large, 7), 0.01, 0.5, 1 - 3 * info.eps, 1, 1 + 5 * info.eps, 1.3, 3,
                     21, 25, 88.8, 89, 150, *((709.5, 711, 1400) if real == np.float64 else ()), info.max / 3, 0.9 * float(info.max)], real)


def points(dtype):
    """All combinations, in all four quadrants in turn, near branch points, and near |z| = 1."""
    real = PRECISIONS[dtype.type]
    grid = [complex(x, y) for x, y in itertools.product(magnitudes(real), repeat=2)]
    signs = itertools.cycle([(1, 1), (-1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1), (-1, -1)])
    z = [complex(s * v.real, t * v.imag) for v, (s, t) in zip(grid, signs) if v != 0]
    rng = np.random.default_rng(1)
    for centre, k in itertools.product((1, -1, 1j, -1j, 0.6 + 0.8j), range(1, 8 if real == np.float32 else 17, 2)):
        for step in (1, -1, 1j, -1j, complex(*rng.standard_normal(2))):
            z.append(centre + step * 10.0**-k)
    z += list(np.exp(1j * rng.uniform(0, 7, 30))) + list(3 * rng.standard_normal(60) + 3j * rng.standard_normal(60))
    return np.array(z, dtype)


#: Bits of precision to represent 1 plus the square of the smallest number.
BITS = {np.complex64: 400, np.complex128: 2400}


def exact(value):
    """Convert to an mpmath number; a zero becomes a tiny number with its sign, for functions with a branch cut there."""
    return mpmath.mpf(float(value)) if value else mpmath.ldexp(-1 if np.signbit(value) else 1, 70 - mpmath.mp.prec)


def error(value, right, info):
    """The error in eps; subnormal numbers have fewer digits."""
    value = float(value)
    largest = float(info.max) * (1 + float(info.eps) / 4)
    if not np.isfinite(value):
        overflows = abs(right) > largest * (1 - 8 * float(info.eps))
        return 0 if overflows and np.isinf(value) and (value > 0) == (right > 0) else np.inf
    if abs(right) > largest:
        return (float(info.max) - abs(value)) / (float(info.max) * float(info.eps))
    return float(abs(value - right) / max(abs(right) * float(info.eps), 1.5 * float(info.smallest_subnormal)))


def wrong_parts(z, ours, expected, function, dtype):
    """(number, ours, NumPy's, by how much) where a part is off by more than 8 eps, and by more than twice what NumPy's is."""
    info = np.finfo(dtype)
    with mpmath.workprec(BITS[dtype.type]):
        for number, value, other in zip(z, ours, expected):
            right = function(mpmath.mpc(exact(number.real), exact(number.imag)))
            for part in ("real", "imag"):
                off = error(getattr(value, part), getattr(right, part), info)
                if off > 8 and off > 2 * error(getattr(other, part), getattr(right, part), info):
                    yield complex(number), complex(value), complex(other), f"{part} off by {off:.3g} eps"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_part(name, compute):
    z = points(compute.dtype)
    if compute.backend != "nvrtc":  # fuses other products with sums, which changes a rounding
        z = z[::7]
    ours = compute(name, z)
    assert not list(wrong_parts(z, ours, numpys(name)(z), FUNCTIONS[name], compute.dtype))
    if compute.backend == "nvrtc":
        of_arrays = numpys(name)(gpuarray.to_gpu(z)).get()
        if drv.driver_info().is_cpu_device:
            np.testing.assert_array_equal(of_arrays, ours, err_msg="arrays compute something else")
        else:  # other products may be fused with sums
            assert not list(wrong_parts(z, of_arrays, numpys(name)(z), FUNCTIONS[name], compute.dtype))


def special_values(name, z):
    """NumPy's results; its expm1 multiplies infinity by 0 beside NaN and infinity, where its exponential follows Annex G."""
    return numpys(name)(z) if name != "expm1" else np.where(np.isfinite(z), np.expm1(z), np.exp(z) - 1)


UNSPECIFIED_SIGNS = {("sinh", "real"), ("sin", "imag")}  # infinities combined with NaN


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(name, compute):
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 0.5, -2]
    z = np.array([complex(x, y) for x, y in itertools.product(values, values)], compute.dtype)
    for number, ours, right in zip(z, compute(name, z), special_values(name, z)):
        for part in ("real", "imag"):
            value, wanted = getattr(ours, part), getattr(right, part)
            if np.isnan(right.real + right.imag) and ((name, part) in UNSPECIFIED_SIGNS or wanted == 0):
                value, wanted = abs(value), abs(wanted)
            np.testing.assert_allclose(value, wanted, rtol=1e-6, err_msg=f"{name}{number}: {part}")
            if not np.isnan(number) or wanted != 0:
                assert np.isnan(wanted) or np.signbit(value) == np.signbit(wanted), (name, number, part, ours, right)


# ---- of two numbers


@pytest.mark.parametrize("dtype", PRECISIONS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("operation", ["multiply", "divide", "power"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_pairs(operation, dtype):
    """The formulas are NumPy's: where parts cancel, both are equally inaccurate."""
    rng = np.random.default_rng(2)
    x, y = (np.array([complex(*(10.0**rng.uniform(-12, 12, 2) * rng.choice([-1, 1], 2))) for _ in range(300)], dtype) for _ in range(2))
    if operation == "power":
        x, y = x[:100] / abs(x[:100]) * 1.5, np.resize(np.array([0, 1, 2, 3, -1, -2, 7, 0.5, 2.5 - 1j, 1j, -0.25 + 2j], dtype), 100)
    ufunc, info = getattr(np, operation), np.finfo(dtype)
    ours, expected = ufunc(gpuarray.to_gpu(x), gpuarray.to_gpu(y)).get(), ufunc(x, y)
    with mpmath.workprec(400):
        for a, b, value, other in zip(x, y, ours, expected):
            a, b = mpmath.mpc(complex(a)), mpmath.mpc(complex(b))
            right = {"multiply": lambda: a * b, "divide": lambda: a / b, "power": lambda: a ** b}[operation]()
            for part in ("real", "imag"):
                off = error(getattr(value, part), getattr(right, part), info)
                cancelled = float(abs(right) / max(abs(getattr(right, part)), mpmath.mpf(float(info.tiny))))
                assert off <= max(8, 8 * cancelled), (operation, complex(a), complex(b), value, other, right)


@pytest.mark.parametrize("dtype", PRECISIONS, ids=lambda t: t.__name__)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_powers_and_quotients_of_zero(dtype):
    exponents = np.array([-1, 1j, np.nan, -1 + 1j, 1 + 1j, 0.5, -0.5, 2, 0, -1j, complex(np.inf, 0), 1], dtype)
    zeros = np.zeros_like(exponents)
    a, e = gpuarray.to_gpu(zeros), gpuarray.to_gpu(exponents)
    np.testing.assert_array_equal((a ** e).get(), zeros ** exponents)
    for exponent in exponents:
        np.testing.assert_array_equal((a ** complex(exponent)).get(), zeros ** dtype(exponent))
    np.testing.assert_array_equal((e / a).get(), exponents / zeros)
    numbers = np.array([1 + 2j, 0, 1, 1j, -1 - 1j], dtype)
    divisors = np.array([0, 0, 0, 0, 2], np.int32)
    np.testing.assert_array_equal((gpuarray.to_gpu(numbers) / gpuarray.to_gpu(divisors)).get(), (numbers / divisors).astype(dtype))


@pytest.mark.parametrize("dtype", PRECISIONS, ids=lambda t: t.__name__)
def test_real_arrays_have_no_imaginary_part(dtype):
    """As in PyCUDA, infinity is never multiplied by an implicit zero."""
    z = gpuarray.to_gpu(np.array([complex(np.inf, 1), complex(2, -np.inf), 1 - 2j], dtype))
    x = gpuarray.to_gpu(np.array([2, -1, -0.0], PRECISIONS[dtype]))
    assert (z * x).get().tolist() == (x * z).get().tolist() == [complex(np.inf, 2), complex(-2, np.inf), 0j]
    assert (z / x).get().tolist() == [complex(np.inf, 0.5), complex(-2, np.inf), complex(-np.inf, np.inf)]
    assert (z + x).get().tolist() == [complex(np.inf, 1), complex(1, -np.inf), 1 - 2j]


@pytest.mark.parametrize("dtype", PRECISIONS, ids=lambda t: t.__name__)
def test_absolute_values(dtype):
    z = points(np.dtype(dtype))
    z = np.concatenate((z, np.array([complex(np.inf, np.nan), complex(np.nan, -np.inf), complex(np.nan, 1)], dtype)))
    with np.errstate(over="ignore"):
        expected = abs(z)
    np.testing.assert_allclose(abs(gpuarray.to_gpu(z)).get(), expected, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", PRECISIONS, ids=lambda t: t.__name__)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_directions_and_whole_numbers(dtype):
    parts = np.array([3, -4, 0, -0.0, 2.5, -0.5, 1e-20, -1e20, np.inf, -np.inf, np.nan], PRECISIONS[dtype])
    z = np.array([complex(x, y) for x, y in itertools.product(parts, parts)], dtype)
    a = gpuarray.to_gpu(z)
    np.testing.assert_array_equal(np.rint(a).get(), np.rint(z))
    np.testing.assert_array_equal(np.round(a).get(), np.round(z))
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":  # before, the sign of a complex number was that of its real part
        np.testing.assert_allclose(np.sign(a).get(), np.sign(z), rtol=4 * np.finfo(dtype).eps)


# ---- NumPy's order: by real parts, then by imaginary ones, and those with NaN last


def pairs_of_parts(dtype):
    """Every pair of these parts, twice; in rows; and no elements."""
    parts = (1.0, -np.inf, 2.0, 0.0, np.nan, -1.5, -0.0, np.inf)
    pairs = np.array([complex(*pair) for pair in itertools.product(parts, parts)], dtype)
    return [np.concatenate((pairs[::-1], pairs)), pairs.reshape(8, 8).T, pairs[:0]]


@pytest.mark.parametrize("dtype", PRECISIONS, ids=lambda t: t.__name__)
def test_order(dtype):
    for x in pairs_of_parts(dtype):
        a = gpuarray.to_gpu(x)
        for axis in range(x.ndim):
            np.testing.assert_array_equal(np.argsort(a, axis).get(), np.argsort(x, axis, kind="stable"))
            np.testing.assert_array_equal(np.sort(a, axis).get(), np.sort(x, axis, kind="stable"))
        np.testing.assert_array_equal(gpuarray.unique(a).get(), np.unique(x))


@pytest.mark.parametrize("dtype", PRECISIONS, ids=lambda t: t.__name__)
def test_membership(dtype):
    for x in pairs_of_parts(dtype):
        for others in (x[:3], x[:0], np.array([1 + 2j, 5]), np.array([2.0, np.nan]), np.array([1, 0])):
            for invert in (False, True):
                ours = np.isin(gpuarray.to_gpu(x), gpuarray.to_gpu(others), invert=invert).get()
                np.testing.assert_array_equal(ours, np.isin(x, others, invert=invert))
