"""Operators take lists and tuples of numbers, as NumPy's do."""

import operator

import both
import numpy as np
import pytest
from pycuda import gpuarray

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

OPERATORS = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.pow, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift,
             operator.matmul, divmod]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.ifloordiv, operator.imod, operator.iand, operator.ior, operator.ixor]
LISTS = [[1, 2], (3, 1), [[1, 2], [3, 1]], [1], [], [1.5, 2], [True, False], [1, 2, 3], [[1], [2, 3]], ["a", "b"], [None, 1]]


@pytest.mark.parametrize("of", OPERATORS, ids=lambda of: of.__name__)
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int32, np.float32, np.complex64])
def test_operators(of, dtype):
    x = np.array([3, 1], dtype)
    for values in LISTS:
        both.check(lambda A, values=values: of(A(x), values), f"array, {values}")
        both.check(lambda A, values=values: of(values, A(x)), f"{values}, array")


@pytest.mark.parametrize("of", COMPARISONS, ids=lambda of: of.__name__)
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int32, np.float32])
def test_comparisons(of, dtype):
    x = np.array([1, 3], dtype)
    for values in ([1, 2], (1, 3), [[1, 2], [3, 3]], [1], [1.5, 2], [2**62, 2]):
        both.check(lambda A, values=values: of(A(x), values).astype(np.bool_), f"array, {values}")
        both.check(lambda A, values=values: of(values, A(x)).astype(np.bool_), f"{values}, array")
    both.check(lambda A: A(x)[of(A(x), [1, 2])], "as a mask")
    with pytest.raises(ValueError):
        of(gpuarray.to_gpu(x), [1, 2, 3])


@pytest.mark.parametrize("of", IN_PLACE, ids=lambda of: of.__name__)
def test_in_place(of):
    for values in ([1, 2], (3, 1), [2]):
        both.check(lambda A, values=values: of(A(np.array([7, 5])), values), f"{values}")
    x = gpuarray.to_gpu(np.array([7, 5]))
    assert of(x, [1, 2]) is x
    with pytest.raises(ValueError):
        of(x, [[1, 2], [3, 4]])


def test_arrays_in_lists():
    both.check(lambda A: A(np.array([1, 3])) + [A(np.array(1)), A(np.array(2))], "arrays without axes")
    both.check(lambda A: [[1, 2] in A(np.array([[1, 2], [3, 4]]))], "in")
    assert (gpuarray.to_gpu(np.array([1, 2])) == None) is False  # noqa: E711 - as in PyCUDA


def test_results_are_of_the_arrays_class():
    class Sub(gpuarray.GPUArray):
        pass

    x = Sub((2,), np.int32)
    x.fill(1)
    assert type(x + [1, 2]) is Sub and (x + [1, 2]).tolist() == [2, 3]


def test_memory_may_go_while_a_list_is_read():
    """Code of the program runs while numbers are read: it may free the array, or change its form."""
    x = gpuarray.zeros(4, np.int32)

    class Number:
        def __index__(self):
            return 1

        def __array__(self, dtype=None, copy=None):
            x.gpudata.free()
            return np.array(1)

    with pytest.raises(Exception):  # noqa: B017 - LogicError, or NumPy's for such objects; never a launch on freed memory
        x + [Number(), Number(), Number(), Number()]
