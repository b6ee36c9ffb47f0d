"""pycuda.array_api.fft: the results of numpy.fft up to a few rounding errors, for each dtype, length, axis and norm."""

import numpy as np
import pycuda.array_api as xp
import pytest

pytestmark = pytest.mark.usefixtures("module_context")

SINGLE = {"float64": "float32", "complex128": "complex64"}
NORMS = ("backward", "ortho", "forward")
#: Shapes, and the axis to transform: powers of two, primes, products, stacks, and empty arrays.
ROWS = (((1,), 0), ((2,), 0), ((3,), -1), ((8,), 0), ((7,), 0), ((3, 16), 1), ((16, 3), 0), ((2, 5, 12), 1), ((1000,), 0), ((4096,), -1), ((4099,), 0), ((0, 4), 1))
COMPLEX, REAL = ("fft", "ifft", "irfft", "hfft"), ("rfft", "ihfft")


def numbers(kind, precision, shape):
    random = np.random.default_rng([*shape])
    drawn = random.standard_normal(shape)
    return (drawn + 1j * random.standard_normal(shape) if kind == "complex" else drawn).astype({("real", 4): "f4", ("complex", 4): "c8", ("real", 8): "f8", ("complex", 8): "c16"}[kind, precision])


def assert_close(found, expected, precision):
    """Close relative to the norm of all elements: a transform's error is the rounding error times the logarithm of its length."""
    found = found.get()
    if precision == 4 and expected.dtype.name in SINGLE:  # numpy.fft.ihfft returns complex128
        expected = expected.astype(SINGLE[expected.dtype.name])
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert np.linalg.norm(found - expected) <= 10 * np.finfo(expected.dtype).eps * np.linalg.norm(expected)


@pytest.mark.parametrize("precision", (4, 8))
@pytest.mark.parametrize(("shape", "axis"), ROWS, ids=str)
@pytest.mark.parametrize("name", (*COMPLEX, *REAL))
def test_along_an_axis(name, shape, axis, precision):
    a = numbers("complex" if name in COMPLEX else "real", precision, shape)
    for norm in NORMS:
        for n in (None, 1, 5, 8):
            if name in ("irfft", "hfft") and n is None and shape[axis] == 1:
                continue  # no elements
            given = {"n": n, "axis": axis, "norm": norm}
            assert_close(getattr(xp.fft, name)(xp.asarray(a), **given), getattr(np.fft, name)(a, **given), precision)


@pytest.mark.parametrize("precision", (4, 8))
@pytest.mark.parametrize(("shape", "s", "axes"), (((4, 6), None, None), ((3, 4, 5), None, (0, 2)), ((3, 4, 5), (2, 8), (2, 0)), ((3, 4, 5), (-1, 7), (0, 1)), ((6,), None, (0,))),
                         ids=str)
@pytest.mark.parametrize("name", ("fftn", "ifftn", "rfftn", "irfftn"))
def test_over_axes(name, shape, s, axes, precision):
    a = numbers("real" if name == "rfftn" else "complex", precision, shape)
    for norm in NORMS:
        given = {"s": s, "axes": axes, "norm": norm}
        assert_close(getattr(xp.fft, name)(xp.asarray(a), **given), getattr(np.fft, name)(a, **given), precision)


@pytest.mark.parametrize("n", (3, 16, 100, 1021, 65536))
def test_the_inverse_restores_the_elements(n):
    for kind, there, back in (("complex", "fft", "ifft"), ("real", "rfft", "irfft"), ("real", "ihfft", "hfft")):
        a = numbers(kind, 8, (2, n))
        spectrum = getattr(xp.fft, there)(xp.asarray(a))
        assert_close(getattr(xp.fft, back)(spectrum, **({} if back == "ifft" else {"n": n})), a, 8)


def test_real_elements_and_strided_arrays():
    a = numbers("real", 8, (6, 8))
    assert_close(xp.fft.fft(xp.asarray(a)), np.fft.fft(a), 8)
    assert_close(xp.fft.fft(xp.asarray(a)[::2, ::-1].T), np.fft.fft(a[::2, ::-1].T), 8)
    assert_close(xp.fft.irfft(xp.asarray(a)), np.fft.irfft(a), 8)
    assert_close(xp.fft.hfft(xp.asarray(a)), np.fft.hfft(a), 8)


def test_arguments_are_not_overwritten():
    for n in (2, 8, 12):
        a = numbers("complex", 8, (3, n))
        x = xp.asarray(a)
        for name in ("fft", "ifft", "fftn", "irfft", "hfft", "fftshift"):
            result = getattr(xp.fft, name)(x)
            result[...] = 0
        for same in (xp.fft.fft(x, n=1, axis=0), xp.fft.fftshift(x, axes=())):
            same[...] = 0
        assert x.get().tolist() == a.tolist()


def test_frequencies():
    for n in (1, 2, 7, 8):
        for name in ("fftfreq", "rfftfreq"):
            for d in (1.0, 0.25):
                assert getattr(xp.fft, name)(n, d=d).get().tolist() == getattr(np.fft, name)(n, d).tolist()
            assert getattr(xp.fft, name)(n, dtype=xp.float32).dtype == np.float32


@pytest.mark.parametrize("axes", (None, 0, -1, (0, 1), [1], ()), ids=str)
@pytest.mark.parametrize("shape", ((4, 6), (5, 7), (1, 0)), ids=str)
def test_shifts(shape, axes):
    a = numbers("complex", 4, shape)
    for name in ("fftshift", "ifftshift"):
        assert getattr(xp.fft, name)(xp.asarray(a), axes=axes).get().tolist() == getattr(np.fft, name)(a, axes).tolist()


ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
OVER = ("fftn", "ifftn", "rfftn", "irfftn")


@pytest.mark.parametrize("name", (*ONE, *OVER))
def test_refused(name):
    function = getattr(xp.fft, name)
    with pytest.raises(TypeError, match=f"^{name}: .*int64"):
        function(xp.ones(4, dtype=xp.int64))
    with pytest.raises(ValueError, match=f"^{name}: .*'sideways'"):
        function(xp.ones(4), norm="sideways")
    with pytest.raises(ValueError, match=f"^{name}: .*at least 1 element"):
        function(xp.ones((2, 0)))
    with pytest.raises(ValueError, match="axis|axes"):
        function(xp.ones(4), **({"axis": 1} if name in ONE else {"axes": (1,)}))
    with pytest.raises(ValueError, match=f"^{name}: .*at least 1 element"):
        function(xp.ones(4), **({"n": 0} if name in ONE else {"s": (0,), "axes": (0,)}))


@pytest.mark.parametrize("name", ("rfft", "ihfft", "rfftn"))
def test_real_transforms_reject_complex_elements(name):
    with pytest.raises(TypeError, match=f"^{name}: .*complex128"):
        getattr(xp.fft, name)(xp.ones(4, dtype=xp.complex128))


@pytest.mark.parametrize("name", OVER)
def test_axes_and_lengths_must_match(name):
    function = getattr(xp.fft, name)
    with pytest.raises(ValueError, match="axes must be given"):
        function(xp.ones((2, 3)), s=(2, 3))
    with pytest.raises(ValueError, match="one length for each of 2 axes, given 1"):
        function(xp.ones((2, 3)), s=(2,), axes=(0, 1))
    with pytest.raises(ValueError, match="at least one axis"):
        function(xp.ones((2, 3)), axes=())


def test_refused_frequencies():
    for function in (xp.fft.fftfreq, xp.fft.rfftfreq):
        with pytest.raises(ValueError, match="at least 1"):
            function(0)
        with pytest.raises(TypeError, match="complex64"):
            function(4, dtype=xp.complex64)
