"""Arrays as indices: comparisons act as masks whatever their dtype, other integer arrays as indices."""

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda.gpuarray import to_gpu

HOST = np.array([5, -1, 3, 0, 4, 2])
DTYPES = ["b", "i", "l", "f", "d"]
MASKS = {
    "comparison": lambda a: a > 1, "of a number": lambda a: 1 < a, "with an array": lambda a: a != a[::-1], "by NumPy": lambda a: np.less(a, 3),
    "and": lambda a: (a > 0) & (a < 4), "or": lambda a: (a > 3) | (a < 0), "xor": lambda a: (a > 1) ^ (a > 3), "product": lambda a: (a > 0) * (a < 4),
    "copy": lambda a: (a > 1).copy(), "view": lambda a: (a > 1)[:], "reshaped": lambda a: (a > 1).reshape(2, 3).ravel(), "turned": lambda a: (a > 1)[::-1],
    "transposed": lambda a: (a > 1).reshape(2, 3).T.flatten(),
    "joined": lambda a: np.concatenate([a[:3] > 1, a[3:] > 1]), "none": lambda a: a > 99, "negated": lambda a: np.logical_not(a > 1),
    "in place": lambda a: in_place(a > 0, a < 4),
}


def in_place(x, y):
    x &= y
    return x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", MASKS)
def test_comparisons_are_masks(name, dtype):
    x = HOST.astype(dtype)
    a, mask = to_gpu(x), MASKS[name](x)
    np.testing.assert_array_equal(a[MASKS[name](a)].get(), x[mask])
    a[MASKS[name](a)] = 7
    expected = x.copy()
    expected[mask] = 7
    np.testing.assert_array_equal(a.get(), expected)


def test_masks_of_several_axes():
    x = HOST.reshape(2, 3)
    a = to_gpu(x)
    np.testing.assert_array_equal(a[a > 1].get(), x[x > 1])
    a[a % 2 == 0] = -1
    np.testing.assert_array_equal(a.get(), np.where(x % 2 == 0, -1, x))
    with pytest.raises(IndexError, match="does not match"):
        a[to_gpu(HOST) > 1]


@pytest.mark.parametrize("garbled", [lambda a: ~(a > 1), lambda a: (a > 1) + (a < 0), lambda a: ~(a > 1) & (a > 0), lambda a: (~(a > 1))[:]])
def test_former_masks_are_rejected(garbled):
    """Their elements are neither a mask nor indices."""
    a = to_gpu(HOST)
    for use in (lambda: a[garbled(a)], lambda: a.__setitem__(garbled(a), 0)):
        with pytest.raises(IndexError, match="logical_not"):
            use()
    np.testing.assert_array_equal(a.get(), HOST)


@pytest.mark.parametrize("indices", [lambda a: (a > 1) * 2, lambda a: (a > 1) * 2 + (a > 3), lambda a: (a > 1) - 1, lambda a: (a > 1).astype(np.int32),
                                     lambda a: np.cumsum(a > 1), lambda a: to_gpu(np.array([0, 1, 1]))])
def test_numbers_computed_from_comparisons_are_indices(indices):
    a = to_gpu(HOST)
    index = indices(a)
    np.testing.assert_array_equal(a[index].get(), HOST[index.get()])


PLACES = np.array([1, 2, 0, 1, 5, 5])


def assigned(mask, name, value):
    setattr(mask, name, value)
    return mask


@pytest.mark.parametrize("write", [
    lambda mask: mask.set(PLACES), lambda mask: mask.set(to_gpu(PLACES)), lambda mask: np.add(to_gpu(PLACES), 0, out=mask),
    lambda mask: assigned(mask, "gpudata", to_gpu(PLACES).gpudata), lambda mask: mask.__init__(PLACES.shape, PLACES.dtype, gpudata=to_gpu(PLACES).gpudata)],
    ids=["host", "device", "out", "gpudata", "init"])
def test_writing_numbers_to_a_mask_turns_it_into_indices(write):
    a = to_gpu(HOST)
    mask = a > 1
    write(mask)
    np.testing.assert_array_equal(a[mask].get(), HOST[PLACES])


def test_adding_to_a_mask_turns_it_into_indices():
    a = to_gpu(HOST)
    mask = a > 1
    mask += 1
    np.testing.assert_array_equal(a[mask].get(), HOST[(HOST > 1) + 1])


def test_results_that_reuse_the_memory_of_a_mask_are_not_masks():
    a = to_gpu(HOST)
    for _ in range(3):
        del [a > 1][:]
        np.testing.assert_array_equal(a[a * 0 + 1].get(), HOST[np.ones(6, int)])


def test_masks_of_floats_combine_as_numpys():
    """NumPy's commonest idiom, (x > 0) & (x < 4), with comparisons of several dtypes, bool arrays and NaN."""
    x = np.array([5, -1, 3, np.nan, 4, 2])
    for dtype in ("e", "f", "d", "D"):
        y = x.astype(dtype)
        a, whole = to_gpu(y), to_gpu(HOST)
        masks = [(a > 0, y > 0), (a < 4, y < 4), (a != a, y != y), (whole > 1, HOST > 1), (to_gpu(HOST > 2), HOST > 2)]
        for ours, theirs in masks:
            if ours.dtype.kind in "fc":
                np.testing.assert_array_equal(a[~ours].get(), y[~theirs])
            for other, others in masks:
                for combined, expected in ((ours & other, theirs & others), (ours | other, theirs | others), (ours ^ other, theirs ^ others)):
                    np.testing.assert_array_equal(a[combined].get(), y[expected])
        with pytest.raises(TypeError):
            (a > 0) & a
        with pytest.raises(TypeError):
            ~a
