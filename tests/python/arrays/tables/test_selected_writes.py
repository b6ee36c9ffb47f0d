"""What an operation does not select keeps its bytes: assignments through masks and indices, where=, at, in place. Every dtype, every kind of
scalar, and elements at the limits of their dtype, whose neighbours no other dtype can tell apart."""

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda.gpuarray import to_gpu

pytestmark = pytest.mark.filterwarnings("ignore")

DTYPES = [np.dtype(code) for code in "?bBhHiIlLefdFD"]
SCALARS = [True, 0, 3, -1, 2**31, 2**63, 1.5, float("nan"), 1e300, 2 + 3j, np.bool_(True),
           *(np.dtype(code).type(number) for code in "bBhHiIlLefdFD" for number in (3, *([np.iinfo(code).max] if code in "bBhHiIlL" else [np.finfo(code).max])))]
MASK = np.array([False, True] * 8)
PLACES = np.array([1, 5, 5, 14])


def limits(dtype):
    """16 elements: those of a float with every kind of bits, those of a bool with bytes that are neither 0 nor 1."""
    rng = np.random.default_rng(7)
    some = rng.integers(0, 256, 16 * dtype.itemsize, np.uint8)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        extremes = np.array([info.min, info.max, info.max - 1, info.max // 3, info.max // 2, info.max // 2 + 1, info.min + 1, 1], dtype)
        return np.concatenate([extremes, some.view(dtype)[:8]])
    if dtype.kind in "fc":  # NaN with payloads, signalling ones too
        bits = np.dtype(f"u{dtype.itemsize if dtype.kind == 'f' else dtype.itemsize // 2}")
        nan = np.array(np.inf, f"f{bits.itemsize}").view(bits) + 1 + np.arange(4, dtype=bits)
        return np.concatenate([nan, some.view(bits)])[:16 if dtype.kind == "f" else 32].view(dtype).copy()
    return some.view(dtype)


WAYS = {
    "mask": lambda a, give, value: a.__setitem__(give(MASK), value),
    "masked rows": lambda a, give, value: a.reshape(8, 2).__setitem__(give(MASK[4:12]), value),
    "half of a mask": lambda a, give, value: a[::2].__setitem__(give(MASK[:8]), value),
    "indices": lambda a, give, value: a.__setitem__(give(PLACES), value),
    "slice": lambda a, give, value: a.__setitem__(slice(3, None, 5), value),
    "element": lambda a, give, value: a.__setitem__(-2, value),
}


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except (TypeError, ValueError, OverflowError) as error:
        return error


def is_defined(value, dtype):
    """Whether C says how the number is converted: others give what the processor gives."""
    if dtype.kind not in "iu" or isinstance(value, (int, np.integer)):
        return True
    info = np.iinfo(dtype)
    return bool(np.isfinite(value)) and info.min <= np.real(value) <= float(info.max) / 2


def undefined_places(function, y, values):
    """Where a step of function.at(y, PLACES, values) converts a number in a way that C does not define."""
    y, found = y.copy(), set()
    with np.errstate(all="ignore"):
        for place, value in zip(PLACES, values):
            result = function(y[place], value)
            if not is_defined(result, y.dtype):
                found.add(place)
            y[place] = np.asarray(result).astype(y.dtype)
    return sorted(found)


def check(name, dtype, ours, theirs, x, y, selected):
    assert isinstance(ours, Exception) == isinstance(theirs, Exception), f"{name} {dtype}: {ours!r}, not {theirs!r}"
    if isinstance(theirs, Exception):
        assert type(ours) is type(theirs) or isinstance(ours, type(theirs)), f"{name} {dtype}: {ours!r}, not {theirs!r}"
        selected = np.zeros(16, bool)
    one, other = (array.view(np.uint8).reshape(16, -1) for array in (x, y))
    changed = (one != other).any(axis=1)
    assert not changed[~selected].any(), f"{name} {dtype}: elements {np.flatnonzero(changed & ~selected)} changed: {x[changed]}, not {y[changed]}"
    np.testing.assert_array_equal(x[selected], y[selected], err_msg=f"{name} {dtype}")


def selected_by(way):
    chosen = np.zeros(16, bool)
    WAYS[way](chosen, np.asarray, True)
    return chosen


@pytest.mark.parametrize("way", WAYS)
def test_assigned_numbers(way):
    for dtype in DTYPES:
        for value in SCALARS if way in ("mask", "slice") else SCALARS[::5]:
            y = limits(dtype)
            a = to_gpu(y)
            theirs = outcome(WAYS[way], y, np.asarray, value)
            ours = outcome(WAYS[way], a, to_gpu, value)
            selected = selected_by(way)
            if isinstance(theirs, OverflowError) and isinstance(value, np.generic):
                theirs, y = None, np.where(selected, a.get(), y)  # NumPy wraps its numbers around in masks, but not in slices
            if not is_defined(value, dtype):
                y[selected] = a.get()[selected]
            check(f"{way} {value!r}", dtype, ours, theirs, a.get(), y, selected)


@pytest.mark.parametrize("way", ["mask", "indices", "slice"])
def test_assigned_arrays(way):
    for number, dtype in enumerate(DTYPES):
        for other in {dtype, *DTYPES[(number + len(way)) % 4::4]}:
            y, values = limits(dtype), np.arange(4, dtype=np.uint8).astype(other)
            values = values[: {"mask": 1, "indices": 4, "slice": 3}[way]]
            if way == "indices":
                values[2] = values[1]  # for the same place: which of them is written is unspecified
            a = to_gpu(y)
            theirs, ours = outcome(WAYS[way], y, np.asarray, values), outcome(WAYS[way], a, to_gpu, to_gpu(values))
            check(f"{way} {other}", dtype, ours, theirs, a.get(), y, selected_by(way))


@pytest.mark.parametrize("name", ["add", "maximum", "floor_divide", "bitwise_or", "less", "sqrt", "isfinite"])
def test_functions_with_a_mask(name):
    function = getattr(np, name)
    for number, dtype in enumerate(DTYPES):
        for out in {dtype, *DTYPES[(number + len(name)) % 4::4]}:
            x, y = np.arange(1, 17).astype(dtype), limits(out)
            a = to_gpu(y)
            theirs = outcome(lambda: function(*[x] * function.nin, out=y, where=MASK, casting="unsafe"))
            ours = outcome(lambda: function(*[to_gpu(x)] * function.nin, out=a, where=to_gpu(MASK), casting="unsafe"))
            check(f"{name} of {dtype} to", out, *(result if isinstance(result, Exception) else None for result in (ours, theirs)), a.get(), y, MASK)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "minimum", "maximum", "fmin", "fmax", "bitwise_and", "bitwise_or", "bitwise_xor", "power"])
def test_repeated_updates(name):
    function = getattr(np, name)
    chosen = np.zeros(16, bool)
    chosen[PLACES] = True
    for number, dtype in enumerate(DTYPES):
        for other in {dtype, *DTYPES[(number + len(name)) % 4::4]}:  # with all functions, each with most others
            y, values = limits(dtype), np.array([1, 3, 2, 1]).astype(other)
            if name in ("fmin", "fmax") and dtype.kind in "fc":
                y[np.isnan(y)] = np.nan  # what C's fmin gives for a signalling NaN is the processor's
            before, a = y.copy(), to_gpu(y)
            theirs = outcome(lambda: function.at(y, PLACES, values))
            ours = outcome(lambda: function.at(a, to_gpu(PLACES), to_gpu(values)))
            if isinstance(ours, TypeError) and not isinstance(theirs, Exception) and not np.can_cast(function.resolve_dtypes((dtype, other, None))[2], dtype, "same_kind"):
                y, theirs = before, ours  # NumPy converts whatever is lost
            elif theirs is None:
                undefined = undefined_places(function, before, values)
                y[undefined] = a.get()[undefined]
            check(f"{name}.at {other}", dtype, ours, theirs, a.get(), y, chosen)


def test_choices_keep_the_bytes_of_what_they_choose():
    for dtype in DTYPES:
        x, y = limits(dtype), limits(dtype)[::-1].copy()
        chosen = gpuarray.where(to_gpu(MASK), to_gpu(x), to_gpu(y)).get()
        np.testing.assert_array_equal(chosen.view(np.uint8), np.where(MASK, x, y).view(np.uint8), err_msg=str(dtype))
        assert gpuarray.where(to_gpu(MASK), to_gpu(x), to_gpu(y)).dtype == dtype


def test_updates_by_elements_of_the_array_itself():
    x = np.arange(5000.0)
    indices = (np.arange(5000) * 7 + 1) % 5000
    a = to_gpu(x)
    np.add.at(a, to_gpu(indices), a)
    np.testing.assert_array_equal(a.get(), x + x[np.argsort(indices)])
    np.add.at(a[::-2], to_gpu(np.array([0, 0, 1])), a[:3])
