"""Parameters as NumPy takes them: orders and kinds in other spellings, tuples as indices, keywords of methods, signatures of universal functions."""

import both
import numpy as np
import pytest
from pycuda import gpuarray

X = np.arange(6.0).reshape(2, 3)


def test_orders_may_be_none():
    both.check(lambda A: A(X).ravel(order=None), "ravel")
    both.check(lambda A: A(X).T.flatten(order=None), "flatten")
    both.check(lambda A: A(X).reshape((3, 2), order=None), "reshape")
    for order in (None, "C", "F", "K"):
        both.check(lambda A, order=order: np.copy(A(X).T, order=order).flags.f_contiguous, f"copy {order}")
        both.check(lambda A, order=order: A(X).T.astype(np.float32, order=order).flags.f_contiguous, f"astype {order}")


@pytest.mark.parametrize("kind", ["m", "quick", "Heapsort", "s", "nonsense", "", None, 3])
def test_kinds_of_sorts(kind):
    both.check(lambda A: np.sort(A(X), kind=kind), "sort")
    both.check(lambda A: np.argsort(A(X), kind=kind), "argsort")


def test_refused_sorters_and_kinds():
    both.check(lambda A: np.searchsorted(A(X[0]), 1.0, sorter=[1.5, 0, 2]), "a sorter that is not of integers")
    for sorter in ([5, 6, 7], [-1, -2, -3], [0, 1], [2, 1, 0]):
        both.check(lambda A, sorter=sorter: np.searchsorted(A(X[0, ::-1]), 1.0, sorter=sorter), f"{sorter}")
    both.check(lambda A: np.partition(A(X), 1, kind=1), "a kind that is no text")


def test_tuples_as_indices():
    for index in ((slice(None), (0,)), ((0, 1), (1, 2)), (slice(None), ()), (1, (True, False, True)), ((0, 5),)):
        both.check(lambda A, index=index: A(X)[index], f"{index}")

        def changed(A, index=index):
            array = A(X)
            array[index] = 7
            return array

        both.check(changed, f"assignment to {index}")


@pytest.mark.parametrize(("choice", "dtype"), [(1, np.uint8), (-1, np.int16), (1.0, np.float32), (1j, np.float32), (np.int16(3), np.uint8), (True, np.uint8)])
def test_choices_that_are_numbers(choice, dtype):
    both.check(lambda A: np.choose(A(np.array([0, 1])), (choice, A(np.array([1, 2], dtype)))), f"{choice} and {np.dtype(dtype)}")


def test_choices_as_arguments():
    number, one, other = np.array([0, 1, 1]), np.array([1, 2, 3]), np.array([4, 5, 6])
    both.check(lambda A: A(number).choose(A(one), A(other)), "several")
    both.check(lambda A: A(number).choose([A(one), A(other)], mode="clip"), "a list")
    both.check(lambda A: A(number).choose(), "none")


def test_bounds_and_means():
    for keywords in ({"min": 2}, {"max": 3}, {"min": [1, 2, 3], "max": 4}, {"min": 5, "max": 1}):
        both.check(lambda A, keywords=keywords: A(X).clip(**keywords), f"clip {keywords}")
    with pytest.raises(ValueError, match="a_min and a_max"):
        gpuarray.to_gpu(X).clip(1, min=2)
    for name in ("std", "var"):
        both.check(lambda A, name=name: getattr(A(X), name)(axis=1, mean=A(X).mean(axis=1, keepdims=True)), name)
    both.check(lambda A: A(X).cumsum(axis=1, out=A(np.zeros((2, 3)))), "cumsum into out")


def test_reshape_with_copy():
    x = gpuarray.to_gpu(X)
    copy = x[:, ::2].reshape(4, copy=True)
    assert copy.tolist() == [0, 2, 3, 5]
    copy[0] = 9
    assert x.tolist() == X.tolist()
    view = x.reshape(6, copy=False)
    view[0] = 9
    assert x[0, 0].item() == 9


def test_arrays_without_axes_are_not_iterated():
    with pytest.raises(TypeError, match="0-d"):
        list(gpuarray.to_gpu(np.array(1.0)))
    assert [row.tolist() for row in gpuarray.to_gpu(X)] == X.tolist()


def test_divmod_leaves_other_operands_their_turn():
    class Other:
        def __rfloordiv__(self, other):
            return "wrong"

        def __rdivmod__(self, other):
            return "right"

    assert divmod(gpuarray.to_gpu(X), Other()) == "right"
    with pytest.raises(TypeError):
        divmod(gpuarray.to_gpu(X), "text")
    for other in (2, 2.5, [1, 2, 4]):
        both.check(lambda A, other=other: divmod(A(X), other), f"{other}")
        both.check(lambda A, other=other: divmod(other, A(X + 1)), f"{other}, reflected")


@pytest.mark.parametrize(("signature", "casting"), [("ii->i", "unsafe"), ("ii->i", "same_kind"), ("dd->d", "same_kind"), ((None, None, np.float32), "same_kind"), ((None,) * 3, "same_kind"),
                                                    ("d", "same_kind"), ("l", "unsafe"), ("dd->i", "unsafe"), ("nonsense", "unsafe")])
def test_signatures(signature, casting):
    for x in (X, X.astype(np.int32), X.astype(np.float32)):
        for ufunc in (np.add, np.multiply, np.maximum, *([np.divide] if x.dtype.kind == "f" else [])):  # a division of integers is PyCUDA's
            both.check(lambda A, x=x, ufunc=ufunc: ufunc(A(x), A(x), signature=signature, casting=casting), f"{ufunc.__name__} {x.dtype}")
            both.check(lambda A, x=x, ufunc=ufunc: ufunc(A(x), 0.5, sig=signature, casting=casting), f"{ufunc.__name__} {x.dtype}, number", dtypes=True)


def test_axes_of_products_of_vectors():
    ones = np.ones((2, 3))
    for keywords in ({"axes": [0, 0, 0], "keepdims": True}, {"axes": [0, 0], "keepdims": True}, {"axes": [-1, -1, (-1,)]}, {"axes": [(-1,), (-2, -1), ()]}, {"axes": [0, 0]}, {"axes": [0]},
                     {"axis": 0, "keepdims": True}):
        both.check(lambda A, keywords=keywords: np.vecdot(A(ones), A(ones), **keywords), f"{keywords}")


def test_protocols_refuse_what_is_no_universal_function():
    with pytest.raises(TypeError, match="universal function"):
        gpuarray.to_gpu(X).__array_ufunc__(1, 2)


@pytest.mark.parametrize("axis", [None, 0, -1, 1, (), (0,)])
def test_axes_of_arrays_without_axes(axis):
    for name in ("squeeze", "argsort", "sort"):
        both.check(lambda A, name=name: getattr(np, name)(A(np.array(5.0)), axis=axis), f"{name}, axis {axis}")


def test_bins_with_nan():
    nan = np.nan
    x = np.array([-1.0, 0.5, 2.0, nan])
    for bins in ([0, 1, nan], [nan, 1, 0], [nan, nan], [1, 1, nan], [nan], [0, 0], [2, 2, 1]):
        for right in (False, True):
            both.check(lambda A, bins=bins, right=right: np.digitize(A(x), A(np.array(bins, np.float64)), right), f"{bins}, right {right}")


def test_results_of_products_have_a_place():
    def written(product, shape, dtype=np.float64, of=(X, X.T)):
        def call(A):
            out = A(np.zeros(shape, dtype))
            product(*(A(np.ascontiguousarray(each)) for each in of), out=out)
            return out

        return call

    for shape in ((2, 2), (3, 2, 2), (1, 2, 2), (2,), (2, 3), (3, 2)):
        both.check(written(np.matmul, shape), f"matmul into {shape}")
        both.check(written(np.dot, shape), f"dot into {shape}")
    for shape in ((), (4,), (2, 1)):
        both.check(written(np.matmul, shape, of=(X[0], X[1])), f"matmul of vectors into {shape}")
    for shape in ((2, 2, 2), (4, 2, 2)):
        both.check(written(np.matmul, shape, of=(X[None], X.T)), f"matmul of a stack into {shape}")
    for dtype in (np.float32, np.complex128, np.int64):
        both.check(written(np.dot, (2, 2), dtype), f"dot into {np.dtype(dtype)}")
