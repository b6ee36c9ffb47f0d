"""Operators of arrays compared with NumPy's, over dtypes, layouts and shapes."""

import operator

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda.gpuarray import GPUArray

from conftest import close, sample

DTYPES = [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.float16, np.float32, np.float64, np.complex64, np.complex128]
ARITHMETIC = [operator.add, operator.sub, operator.mul]
SHAPES = [((4, 5), (4, 5)), ((4, 5), (5,)), ((4, 1), (1, 5)), ((), (3,)), ((3, 1, 2), (4, 1)), ((0, 3), (1, 3)), ((2000,), (2000,))]


@pytest.mark.parametrize("x", DTYPES, ids=lambda t: t.__name__)
@pytest.mark.parametrize("y", [np.int32, np.float32, np.float64, np.complex64], ids=lambda t: t.__name__)
def test_dtypes(x, y, rng):
    """One operation for each pair of dtypes, in turn: all operations have the same rule for the result's dtype."""
    op = ARITHMETIC[(DTYPES.index(x) + np.dtype(y).num) % len(ARITHMETIC)]
    a, b = sample(rng, 50, x), sample(rng, 50, y)
    ours = op(gpuarray.to_gpu(a), gpuarray.to_gpu(b))
    expected = op(a, b)
    assert ours.dtype == expected.dtype
    close(ours, expected)


@pytest.mark.parametrize("op", ARITHMETIC)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: t.__name__)
def test_arithmetic_of_each_dtype(op, dtype, rng):
    a, b = sample(rng, 50, dtype), sample(rng, 50, dtype)
    with np.errstate(over="ignore"):
        close(op(gpuarray.to_gpu(a), gpuarray.to_gpu(b)), op(a, b))


@pytest.mark.parametrize("op", [*ARITHMETIC, operator.truediv])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_broadcasting(op, shapes, rng):
    a, b = (sample(rng, shape, np.float32) + 3 for shape in shapes)
    close(op(gpuarray.to_gpu(a), gpuarray.to_gpu(b)), op(a, b))


def layouts(host):
    return {"C": host, "F": np.asfortranarray(host), "transposed": host.transpose(2, 0, 1).copy().transpose(1, 2, 0), "strided": host,
            "reversed": host}


@pytest.mark.parametrize("first", ["C", "F", "transposed", "strided", "reversed"])
@pytest.mark.parametrize("second", ["C", "F", "transposed", "strided", "reversed"])
def test_layouts(first, second, rng):
    def make(name):
        host = sample(rng, (4, 6, 8), np.float32)
        index = {"strided": np.s_[::2, 1::2, ::4], "reversed": np.s_[1::-1, ::-2, 1::-1]}.get(name, np.s_[:2, :3, :2])
        return gpuarray.to_gpu(layouts(host)[name])[index], host[index]

    (a, x), (b, y) = make(first), make(second)
    close(a + b, x + y)
    close(a * 3, x * 3)
    close(1 / b, 1 / y)
    close(abs(a), abs(x))
    a -= b
    close(a, x - y)


def test_same_shape_other_order(rng):
    x, y = sample(rng, (3, 4), np.float32), sample(rng, (3, 4), np.float32)
    for _ in range(2):
        close(gpuarray.to_gpu(x) + gpuarray.to_gpu(np.asfortranarray(y)), x + y)
        close(gpuarray.to_gpu(np.asfortranarray(x)) + gpuarray.to_gpu(np.asfortranarray(y)), x + y)


def test_mismatched_shapes():
    with pytest.raises(ValueError, match="broadcast"):
        gpuarray.zeros((3, 4), np.float32) + gpuarray.zeros((3,), np.float32)
    a = gpuarray.zeros((3,), np.float32)
    with pytest.raises(ValueError):
        a += gpuarray.zeros((2, 3), np.float32)


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64, np.complex64, np.int8], ids=lambda t: t.__name__)
@pytest.mark.parametrize("scalar", [0, 1, 3, -2, 2.5, 1j, np.float32(1.5), np.float64(1.5), np.int8(3), np.array(2.0), True], ids=repr)
def test_scalars(dtype, scalar, rng):
    x = sample(rng, 40, dtype)
    a = gpuarray.to_gpu(x)
    with np.errstate(all="ignore"):
        for _ in range(2):
            for op in ARITHMETIC:
                for ours, expected in ((op(a, scalar), op(x, scalar)), (op(scalar, a), op(scalar, x))):
                    assert isinstance(ours, GPUArray) and ours.dtype == expected.dtype, (op, ours.dtype, expected.dtype)
                    close(ours, expected)


def test_integers_beyond_the_dtype():
    with pytest.raises((OverflowError, ValueError)):
        gpuarray.zeros(3, np.uint8) + 300
    close(gpuarray.zeros(3, np.uint64) + (2**64 - 1), np.full(3, 2**64 - 1, np.uint64))


def test_integers_beyond_64_bits():
    """They become floating-point numbers with floating-point arrays, are compared by value, and are rejected by integer arrays."""
    x, y = np.array([1, 2], np.float32), np.array([1, 2])
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    close(a * 2**70, x * 2**70)
    close(2**70 - a, 2**70 - x)
    close(a < 2**70, x < 2**70)
    close(b > -2**70, y > -2**70)
    a[0] = -2**70
    assert a[0].get() == -2.0**70 and a.fill(2**70)[1].get() == 2.0**70
    for compute in (lambda: b + 2**70, lambda: b.fill(2**70), lambda: b.__setitem__(0, 2**70), lambda: b.__iadd__(2**70)):
        with pytest.raises(OverflowError):
            compute()


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_integer_division_follows_c(dtype):
    x = np.array([7, 8, 100], dtype)
    a = gpuarray.to_gpu(x)
    assert (a / a).dtype == dtype and (a / gpuarray.to_gpu(np.array([2, 3, 7], dtype))).get().tolist() == [3, 2, 14]
    assert (a / 2).get().tolist() == [3, 4, 50]
    assert (100 / a).get().tolist() == [14, 12, 1]
    close(a / 2.0, x / 2.0)
    if dtype != np.uint8:
        assert (gpuarray.to_gpu(np.array([-7], dtype)) / 2).get().tolist() == [-3]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128, np.float16])
def test_division(dtype, rng):
    x, y = sample(rng, 30, dtype), sample(rng, 30, dtype) + dtype(3)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    close(a / b, x / y)
    close(a / 3, x / dtype(3))
    close(2 / b, dtype(2) / y)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32, np.float64])
def test_floor_division_and_remainder(dtype, rng):
    x, y = sample(rng, 60, dtype), sample(rng, 60, dtype)
    y[y == 0] = 3
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    close(a // b, x // y)
    close(a % b, x % y)
    close(a // 7, x // 7)
    close(100 % b, 100 % y)


def test_bits(rng):
    x, y = sample(rng, 40, np.int32), sample(rng, 40, np.int32)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    for op in (operator.and_, operator.or_, operator.xor):
        close(op(a, b), op(x, y))
        close(op(a, 12), op(x, 12))
    close(a << 3, x << 3)
    close(a >> 2, x >> 2)
    close(~a, ~x)
    mask = gpuarray.to_gpu(x > 0)
    close(mask & gpuarray.to_gpu(y > 0), (x > 0) & (y > 0))
    close(~mask, ~(x > 0))
    with pytest.raises(TypeError):
        gpuarray.zeros(3, np.float32) & 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_power(dtype, rng):
    x, y = abs(sample(rng, 30, dtype)) + dtype(0.5), sample(rng, 30, dtype)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    for ours, expected in ((a ** b, x ** y), (a ** 2, x ** 2), (a ** 0.5, x ** dtype(0.5)), (2 ** b, dtype(2) ** y)):
        np.testing.assert_allclose(ours.get(), expected, rtol=1e-5 if dtype == np.float32 else 1e-12)
    a **= 2
    close(a, x ** 2)


@pytest.mark.parametrize("op, in_place", [(operator.add, operator.iadd), (operator.sub, operator.isub), (operator.mul, operator.imul),
                                          (operator.truediv, operator.itruediv)])
def test_in_place(op, in_place, rng):
    x, y = sample(rng, (4, 5), np.float32), sample(rng, (4, 5), np.float32) + 3
    for value in (y, y[0], 2, 2.5, y.astype(np.float64), y.astype(np.int32)):
        for _ in range(2):
            a = gpuarray.to_gpu(x)
            address = a.ptr
            result = in_place(a, gpuarray.to_gpu(value) if isinstance(value, np.ndarray) else value)
            assert result is a and a.ptr == address and a.dtype == np.float32
            close(a, op(x, value).astype(np.float32))
    view = (a := gpuarray.to_gpu(x))[1:, ::2]
    view += 1
    expected = x.copy()
    expected[1:, ::2] += 1
    close(a, expected)


def test_in_place_with_an_overlapping_view():
    a, x = gpuarray.to_gpu(np.arange(1000, dtype=np.float32)), np.arange(1000, dtype=np.float32)
    first, rest = a[:-1], a[1:]
    rest += first
    x[1:] = x[1:] + x[:-1].copy()
    close(a, x)


def test_signs(rng):
    for dtype in (np.int32, np.float32, np.complex64):
        x = sample(rng, 20, dtype)
        a = gpuarray.to_gpu(x)
        close(-a, -x)
        close(abs(a), abs(x))
        assert +a is not a
        close(+a, x)
    assert abs(gpuarray.zeros(2, np.complex128)).dtype == np.float64


@pytest.mark.parametrize("op", [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge])
def test_comparisons(op, rng):
    x, y = sample(rng, (5, 6), np.int32), sample(rng, (5, 6), np.float32).round()
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    assert op(a, b).dtype == np.float64 and op(a, 3).dtype == np.int32 and op(a, a).dtype == np.int32
    close(op(a, b), op(x, y))
    close(op(a, 3), op(x, 3))
    close(op(2, a), op(2, x))
    close(op(a, b[0]), op(x, y[0]))


def test_bools():
    """Subtraction is not defined; // % << >> are computed in int8, as in NumPy."""
    x, y = np.array([True, False, True]), np.array([True, True, True])
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    for op in (operator.floordiv, operator.mod, operator.lshift, operator.rshift):
        assert op(a, b).dtype == op(x, y).dtype
        close(op(a, b), op(x, y))
    for compute in (lambda: a - b, lambda: a - True, lambda: True - a, lambda: -a):
        with pytest.raises(TypeError):
            compute()


def test_foreign_operands():
    a = gpuarray.zeros(3, np.float32)
    assert (a == None) is False and (a != "x") is True  # noqa: E711
    for op in (operator.lt, operator.add, operator.mul, operator.truediv, operator.pow):
        with pytest.raises(TypeError):
            op(a, "x")
        with pytest.raises(TypeError):
            op(None, a)
    with pytest.raises(TypeError):
        a + np.zeros(3, np.float32)
    with pytest.raises(TypeError):
        np.zeros(3, np.float32) + a

    class Other:
        def __radd__(self, other):
            return "theirs"

    assert a + Other() == "theirs"


def test_numpy_scalars_from_the_left(rng):
    x = sample(rng, 10, np.float32)
    a = gpuarray.to_gpu(x)
    for scalar in (np.float32(2), np.float64(2), np.int32(2)):
        ours = scalar * a
        assert isinstance(ours, GPUArray) and ours.dtype == (scalar * x).dtype
        close(ours, scalar * x)


def test_mul_add(rng):
    x, y = sample(rng, 20, np.float32), sample(rng, 20, np.float64)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    close(a.mul_add(2, b, 3), 2 * x + 3 * y)
    out = gpuarray.empty_like(b)
    assert a.mul_add(2, b, 3, out=out) is out
    close(out, 2 * x + 3 * y)
    timed = []
    a.mul_add(1, a, 1, add_timer=lambda count, time: timed.append((count, time())))
    assert timed[0][0] == 60 and timed[0][1] >= 0


def test_complex_parts(rng):
    z = sample(rng, (4, 3), np.complex64)
    a = gpuarray.to_gpu(z)
    assert a.real.dtype == np.float32
    close(a.real, z.real)
    close(a.T.imag, z.T.imag)
    close(a.conj(), z.conj())
    assert a.conj(out=a) is a
    close(a, z.conj())
    for given, wanted in ((np.complex64, np.complex128), (np.complex128, np.complex64)):  # PyCUDA converts
        out = gpuarray.empty(z.shape, wanted)
        assert gpuarray.to_gpu(z.astype(given)).conj(out=out) is out
        close(out, z.conj().astype(wanted))
    real = gpuarray.to_gpu(z.real.copy())
    with pytest.raises(TypeError):
        a.conj(out=real)
    assert real.real is real and real.conj() is real
    close(real.imag, np.zeros((4, 3)))


def test_scalar_results_of_views():
    a = gpuarray.to_gpu(np.arange(12, dtype=np.float32).reshape(3, 4))
    assert (a[1, 2] + 1).get() == 7 and (a[1, 2] * a).get()[2, 3] == 66


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8], ids=lambda dtype: dtype.__name__)
def test_integers_to_negative_powers_are_refused(dtype):
    a = gpuarray.to_gpu(np.array([1, 2], dtype))
    for _ in range(2):  # also after the kernel is known
        close(a ** 2, np.array([1, 4], dtype))
        for compute in (lambda: a ** -1, lambda: np.power(a, -2), lambda: a ** np.int8(-1), lambda: a.__ipow__(-1)):
            with pytest.raises((ValueError, OverflowError), match="negative integer powers|out of bounds"):
                compute()
    close(a ** -1.0, np.array([1, 0.5]))
    assert a.get().tolist() == [1, 2]


@pytest.mark.parametrize("op", ["add", "subtract", "multiply", "floor_divide", "remainder", "bitwise_xor", "left_shift", "power", "maximum", "logical_and"])
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int16, np.float32], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("wider", [np.int8, np.int32, np.float64, np.complex128], ids=lambda dtype: dtype.__name__)
def test_the_dtype_of_out_does_not_choose_the_loop(op, dtype, wider):
    """Results overflow, or are bool, as in the operands' dtype, before they are converted."""
    x, y = np.array([1, 1, 0, 100, 120]).astype(dtype), np.array([1, 1, 1, 100, 2]).astype(dtype)
    expected, ours = np.zeros(5, wider), gpuarray.zeros(5, wider)
    with np.errstate(all="ignore"):
        try:
            getattr(np, op)(x, y, out=expected)
        except TypeError:
            with pytest.raises(TypeError):
                getattr(np, op)(gpuarray.to_gpu(x), gpuarray.to_gpu(y), out=ours)
            return
    getattr(np, op)(gpuarray.to_gpu(x), gpuarray.to_gpu(y), out=ours)
    np.testing.assert_array_equal(ours.get(), expected)
