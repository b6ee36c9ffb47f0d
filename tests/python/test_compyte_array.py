"""pycuda.compyte.array: strides and contiguity."""

import numpy as np
import pytest
from pycuda.compyte import array

ARRAYS = [np.zeros((3, 4, 5)), np.zeros((3, 4, 5), order="F"), np.zeros((3, 4, 5))[:, ::2], np.zeros((3, 1, 5))[:, ::-1], np.zeros(()),
          np.zeros((3, 0, 2)), np.zeros((1, 4)).T, np.zeros(6)[::-1]]


@pytest.mark.parametrize("ary", ARRAYS, ids=lambda a: f"{a.shape}-{a.strides}")
def test_flags_match_numpy(ary):
    flags = array.ArrayFlags(ary)
    assert (flags.c_contiguous, flags.f_contiguous, flags.forc) == (ary.flags.c_contiguous, ary.flags.f_contiguous, ary.flags.forc)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4)])
def test_packed_strides(shape):
    assert array.c_contiguous_strides(8, shape) == np.empty(shape).strides
    assert array.f_contiguous_strides(8, shape) == np.empty(shape, order="F").strides


def test_common_dtype():
    f4, i4, f8 = np.zeros(2, np.float32), np.zeros(2, np.int32), np.zeros((), np.float64)
    assert array.get_common_dtype(f4, i4, True) == np.float64
    assert array.get_common_dtype(f4, i4, False) == np.float32
    assert array.get_common_dtype(f4, 2, True) == np.float32
    assert array.get_common_dtype(f4, f8, True) == np.float64
    assert array.get_common_dtype(f4, 1j, True) == np.complex64
    assert array.get_truedivide_dtype(i4, i4, True) == np.float64
