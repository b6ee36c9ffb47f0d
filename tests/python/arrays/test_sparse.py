"""Products of sparse matrices and vectors, and conjugate gradients, compared with NumPy's dense results."""

import importlib
import sys
import warnings

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray

from conftest import close, sample

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pycuda.sparse import cg, inner
    from pycuda.sparse.coordinate import CoordinateSpMV
    from pycuda.sparse.operator import DiagonalPreconditioner, IdentityOperator, OperatorBase
    from pycuda.sparse.packeted import PacketedSpMV


class Coo:
    """The parts of a SciPy matrix that CoordinateSpMV needs."""

    def __init__(self, dense):
        self.shape = dense.shape
        self.row, self.col = np.nonzero(dense)
        self.data = dense[self.row, self.col]
        mixed = np.random.default_rng(1).permutation(len(self.row))
        self.row, self.col, self.data = self.row[mixed], self.col[mixed], self.data[mixed]


def random_matrix(rng, rows, columns, density, dtype):
    return np.where(rng.random((rows, columns)) < density, sample(rng, (rows, columns), dtype), np.zeros((), dtype))


def laplacian(n, dtype=np.float64):
    """The Laplacian on n by n points, with a little added to the diagonal."""
    line = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    return (np.kron(line, np.eye(n)) + np.kron(np.eye(n), line) + 0.1 * np.eye(n * n)).astype(dtype)


def test_import_warns():
    module = sys.modules["pycuda.sparse"]
    with pytest.warns(DeprecationWarning, match="pycuda.sparse"):
        importlib.reload(module)


# ---- products


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("shape", [(40, 60), (300, 7), (1, 500), (500, 1)], ids=str)
@pytest.mark.parametrize("density", [0.02, 0.7])
def test_product(shape, density, dtype, rng):
    dense = random_matrix(rng, *shape, density, dtype)
    x = sample(rng, shape[1], dtype)
    ours = CoordinateSpMV(Coo(dense), dtype)(gpuarray.to_gpu(x))
    assert ours.dtype == dtype
    np.testing.assert_allclose(ours.get(), dense @ x, rtol=1e-4, atol=1e-3 if np.dtype(dtype).itemsize < 16 else 1e-10)


def test_product_is_added_to_y_and_repeats(rng):
    dense = random_matrix(rng, 50, 50, 0.3, np.float32)
    x, y = sample(rng, 50, np.float32), sample(rng, 50, np.float32)
    product = CoordinateSpMV(Coo(dense), np.float32)
    results = []
    for _ in range(3):
        on_device = gpuarray.to_gpu(y)
        assert product(gpuarray.to_gpu(x), on_device) is on_device
        results.append(on_device.get())
    np.testing.assert_allclose(results[0], y + dense @ x, rtol=1e-4, atol=1e-4)
    assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


def test_duplicate_entries_are_added():
    coo = Coo(np.ones((1, 1)))
    coo.row, coo.col, coo.data = np.zeros(5, int), np.zeros(5, int), np.arange(5.0)
    assert CoordinateSpMV(coo, np.float64)(gpuarray.to_gpu(np.array([2.0]))).get() == [20.0]


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3), (3, 3)])
def test_no_entries(shape):
    product = CoordinateSpMV(Coo(np.zeros(shape)), np.float64)
    close(product(gpuarray.zeros(shape[1], np.float64)), np.zeros(shape[0]))


def test_strided_x(rng):
    dense = random_matrix(rng, 20, 30, 0.3, np.float64)
    x = sample(rng, 60, np.float64)
    product = CoordinateSpMV(Coo(dense), np.float64)
    np.testing.assert_allclose(product(gpuarray.to_gpu(x)[::-2]).get(), dense @ x[::-2], rtol=1e-12, atol=1e-12)


def test_bad_operands():
    product = CoordinateSpMV(Coo(np.eye(3, 4)), np.float32)
    x = gpuarray.zeros(4, np.float32)
    with pytest.raises(TypeError, match="GPUArray"):
        product(np.zeros(4, np.float32))
    for bad in (gpuarray.zeros(3, np.float32), gpuarray.zeros(4, np.float64), gpuarray.zeros((4, 1), np.float32)):
        with pytest.raises(ValueError, match="x must have shape"):
            product(bad)
    with pytest.raises(ValueError, match="y must have shape"):
        product(x, x)
    with pytest.raises(ValueError, match="overlap"):
        product(x, x[:3])
    with pytest.raises(ValueError, match="contiguous"):
        product(x, gpuarray.zeros(6, np.float32)[::2])


@pytest.mark.parametrize("index", [-1, 3])
def test_indices_beyond_the_matrix(index):
    for cls, arguments in ((CoordinateSpMV, ()), (PacketedSpMV, (False,))):
        for name in ("row", "col"):
            coo = Coo(np.eye(3))
            getattr(coo, name)[1] = index
            with pytest.raises(ValueError, match="indices must be from 0 to 2"):
                cls(coo, *arguments, np.float32)


def test_scipy_matrices(rng):
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.random(200, 100, 0.1, "csr", np.float64, random_state=3)
    x = sample(rng, 100, np.float64)
    np.testing.assert_allclose(CoordinateSpMV(matrix, np.float64)(gpuarray.to_gpu(x)).get(), matrix @ x, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("symmetric", [True, False])
def test_product_in_permuted_order(symmetric, rng):
    dense = random_matrix(rng, 80, 80, 0.02, np.float64)  # a graph with several components
    dense = dense + dense.T if symmetric else dense
    x = sample(rng, 80, np.float64)
    product = PacketedSpMV(Coo(dense), symmetric, np.float64)
    on_device = gpuarray.to_gpu(x)
    close(product.unpermute(product.permute(on_device)), x)
    np.testing.assert_allclose(product.unpermute(product(product.permute(on_device))).get(), dense @ x, rtol=1e-12, atol=1e-12)


def test_permuted_order_improves_locality(rng):
    n = 200
    line = np.eye(n, k=1) + np.eye(n, k=-1)
    hidden = rng.permutation(n)
    product = PacketedSpMV(Coo(line[np.ix_(hidden, hidden)]), True, np.float32)
    order = product.permute(gpuarray.to_gpu(hidden.astype(np.float64))).get()
    assert np.abs(np.diff(order[np.argsort(np.argsort(hidden))])).size == n - 1
    place = np.argsort(order)
    assert np.abs(np.diff(place)).max() <= 3


def test_packets_are_square():
    with pytest.raises(ValueError, match="square"):
        PacketedSpMV(Coo(np.ones((2, 3))), False, np.float32)


# ---- operators


def test_operators(rng):
    identity = IdentityOperator(np.float32, 5)
    x = gpuarray.to_gpu(sample(rng, 5, np.float32))
    assert identity(x) is x and identity.shape == (5, 5) and identity.dtype == np.float32
    diagonal = DiagonalPreconditioner(gpuarray.to_gpu(np.arange(5, dtype=np.float32)))
    close(diagonal(x), np.arange(5, dtype=np.float32) * x.get())
    assert diagonal.shape == (5, 5) and diagonal.dtype == np.float32
    with pytest.raises(ValueError):
        diagonal(gpuarray.zeros(1, np.float32))
    for ask in (lambda o: o.dtype, lambda o: o.shape, lambda o: o(x)):
        with pytest.raises(NotImplementedError):
            ask(OperatorBase())


def test_async_inner_product(rng):
    a, b = sample(rng, 1000, np.float64), sample(rng, 1000, np.float64)
    product = inner.AsyncInnerProduct(gpuarray.to_gpu(a), gpuarray.to_gpu(b), drv.pagelocked_empty)
    drv.Context.synchronize()
    assert product.get_host_result() == pytest.approx(a @ b)
    assert product.gpu_result.get() == product.get_host_result()
    stream = inner.get_stream()
    assert stream.is_done()
    assert inner.get_stream() is not stream


def test_inner_product_is_none_until_computed():
    one = gpuarray.to_gpu(np.ones(1))
    product = inner.AsyncInnerProduct(one, one, drv.pagelocked_empty)
    for _ in range(10**7):
        if (result := product.get_host_result()) is not None:
            break
    assert result == 1


# ---- conjugate gradients


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 1e-4), (np.float64, 1e-8)])
@pytest.mark.parametrize("jacobi", [False, True])
def test_solves(dtype, tolerance, jacobi, rng):
    dense = laplacian(12, dtype)
    dense += np.diag(np.arange(144) % 7).astype(dtype)
    product = PacketedSpMV(Coo(dense), True, dtype)
    b = sample(rng, 144, dtype)
    precon = DiagonalPreconditioner(product.permute(gpuarray.to_gpu(1 / np.diag(dense)))) if jacobi else None
    solution, iterations, real = cg.solve_pkt_with_cg(product, gpuarray.to_gpu(b), precon, tol=tolerance)
    assert 0 < real <= iterations < 144
    np.testing.assert_allclose(solution.get(), np.linalg.solve(dense.astype(np.float64), b), rtol=0, atol=100 * tolerance)


def test_starts_from_x(rng):
    dense = laplacian(6)
    product = PacketedSpMV(Coo(dense), True, np.float64)
    expected = sample(rng, 36, np.float64)
    b = gpuarray.to_gpu(dense @ expected)
    start = gpuarray.to_gpu(expected + 1e-3)
    solution, _, _ = cg.solve_pkt_with_cg(product, b, x=start, tol=1e-6)
    np.testing.assert_allclose(solution.get(), expected, atol=1e-7)
    np.testing.assert_array_equal(start.get(), expected + 1e-3)


def test_no_iterations_are_needed():
    product = PacketedSpMV(Coo(laplacian(3)), True, np.float64)
    solution, iterations, _ = cg.solve_pkt_with_cg(product, gpuarray.zeros(9, np.float64))
    assert iterations == 0
    close(solution, np.zeros(9))


def test_limit_of_iterations(rng):
    product = PacketedSpMV(Coo(laplacian(12)), True, np.float64)
    b = gpuarray.to_gpu(sample(rng, 144, np.float64))
    with pytest.raises(cg.ConvergenceError, match="3 iterations") as raised:
        cg.solve_pkt_with_cg(product, b, max_iterations=3)
    assert isinstance(raised.value, RuntimeError)
    state = cg.CGStateContainer(IdentityOperator(np.float64, 144))
    state.reset(b)
    close(state.run(max_iterations=1), b.get())


def test_not_a_number():
    state = cg.CGStateContainer(IdentityOperator(np.float64, 4))
    state.reset(gpuarray.to_gpu(np.array([1, np.nan, 1, 1])))
    with pytest.raises(cg.ConvergenceError, match="not a number"):
        state.run()


def test_callback_and_allocator(rng):
    pool = drv.PageLockedMemoryPool()
    calls = []
    state = cg.CGStateContainer(CoordinateSpMV(Coo(laplacian(5)), np.float64), pagelocked_allocator=pool.allocate)
    state.reset(gpuarray.to_gpu(sample(rng, 25, np.float64)))
    state.run(debug_callback=lambda what, iterations, *vectors: calls.append((what, iterations)))
    assert calls == [("it", k) for k in range(1, state.iterations + 1)] + [("end", state.iterations)]
    del state
    pool.stop_holding()


def test_helpers():
    state = cg.CGStateContainer(IdentityOperator(np.float64, 3))
    x, y = (gpuarray.to_gpu(np.array(values)) for values in ([1.0, 2.0, 3.0], [10.0, 0.0, -1.0]))
    two = gpuarray.to_gpu(np.array(2.0))
    close(state.lc2(2, x, 3.0, y), 2 * x.get() + 3 * y.get())
    close(state.lc2(two, x, -two, y), 2 * x.get() - 2 * y.get())
    expected = x.get() + 2 * y.get()
    assert state.lc2(1, x, two, y, out=x) is x
    close(x, expected)
    close(state.guarded_div(x, y), [1 / 10 * expected[0], 0, -expected[2]])
    with pytest.raises(ValueError, match="scalar on the device"):
        state.lc2(x, x, 1, y)
    with pytest.raises(TypeError, match="real numbers"):
        cg.CGStateContainer(IdentityOperator(np.complex64, 3))
    with pytest.raises(ValueError, match="rhs must have shape"):
        state.reset(gpuarray.zeros(4, np.float64))
