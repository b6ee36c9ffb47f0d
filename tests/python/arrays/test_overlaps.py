"""Outputs that share memory with operands: the results are the same as with copied operands."""

import numpy as np
import pytest
from pycuda import gpuarray

N = 50_000  # several blocks: a single block would read everything before it writes

#: name: (operation on a device array of 0 ... N - 1, the same with NumPy)
CASES = {
    "take from the result": (lambda a, back: gpuarray.take(a, back, out=a), lambda x: x[::-1]),
    "take by the result": (lambda a, back: gpuarray.take(back.copy(), a, out=a), lambda x: x[::-1]),
    "take to a part": (lambda a, back: gpuarray.take(a, back[: N - 1], out=a[1:]), lambda x: np.r_[0, x[:0:-1]]),
    "put from the result": (lambda a, back: gpuarray.multi_put([a], back, out=[a]), lambda x: x[::-1]),
    "put by the result": (lambda a, back: gpuarray.multi_put([back], a, out=[a]), lambda x: x[::-1]),
    "take and put": (lambda a, back: gpuarray.multi_take_put([a], back, a, out=[a]), lambda x: x[::-1]),
    "running sums of what runs back": (lambda a, back: gpuarray.cumsum(a[::-1], out=a), lambda x: np.cumsum(x[::-1])),
    "running sums a place further": (lambda a, back: gpuarray.cumsum(a[:-1], out=a[1:]), lambda x: np.r_[0, np.cumsum(x[:-1])]),
    "running sums in place": (lambda a, back: gpuarray.cumsum(a, out=a), lambda x: np.cumsum(x)),
    "values of a mask": (lambda a, back: a.__setitem__((a % 3 == 0).astype(bool), a[: (N + 2) // 3]),
                         lambda x: np.where(x % 3 == 0, x // 3, x)),
    "a matrix and itself": (lambda a, back: gpuarray.matmul(square(a), square(a), out=square(a)),
                            lambda x: np.r_[(square(x) @ square(x)).ravel(), x[square(x).size:]]),
    "a matrix and itself, turned": (lambda a, back: gpuarray.matmul(square(a).T, square(a)[:, 0], out=a[5:5 + len(square(a))]),
                                    lambda x: np.r_[x[:5], square(x).T @ square(x)[:, 0], x[5 + len(square(x)):]]),
}


def square(a):
    return a[:220 * 220].reshape(220, 220)


@pytest.mark.parametrize("case", CASES)
def test_overlaps(case):
    on_device, expected = CASES[case]
    x = np.arange(N, dtype=np.int64)
    a = gpuarray.to_gpu(x)
    on_device(a, gpuarray.to_gpu(x[::-1].copy()))
    np.testing.assert_array_equal(a.get(), expected(x))


def test_a_mask_indexed_by_itself():
    x = np.arange(N) % 3 == 0
    mask, values = gpuarray.to_gpu(x), x[: x.sum()].copy()
    mask[mask] = mask[: int(x.sum())]
    x[x] = values
    np.testing.assert_array_equal(mask.get(), x)
