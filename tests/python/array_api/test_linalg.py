"""pycuda.array_api.linalg: the results of numpy.linalg, and factors whose product is the matrix, for each dtype and shape."""

import math

import numpy as np
import pycuda.array_api as xp
import pytest

pytestmark = pytest.mark.usefixtures("module_context")

DTYPES = ("float32", "float64", "complex64", "complex128")
SQUARE = ((1, 1), (2, 2), (3, 3), (5, 5), (33, 33), (2, 3, 4, 4), (0, 3, 3), (2, 0, 0))
ANY = ((1, 1), (5, 3), (3, 5), (1, 4), (4, 1), (2, 7, 4), (2, 4, 7), (35, 33), (33, 35), (0, 3, 2), (2, 0, 3), (2, 3, 0))
ORDERS = ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)


def numbers(dtype, *shape, seed=0):
    random = np.random.default_rng([seed, *shape])
    drawn = random.standard_normal(shape)
    return (drawn + 1j * random.standard_normal(shape) if dtype.startswith("complex") else drawn).astype(dtype)


def well_conditioned(dtype, *shape):
    """Square matrices whose inverses are not large."""
    return 2 * np.eye(shape[-1], dtype=dtype) + numbers(dtype, *shape) / (2 * math.isqrt(shape[-1]) + 1)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def definite(dtype, *shape):
    a = numbers(dtype, *shape)
    return a @ adjoint(a) + shape[-1] * np.eye(shape[-1], dtype=dtype)


def assert_close(found, expected, factor=50):
    """Equal up to `factor` rounding errors of the largest element, with the same shape and dtype."""
    found, expected = found.get() if isinstance(found, xp.Array) else found, np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if expected.size:
        tolerance = factor * np.finfo(expected.dtype).eps if expected.dtype.kind in "fc" else 0
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())


def both(name, *arrays, **given):
    """The results of our function and of NumPy's function of a name, for the same arrays."""
    on_device = [xp.asarray(array) if isinstance(array, np.ndarray) else array for array in arrays]
    return getattr(xp.linalg, name)(*on_device, **given), getattr(np.linalg, name)(*arrays, **given)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARE, ids=str)
def test_square_matrices(shape, dtype):
    a, b = well_conditioned(dtype, *shape), numbers(dtype, *shape[:-1], 3)
    for name, *rest in (("det",), ("inv",), ("solve", b), ("solve", numbers(dtype, shape[-1])), ("matrix_power", 0), ("matrix_power", 1), ("matrix_power", 5),
                        ("matrix_power", -2)):
        assert_close(*both(name, a, *rest))
    for ours, numpys in zip(*both("slogdet", a)):
        assert_close(ours, numpys)
    assert_close(*both("cholesky", definite(dtype, *shape)))
    assert_close(*both("cholesky", definite(dtype, *shape), upper=True))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARE, ids=str)
def test_eigenvalues_of_hermitian_matrices(shape, dtype):
    a = numbers(dtype, *shape)
    a = a + adjoint(a)
    assert_close(*both("eigvalsh", a), factor=30)
    values, vectors = both("eigh", a)[0]
    assert_close(values, np.linalg.eigvalsh(a), factor=30)
    vectors = vectors.get()
    assert_close(a @ vectors, vectors * values.get()[..., None, :], factor=60)
    assert_close(adjoint(vectors) @ vectors, np.broadcast_to(np.eye(shape[-1], dtype=dtype), shape), factor=20)


def assert_same_numbers(found, expected, tolerance):
    """Equal in any order: each number is matched with the nearest remaining one."""
    for ours, numpys in zip(found.reshape(-1, found.shape[-1]), expected.reshape(-1, expected.shape[-1])):
        left = list(ours)
        for number in numpys:
            nearest = min(left, key=lambda each: abs(each - number))
            assert abs(nearest - number) <= tolerance
            left.remove(nearest)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARE, ids=str)
def test_eigenvalues_of_any_square_matrices(shape, dtype):
    a = numbers(dtype, *shape)
    (values, vectors), alone = xp.linalg.eig(xp.asarray(a)), xp.linalg.eigvals(xp.asarray(a))
    values, vectors, alone = values.get(), vectors.get(), alone.get()
    assert values.dtype == vectors.dtype == alone.dtype == np.result_type(a.dtype, np.complex64)
    assert (values.shape, vectors.shape, alone.shape) == (shape[:-1], shape, shape[:-1])
    if a.size:
        rounding = np.finfo(dtype).eps * np.abs(a).max() * shape[-1]
        np.testing.assert_allclose(a @ vectors, vectors * values[..., None, :], rtol=0, atol=50 * rounding)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=-2), 1, rtol=10 * np.finfo(dtype).eps)
        assert np.linalg.cond(vectors).max() < 1e3
        for each in (values, alone):
            assert_same_numbers(each, np.linalg.eigvals(a), 500 * rounding)


EIGENVALUES = {
    "a permutation, on whose eigenvalues shifts may cycle": (np.roll(np.eye(5), 1, axis=0), np.exp(2j * np.pi * np.arange(5) / 5), 1e-14),
    "a rotation": ([[0.0, -2.0], [2.0, 0.0]], [2j, -2j], 1e-15),
    "one that is triangular": ([[1.0, 5.0, 7.0], [0.0, 2.0, 9.0], [0.0, 0.0, 3.0]], [1, 2, 3], 1e-14),
    "one without as many eigenvectors": (2 * np.eye(4) + np.eye(4, k=1), [2, 2, 2, 2], 1e-3),
    "zeros": (np.zeros((3, 3)), [0, 0, 0], 0),
    "large elements": ([[1e300, 1e300], [1e300, -1e300]], [2**0.5 * 1e300, -(2**0.5) * 1e300], 1e286),
    "small elements": ([[1e-300, 1e-300], [1e-300, -1e-300]], [2**0.5 * 1e-300, -(2**0.5) * 1e-300], 1e-314),
}


@pytest.mark.parametrize("name", EIGENVALUES)
def test_eigenvalues_of(name):
    matrix, expected, tolerance = EIGENVALUES[name]
    values, vectors = xp.linalg.eig(xp.asarray(np.array(matrix)))
    assert_same_numbers(values.get(), np.array(expected), tolerance)
    np.testing.assert_allclose(np.linalg.norm(vectors.get(), axis=0), 1, rtol=1e-14)


def test_eigenvalues_use_the_lower_triangle():
    a = numbers("complex128", 4, 4)
    assert_close(*both("eigvalsh", a))
    assert_close(*both("cholesky", a + 20 * np.eye(4)))


@pytest.mark.parametrize("is_of_rank_1", (False, True))
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", ANY, ids=str)
def test_singular_values(shape, dtype, is_of_rank_1):
    a = numbers(dtype, *shape[:-1], 1) @ numbers(dtype, *shape[:-2], 1, shape[-1]) if is_of_rank_1 else numbers(dtype, *shape)
    k = min(shape[-2:])
    assert_close(*both("svdvals", a), factor=20)
    for full_matrices in (False, True):
        found, expected = both("svd", a, full_matrices=full_matrices)
        assert [each.shape for each in found] == [each.shape for each in expected]
        assert_close(found.S, expected.S, factor=20)
        u, s, vh = (each.get() for each in found)
        assert_close((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, factor=30)
        for rows in (adjoint(u), vh):
            assert_close(rows @ adjoint(rows), np.broadcast_to(np.eye(rows.shape[-2], dtype=dtype), (*shape[:-2], *(rows.shape[-2],) * 2)), factor=30)
    assert_close(*both("pinv", a, rtol=1e-3), factor=2000)
    if k:
        assert_close(*both("matrix_rank", a))
        for order in ORDERS:
            for keepdims in (False, True):
                found, expected = both("matrix_norm", a, ord=order, keepdims=keepdims)
                assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
                np.testing.assert_allclose(found.get(), expected, rtol=0, atol=100 * np.finfo(expected.dtype).eps * max(1, np.abs(a).sum()))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", ANY, ids=str)
def test_qr(shape, dtype):
    a = numbers(dtype, *shape)
    for mode in ("reduced", "complete"):
        found, expected = both("qr", a, mode=mode)
        assert_close(found.R, expected.R, factor=100)
        assert_close(found.Q, expected.Q, factor=100)
        assert_close(found.Q.get() @ found.R.get(), a)


def test_the_smallest_singular_values_and_the_largest_elements():
    """No squares overflow or underflow; singular values are accurate relative to their own size, in a matrix with scaled columns."""
    for scale in (1e-300, 1e300):
        a = numbers("float64", 4, 3) * scale
        for name in ("svdvals", "svd", "qr"):
            found, expected = both(name, a)
            for ours, numpys in zip([found] if name == "svdvals" else found, [expected] if name == "svdvals" else expected):
                if name != "svd" or ours.ndim == 1:
                    np.testing.assert_allclose(ours.get(), numpys, rtol=1e-13, atol=scale * 1e-13 if name == "qr" else 0)
        hermitian = a[:3] + a[:3].T
        np.testing.assert_allclose(*(each.get() if isinstance(each, xp.Array) else each for each in both("eigvalsh", hermitian)), rtol=1e-13)
    assert_close(*both("svdvals", np.diag([1e-12, 1.0, 1e-6])), factor=4)


# name: calls with a namespace's linalg and an array maker of (seed, *shape)
CALLS = {
    "cross": (lambda la, a: la.cross(a(0, 4, 3), a(1, 4, 3)), lambda la, a: la.cross(a(0, 3, 4), a(1, 3, 4), axis=-2)),
    "diagonal": tuple(lambda la, a, k=k, shape=shape: la.diagonal(a(0, *shape), offset=k) for k in (-5, -2, 0, 1, 3, 9) for shape in ((3, 4), (2, 4, 3), (2, 0, 3))),
    "trace": tuple(lambda la, a, k=k: la.trace(a(0, 2, 3, 4), offset=k) for k in (-2, 0, 1, 9)),
    "outer": (lambda la, a: la.outer(a(0, 3), a(1, 4)), lambda la, a: la.outer(a(0, 0), a(1, 4))),
    "matmul": (lambda la, a: la.matmul(a(0, 2, 3, 4), a(1, 4, 2)),),
    "tensordot": (lambda la, a: la.tensordot(a(0, 3, 4), a(1, 4, 2), axes=1),),
    "vecdot": (lambda la, a: la.vecdot(a(0, 3, 4), a(1, 3, 4)),),
    "matrix_transpose": (lambda la, a: la.matrix_transpose(a(0, 2, 3, 4)),),
    "vector_norm": tuple(
        lambda la, a, order=order, given=given: la.vector_norm(a(0, 3, 4), ord=order, **given)
        for order in (2, 1, 0, -1, -2, 3, 0.5, math.inf, -math.inf) for given in ({}, {"axis": 1}, {"axis": (0, 1), "keepdims": True})),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_without_decompositions(name, dtype):
    for call in CALLS[name]:
        assert_close(call(xp.linalg, lambda seed, *shape: xp.asarray(numbers(dtype, *shape, seed=seed))),
                     call(np.linalg, lambda seed, *shape: numbers(dtype, *shape, seed=seed)))


def test_vectors_of_several_shapes():
    a, b = numbers("float64", 5, 1, 3), numbers("float64", 4, 3, seed=1)
    assert_close(xp.linalg.cross(xp.asarray(a), xp.asarray(b)), np.cross(a, b))
    assert_close(xp.linalg.trace(xp.asarray([[200, 1], [1, 100]], dtype=xp.uint8)), np.uint64(300))


def test_a_diagonal_is_a_view():
    a = xp.zeros((3, 3))
    xp.linalg.diagonal(a)[...] = 2
    assert a.get().tolist() == (2 * np.eye(3)).tolist()


def test_arguments_are_not_overwritten_and_may_have_gaps():
    a = definite("float64", 4, 4)
    x = xp.asarray(np.repeat(np.repeat(a, 2, 0), 3, 1))[::2, ::3]
    for name in ("det", "inv", "cholesky", "svdvals", "eigvalsh"):
        assert_close(getattr(xp.linalg, name)(x), getattr(np.linalg, name)(a), factor=200)
        assert_close(getattr(xp.linalg, name)(xp.asarray(a).T), getattr(np.linalg, name)(a.T), factor=200)
    for name in ("qr", "svd", "eigh", "slogdet", "pinv"):
        whole = xp.asarray(a)
        getattr(xp.linalg, name)(whole)
        assert whole.get().tolist() == a.tolist()
    power = xp.linalg.matrix_power(whole, 1)
    power[...] = 0
    assert whole.get().tolist() == a.tolist()


def test_solve_broadcasts_and_promotes():
    a, b = well_conditioned("float32", 2, 1, 3, 3), numbers("complex128", 4, 3, 40)
    assert_close(*both("solve", a, b))


def test_tolerances_of_ranks():
    a = np.stack([np.diag([1.0, 0.5, 0.01]), np.diag([2.0, 2.0, 0.5])])
    x = xp.asarray(a)
    assert xp.linalg.matrix_rank(x, rtol=0.1).get().tolist() == [2, 3]
    assert xp.linalg.matrix_rank(x, rtol=xp.asarray([0.6, 0.3])).get().tolist() == [1, 2]
    assert_close(xp.linalg.pinv(x, rtol=xp.asarray([0.6, 0.3])), np.linalg.pinv(a, rtol=np.asarray([0.6, 0.3])))
    assert xp.linalg.matrix_rank(xp.zeros((2, 3, 3))).get().tolist() == [0, 0]
    assert xp.linalg.pinv(xp.zeros((2, 3))).get().tolist() == np.zeros((3, 2)).tolist()


def test_singular_matrices():
    singular = np.array([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]])
    x = xp.asarray(singular)
    assert xp.linalg.det(x).get().tolist() == [0, 1]
    sign, logarithm = xp.linalg.slogdet(x)
    assert (sign.get().tolist(), logarithm.get().tolist()) == ([0, 1], [-math.inf, 0])
    for call in (lambda: xp.linalg.inv(x), lambda: xp.linalg.solve(x, xp.ones(2)), lambda: xp.linalg.matrix_power(x, -1)):
        with pytest.raises(xp.linalg.LinAlgError, match="1 of 2 matrices are singular"):
            call()
    with pytest.raises(np.linalg.LinAlgError, match="the matrix is singular"):
        xp.linalg.inv(x[0])


@pytest.mark.parametrize("matrix", ([[1.0, 2.0], [2.0, 1.0]], [[0.0]], [[-1.0]], [[math.nan]]), ids=str)
def test_matrices_that_are_not_positive_definite(matrix):
    with pytest.raises(xp.linalg.LinAlgError, match="not positive definite"):
        xp.linalg.cholesky(xp.asarray(matrix))


@pytest.mark.parametrize("value", (math.nan, math.inf))
@pytest.mark.parametrize("dtype", DTYPES)
def test_nan_and_infinity_terminate(value, dtype):
    a = well_conditioned(dtype, 3, 3)
    a[1, 0] = value
    x = xp.asarray(a)
    for name in ("det", "slogdet", "inv", "svd", "svdvals", "qr", "eigh", "eigvalsh", "pinv", "matrix_rank"):
        getattr(xp.linalg, name)(x)
    for name in ("eig", "eigvals"):
        with pytest.raises(xp.linalg.LinAlgError, match=f"^{name}: "):
            getattr(xp.linalg, name)(x)
    assert np.isnan(xp.linalg.svdvals(x).get()).all()
    assert np.isnan(xp.linalg.eigvalsh(x).get()).all()


OF_MATRICES = ("cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matrix_norm", "matrix_rank", "pinv", "qr", "slogdet", "svd", "svdvals")


@pytest.mark.parametrize("name", OF_MATRICES)
def test_refused(name):
    function = getattr(xp.linalg, name)
    with pytest.raises(TypeError, match=f"^{name}: .*int64"):
        function(xp.ones((2, 2), dtype=xp.int64))
    with pytest.raises(ValueError, match=f"^{name}: .*last two axes"):
        function(xp.ones(2))
    if name in ("cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "slogdet"):
        with pytest.raises(ValueError, match=f"^{name}: .*square"):
            function(xp.ones((2, 3)))


REFUSED = {
    "solve of other lengths": (ValueError, "right-hand sides", lambda la: la.solve(xp.eye(3), xp.ones((2, 2)))),
    "solve of a number": (ValueError, "last two axes", lambda la: la.solve(xp.eye(3), xp.asarray(1.0))),
    "solve of integers": (TypeError, "int64", lambda la: la.solve(xp.eye(3), xp.ones(3, dtype=xp.int64))),
    "power of a number that is none": (TypeError, "integer", lambda la: la.matrix_power(xp.eye(3), 0.5)),
    "mode of qr": (ValueError, "'raw'", lambda la: la.qr(xp.eye(3), mode="raw")),
    "norm of matrices": (ValueError, "'3'|3", lambda la: la.matrix_norm(xp.eye(3), ord=3)),
    "norm of integers": (TypeError, "int64", lambda la: la.vector_norm(xp.ones(3, dtype=xp.int64))),
    "cross of two": (ValueError, "3 elements", lambda la: la.cross(xp.ones(2), xp.ones(2))),
    "cross along a positive axis": (ValueError, "axis", lambda la: la.cross(xp.ones((3, 3)), xp.ones((3, 3)), axis=1)),
    "cross of bool": (TypeError, "bool", lambda la: la.cross(xp.ones(3, dtype=xp.bool), xp.ones(3, dtype=xp.bool))),
    "outer of matrices": (ValueError, "vectors", lambda la: la.outer(xp.eye(2), xp.ones(2))),
    "outer of bool": (TypeError, "bool", lambda la: la.outer(xp.ones(2, dtype=xp.bool), xp.ones(2))),
    "diagonal of a vector": (ValueError, "last two axes", lambda la: la.diagonal(xp.ones(2))),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_arguments(name):
    error, message, call = REFUSED[name]
    with pytest.raises(error, match=message):
        call(xp.linalg)
