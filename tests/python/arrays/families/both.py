"""The same call on NumPy's arrays and on arrays on the device: results, dtypes and classes of exceptions are NumPy's."""

import warnings

import numpy as np
from pycuda.gpuarray import GPUArray, to_gpu

#: Arrays with the same elements in other layouts, made by the same steps on the host and on the device.
LAYOUTS = {
    "C": lambda A, x: A(x), "F": lambda A, x: A(np.asfortranarray(x)),
    "strided": lambda A, x: A(np.repeat(x, 2, axis=-1))[..., ::2] if x.ndim else A(x), "reversed": lambda A, x: A(np.ascontiguousarray(x[..., ::-1]))[..., ::-1] if x.ndim else A(x),
}
SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.5, -2.0]


def elements(dtype, shape, special=False, seed=0):
    """Elements of a dtype: small integers, also as floating-point numbers, with the special values if wanted."""
    dtype, rng = np.dtype(dtype), np.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    x = rng.integers(0 if dtype.kind == "u" else -5, 9, shape)
    if dtype.kind in "iu":
        return np.asarray(x).astype(dtype)
    x = x / 4 + (1j * rng.integers(-3, 4, shape) if dtype.kind == "c" else 0)
    x = np.asarray(x).astype(dtype)
    if special and x.size:
        flat = x.reshape(-1)
        flat[:len(SPECIAL)] = np.array(SPECIAL[:flat.size], dtype)
    return x


def outcome(call, convert):
    """The result, or the exception."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return call(convert)
    except Exception as error:  # noqa: BLE001 - its class is compared
        return error


def parts_of(value):
    if isinstance(value, (tuple, list)):
        return [part for each in value for part in parts_of(each)]
    return [value]


def require_same(ours, theirs, message, ulps=8, dtypes=True):
    """Check that results are NumPy's up to rounding errors, relative to the greatest element."""
    if isinstance(theirs, AttributeError) and "numpy" in str(theirs):
        return  # a function or method that this NumPy does not have
    if isinstance(theirs, Exception):
        assert isinstance(ours, Exception), f"{message}: {ours!r}, not {theirs!r}"
        kinds = [kind for kind in (IndexError, ValueError, TypeError, ZeroDivisionError, OverflowError, RuntimeError) if isinstance(theirs, kind)]
        assert isinstance(ours, tuple(kinds)), f"{message}: {ours!r}, not {theirs!r}"
        return
    if isinstance(ours, Exception):
        raise AssertionError(f"{message}: {ours!r}") from ours
    assert len(parts_of(ours)) == len(parts_of(theirs)), message
    for one, other in zip(parts_of(ours), parts_of(theirs)):
        assert not isinstance(one, np.ndarray), f"{message}: a NumPy array"
        if not isinstance(one, GPUArray):
            assert one == other or one != one and other != other, f"{message}: {one!r}, not {other!r}"
            continue
        other = np.asarray(other)
        one = one.get()
        assert one.shape == other.shape, f"{message}: shape {one.shape}, not {other.shape}"
        assert one.dtype == other.dtype or not dtypes, f"{message}: {one.dtype}, not {other.dtype}"
        eps = float(np.finfo(other.dtype).eps) if other.dtype.kind in "fc" else 0
        finite = np.abs(other[np.isfinite(other)]) if other.dtype.kind in "fc" else np.zeros(0)
        np.testing.assert_allclose(one, other, rtol=ulps * eps, atol=ulps * eps * float(finite.max(initial=0)), err_msg=message)


def check(call, message, **options):
    """`call(A)` computes with arrays A(host)."""
    require_same(outcome(call, lambda x: to_gpu(np.asarray(x))), outcome(call, lambda x: np.array(x, order="K")), message, **options)


def check_layouts(call, dtypes, shapes, special=False, **options):
    """`call(A, x)` computes with an array of each dtype, shape and layout."""
    for dtype in dtypes:
        for shape in shapes:
            host = elements(dtype, shape, special)
            for name, layout in LAYOUTS.items():
                check(lambda A: call(A, layout(A, host)), f"{np.dtype(dtype)} {shape} {name}", **options)
