"""What the tests of fused functions share: a comparison bit for bit."""

from conftest import sample
from pycuda import gpuarray

N = 1000


def same(function, *arguments):
    """The fused function returns what the function returns, bit for bit, in arrays of the same dtypes, shapes and strides."""
    expected = function(*arguments)
    fused = gpuarray.fuse(function)
    for _ in range(2):  # traced, and found again
        check(fused(*arguments), expected)


def check(got, expected):
    assert type(got) is type(expected)
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            check(one, other)
        return
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if got.size:  # where steps are taken
        assert all(length == 1 or one == other for length, one, other in zip(got.shape, got.strides, expected.strides)), (got.strides, expected.strides)
    ours, theirs = got.get(), expected.get()
    assert ours.tobytes() == theirs.tobytes(), (ours[ours != theirs], theirs[ours != theirs])


def arrays(rng, *dtypes, shape=N):
    return [gpuarray.to_gpu(sample(rng, shape, dtype)) for dtype in dtypes]


