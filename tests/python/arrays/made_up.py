"""Generated operands: dtypes, layouts and shapes, for property tests in Python (test_properties.py) and cases for Java (write_cases.py)."""

import os
from dataclasses import dataclass

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

DTYPES = [np.dtype(t) for t in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.float32, np.float64, np.complex64, np.complex128)]
REAL = [dtype for dtype in DTYPES if dtype.kind != "c"]
INTEGERS = [dtype for dtype in DTYPES if dtype.kind in "iu"]
FLOATS = [np.dtype(np.float32), np.dtype(np.float64)]
BOOL = np.dtype(np.bool_)
RARE = [np.dtype(t) for t in (np.bool_, np.int16, np.uint16, np.uint64, np.float16)]
# Each creates a host array of `shape` inside another, and returns how to slice it out: ours is sliced on the device.
LAYOUTS = {
    "C": lambda shape: (shape, "C", ()),
    "F": lambda shape: (shape, "F", ()),
    "sliced": lambda shape: (tuple(2 * n + 1 for n in shape), "C", tuple(slice(1, None, 2) for _ in shape)),
    "reversed": lambda shape: (shape, "C", tuple(slice(None, None, -1) for _ in shape)),
}
# Every example compiles a kernel for its types and layouts once, so there are few, and the same ones in each run. PYCUDA_TEST_EXAMPLES sets
# another number.
few = settings(deadline=None, max_examples=int(os.environ.get("PYCUDA_TEST_EXAMPLES", 25)), derandomize=True, database=None, suppress_health_check=list(HealthCheck))


@dataclass(frozen=True)
class Operand:
    """An array on the host, and the part of it that is the operand."""

    layout: str
    whole: np.ndarray
    index: tuple

    def cut(self, array):
        """The operand, taken from an array that equals `whole`."""
        return array[self.index] if self.index else array

    @property
    def host(self):
        return self.cut(self.whole)


def elements(dtype, shape, seed, zeros=True):
    """Integers, which are exact in all dtypes, so that results differ only through the operation under test."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0 if dtype.kind in "bu" else -5, 6, shape)
    if dtype.kind == "c":
        values = values + 1j * rng.integers(-5, 6, shape)
    values = np.asarray(values).astype(dtype)
    return values if zeros else np.where(values == 0, dtype.type(1), values)


@st.composite
def broadcast_shapes(draw):
    """Two shapes that broadcast, with axes of length 1, of length 0, and missing ones."""
    full = draw(st.lists(st.sampled_from([0, 1, 2, 3, 5]), max_size=3))

    def one():
        kept = [draw(st.sampled_from([length, length, 1])) for length in full]
        return tuple(kept[draw(st.integers(0, len(kept))):] if draw(st.booleans()) else kept)

    return one(), one()


@st.composite
def operands(draw, shape, dtypes=DTYPES, zeros=True):
    """An operand of this shape."""
    dtype = draw(st.sampled_from(dtypes))
    layout = draw(st.sampled_from(list(LAYOUTS)))
    whole, order, index = LAYOUTS[layout](shape)
    return Operand(layout, np.asarray(elements(dtype, whole, draw(st.integers(0, 99)), zeros), order=order), index)


@st.composite
def shapes(draw, least=0):
    """A shape with at least this number of axes."""
    return tuple(draw(st.lists(st.sampled_from([0, 1, 2, 3, 5]), min_size=least, max_size=3)))


# ---- other arguments of operations


class Axes(tuple):
    """Axes of a reduction or a transposition, or lengths of axes; `keep`: reduced axes are kept with length 1."""

    keep = False


class Index(tuple):
    """Integers, slices, None and Ellipsis."""


def numbers(dtype):
    """Python numbers, which may be out of range for an integer dtype."""
    values = [0, 1, 3, 2.5, -1.5, 2 - 1j]
    if dtype.kind in "iu" and dtype.itemsize < 8:
        values.append(2 ** (8 * dtype.itemsize))
    return st.sampled_from(values)


@st.composite
def pair(draw, **options):
    """Two operands whose shapes broadcast."""
    first, second = draw(broadcast_shapes())
    return draw(operands(first, **options)), draw(operands(second, **options))


@st.composite
def indices(draw, ndim):
    """An index for an array with this number of axes, sometimes with one too many or out of bounds."""
    bounds = st.sampled_from([None, 0, 1, 2, -1, -2, 7, -7])
    part = st.one_of(st.builds(slice, bounds, bounds, st.sampled_from([None, 1, 2, -1, -2])), st.sampled_from([0, 0, 1, -1, 3]), st.none())
    parts = draw(st.lists(part, max_size=ndim + 1))
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), Ellipsis)
    return Index(parts)


def packed(operand):
    """The same elements in C order."""
    return Operand("C", np.ascontiguousarray(operand.host).reshape(operand.host.shape), ())
