"""The cases that test_vendor_libraries.py runs with cuSOLVER and cuFFT, or with fake_vendor.py instead."""

import os
import sys
import threading

import numpy as np
import pycuda.array_api as xp
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.tools import DeviceMemoryPool

ON_GPU = os.environ.get("PYCUDA_DRIVER") == "cuda"
fake = sys.modules.get("fake_vendor")
only_fake = pytest.mark.skipif(fake is None, reason="looks into the fake library")
pytestmark = pytest.mark.usefixtures("module_context")

DTYPES = ("float32", "float64", "complex64", "complex128")
LETTERS = dict(zip(DTYPES, "SDCZ"))


def numbers(dtype, *shape, seed=0):
    random = np.random.default_rng([seed, *shape])
    drawn = random.standard_normal(shape)
    return (drawn + 1j * random.standard_normal(shape) if dtype.startswith("complex") else drawn).astype(dtype)


@pytest.fixture(autouse=True)
def nothing_went_wrong():
    if fake:
        fake.failures.clear()
        fake.wrong.clear()
        fake.calls.clear()
    yield
    if fake:
        assert fake.wrong == []


def close(found, expected, factor=200):
    found, expected = found.get(), np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    tolerance = factor * np.finfo(expected.dtype).eps
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", (1, 7, 150))
def test_factorisations_of_some_size(n, dtype):
    a, b = numbers(dtype, n, n) + 2 * n * np.eye(n, dtype=dtype), numbers(dtype, n, 3)
    x = xp.asarray(a)
    close(xp.linalg.solve(x, xp.asarray(b)), np.linalg.solve(a, b))
    close(xp.linalg.inv(x), np.linalg.inv(a))
    hermitian = a @ np.conj(a.T)
    lower = xp.linalg.cholesky(xp.asarray(hermitian)).get()
    assert not np.triu(lower, 1).any()
    close(xp.asarray(lower @ np.conj(lower.T)), hermitian)
    tall = numbers(dtype, n + 5, n)
    for mode in ("reduced", "complete"):
        q, r = (each.get() for each in xp.linalg.qr(xp.asarray(tall), mode=mode))
        close(xp.asarray(q @ r), tall)
        close(xp.asarray(np.conj(q.T) @ q + np.eye(q.shape[1], dtype=dtype)), 2 * np.eye(q.shape[1], dtype=dtype))
    for matrix in (tall, tall.T):
        for full in (True, False):
            u, s, vh = (each.get() for each in xp.linalg.svd(xp.asarray(matrix), full_matrices=full))
            close(xp.asarray((u[:, :n] * s) @ vh[:n]), matrix)
        close(xp.linalg.svdvals(xp.asarray(matrix)), np.linalg.svd(matrix, compute_uv=False))
    values, vectors = (each.get() for each in xp.linalg.eigh(xp.asarray(hermitian)))
    close(xp.asarray(hermitian @ vectors), vectors * values)
    close(xp.linalg.eigvalsh(xp.asarray(hermitian)), np.linalg.eigvalsh(hermitian))
    sign, logarithm = xp.linalg.slogdet(x)
    expected = np.linalg.slogdet(a)
    close(sign, expected[0])
    close(logarithm, expected[1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", (2, 3, 12, 97, 1 << 15))
def test_transforms(n, dtype):
    a = numbers(dtype, 3, n)
    x = xp.asarray(a)
    close(xp.fft.fft(x), np.fft.fft(a).astype(np.result_type(dtype, np.complex64)))
    close(xp.fft.ifft(xp.fft.fft(x)), a.astype(np.result_type(dtype, np.complex64)))
    if dtype.startswith("float"):
        half = xp.fft.rfft(x)
        close(half, np.fft.rfft(a).astype(np.result_type(dtype, np.complex64)))
        close(xp.fft.irfft(half, n=n), a)
        close(half, np.fft.rfft(a).astype(np.result_type(dtype, np.complex64)))  # unchanged
        close(xp.fft.ihfft(x), np.fft.ihfft(a).astype(np.result_type(dtype, np.complex64)))
        close(xp.fft.rfft(x[:, 1:]), np.fft.rfft(a[:, 1:]).astype(np.result_type(dtype, np.complex64)))
        close(xp.fft.rfft(x[1, 1:]), np.fft.rfft(a[1, 1:]).astype(np.result_type(dtype, np.complex64)))  # not aligned like complex numbers
    close(xp.fft.hfft(x, n=n), np.fft.hfft(a, n).astype(a.real.dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_products(dtype):
    """Operands and results in all memory orders, and with gaps between rows; our own kernels handle all other layouts."""
    a, b = numbers(dtype, 5, 7), numbers(dtype, 7, 3)
    lefts = [xp.asarray(a), xp.asarray(a.T.copy()).mT, xp.asarray(numbers(dtype, 5, 9))[:, :7]]
    rights = [xp.asarray(b), xp.asarray(b.T.copy()).mT, xp.asarray(numbers(dtype, 14, 3))[::2]]
    for left in lefts:
        for right in rights:
            expected = left.get() @ right.get()
            close(left @ right, expected)
            for out in (xp.empty((5, 3), dtype=dtype), xp.empty((3, 5), dtype=dtype).mT):
                np.matmul(left, right, out=out)
                close(out, expected)
    close(lefts[0][:, ::2] @ rights[0][::2], a[:, ::2] @ b[::2])
    assert_multiplied(27)
    if fake:
        fake.failures["cublasGemmStridedBatchedEx"] = 13
        with pytest.raises(drv.RuntimeError, match="cuBLAS returned status 13"):
            lefts[0] @ rights[0]


def assert_multiplied(count):
    """That cuBLAS was called so often."""
    if fake:
        assert fake.calls["cublasGemmStridedBatchedEx"] == count


@pytest.mark.parametrize("dtype", [*DTYPES, "float16"])
def test_stacks_of_products(dtype):
    """One call for matrices that are equally far apart, in operands and result; a broadcast operand stays where it is."""
    a, b = numbers(dtype, 4, 5, 7), numbers(dtype, 4, 7, 3)
    left, right = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    tolerance = 1e-2 if dtype == "float16" else 1e-4
    called = 0
    for x, y, p, q, calls in [(left, right, a, b, 1), (left[0], right, a[0], b, 1), (left, right[1], a, b[1], 1), (left[::2], right[1::2], a[::2], b[1::2], 1),
                              (left.transpose(0, 2, 1), left, a.transpose(0, 2, 1), a, 1), (left[0], right[0], a[0], b[0], 1), (left[::-1], right, a[::-1], b, 0),
                              (left.reshape(2, 2, 5, 7)[:, :1], right[0], a.reshape(2, 2, 5, 7)[:, :1], b[0], 1),
                              (left.reshape(2, 2, 5, 7), right[:2].reshape(2, 1, 7, 3), a.reshape(2, 2, 5, 7), b[:2].reshape(2, 1, 7, 3), 0)]:
        np.testing.assert_allclose((x @ y).get(), p @ q, rtol=tolerance, atol=tolerance)
        called += calls
        assert_multiplied(called)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_with_vectors(dtype):
    """Sums of products, each of one row or column: cuBLAS is not asked."""
    a, b = numbers(dtype, 5, 7), numbers(dtype, 7)
    close(xp.asarray(a) @ xp.asarray(b), a @ b)
    close(xp.asarray(b) @ xp.asarray(a.T.copy()), b @ a.T)
    assert_multiplied(0)


def test_views_and_stacks():
    a = numbers("float64", 4, 6, 6) + 6 * np.eye(6)
    x = xp.asarray(a)
    close(xp.linalg.inv(x[::2]), np.linalg.inv(a[::2]))
    close(xp.linalg.inv(x.mT), np.linalg.inv(np.swapaxes(a, 1, 2)))
    close(xp.linalg.det(x[:, ::-1, ::-1]), np.linalg.det(a[:, ::-1, ::-1]))
    close(xp.linalg.solve(x[0], xp.asarray(a)), np.linalg.solve(a[0], a))
    close(xp.linalg.solve(x, xp.ones(6)), np.linalg.solve(a, np.ones((4, 6, 1)))[..., 0])
    assert xp.linalg.solve(x, xp.ones((6, 0))).shape == (4, 6, 0)
    close(xp.fft.fftn(x[::2, ::-1], axes=(0, 2)), np.fft.fftn(a[::2, ::-1], axes=(0, 2)))


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float32"])
def test_fourier_over_several_axes(dtype):
    """One transform if they are the last axes, whatever their order; one after the other otherwise."""
    a = numbers(dtype, 3, 4, 6, 10)
    x, expected = xp.asarray(a), a.astype(np.result_type(dtype, np.complex64))
    for axes, norm, calls in (((2, 3), "backward", 1), ((3, 2), "ortho", 1), ((-1, -3, -2), "forward", 1), ((1, 2), "backward", 2), ((0, 3), "ortho", 2)):
        for ours, theirs in ((xp.fft.fftn, np.fft.fftn), (xp.fft.ifftn, np.fft.ifftn)):
            before = fake.calls["cufftExecC2C"] + fake.calls["cufftExecZ2Z"] if fake else 0
            close(ours(x, axes=axes, norm=norm), theirs(expected, axes=axes, norm=norm).astype(expected.dtype))
            assert not fake or fake.calls["cufftExecC2C"] + fake.calls["cufftExecZ2Z"] == before + calls
    close(xp.fft.fftn(x, s=(5, 7), axes=(2, 3)), np.fft.fftn(expected, s=(5, 7), axes=(2, 3)).astype(expected.dtype))


def test_matrices_without_a_solution():
    with pytest.raises(np.linalg.LinAlgError, match="inv: 1 of 2 matrices are singular"):
        xp.linalg.inv(xp.asarray([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]]))
    with pytest.raises(np.linalg.LinAlgError, match="cholesky: the matrix is not positive definite"):
        xp.linalg.cholesky(xp.asarray([[1.0, 2.0], [2.0, 1.0]]))
    assert xp.linalg.det(xp.zeros((3, 3))).get() == 0
    nan = xp.full((4, 4), float("nan"))
    for name in ("svdvals", "svd", "eigvalsh", "eigh"):  # NaN, or NumPy's error
        try:
            found = getattr(xp.linalg, name)(nan)
        except np.linalg.LinAlgError as error:
            assert str(error).startswith(f"{name}: the matrix is not decomposable")
        else:
            assert np.isnan((found if name.endswith("s") else found[1 if name == "svd" else 0]).get()).all()


def test_streams():
    """Work is queued after the stream's earlier work, and before its later work."""
    n = 64
    a = numbers("float64", n, n) + 3 * n * np.eye(n)
    stream = drv.Stream()
    with stream:
        x = xp.zeros((n, n))
        x[...] = xp.asarray(a)
        inverse = xp.linalg.inv(x)
        spectrum = xp.fft.fft(x)
        x[...] = xp.zeros((n, n))
    stream.synchronize()
    close(inverse, np.linalg.inv(a))
    close(spectrum, np.fft.fft(a))


@only_fake
def test_which_functions_are_called():
    x = xp.asarray(numbers("complex64", 3, 5, 5))
    xp.linalg.qr(x)
    assert (fake.calls["cusolverDnCgeqrf"], fake.calls["cusolverDnCungqr"], fake.calls["cusolverDnCgeqrf_bufferSize"]) == (3, 3, 1)
    xp.linalg.solve(x, x)
    assert (fake.calls["cusolverDnCgetrf"], fake.calls["cusolverDnCgetrs"]) == (3, 3)
    assert fake.calls["cusolverDnCreate"] <= 1


@only_fake
def test_plans_are_cached_and_the_oldest_is_dropped():
    first = xp.ones((2, 40))
    xp.fft.fft(first)
    before = fake.calls["cufftMakePlanMany64"]
    xp.fft.fft(first)
    xp.fft.ifft(first)
    assert fake.calls["cufftMakePlanMany64"] == before
    for n in range(41, 41 + 40):
        xp.fft.fft(xp.ones((2, n)))
    assert len(fake.plans()) == 32
    assert fake.calls["cufftDestroy"] >= 8
    xp.fft.fft(first)
    assert fake.calls["cufftMakePlanMany64"] == before + 41


@only_fake
@pytest.mark.parametrize(("name", "call"), (
    ("cusolverDnDgetrf", lambda: xp.linalg.inv(xp.eye(3))), ("cusolverDnDgetrf_bufferSize", lambda: xp.linalg.det(xp.eye(3))),
    ("cusolverDnDgetrs", lambda: xp.linalg.inv(xp.eye(3))), ("cusolverDnDpotrf", lambda: xp.linalg.cholesky(xp.eye(3))),
    ("cusolverDnDgeqrf", lambda: xp.linalg.qr(xp.eye(3))), ("cusolverDnDorgqr", lambda: xp.linalg.qr(xp.eye(3))),
    ("cusolverDnDgesvd", lambda: xp.linalg.svd(xp.eye(3))), ("cusolverDnDsyevd", lambda: xp.linalg.eigh(xp.eye(3))),
    ("cusolverDnSetStream", lambda: xp.linalg.eigh(xp.eye(3))), ("cufftExecZ2Z", lambda: xp.fft.fft(xp.ones(5))),
    ("cufftCreate", lambda: xp.fft.fft(xp.ones(101))), ("cufftMakePlanMany64", lambda: xp.fft.fft(xp.ones(102))),
    ("cufftSetAutoAllocation", lambda: xp.fft.fft(xp.ones(103))), ("cufftSetStream", lambda: xp.fft.fft(xp.ones(5))),
    ("cufftSetWorkArea", lambda: xp.fft.fft(xp.ones(5))),
))
def test_a_status_is_an_error_and_the_next_call_works(name, call):
    plans = len(fake.plans())
    fake.failures[name] = 7
    with pytest.raises(drv.RuntimeError, match=r"cu(SOLVER|FFT) returned status 7"):
        call()
    assert len(fake.plans()) <= max(plans, 1)
    fake.failures.clear()
    call()


@only_fake
@pytest.mark.parametrize(("routine", "call", "message"), (
    ("getrf", lambda: xp.linalg.inv(xp.eye(3)), "singular"), ("potrf", lambda: xp.linalg.cholesky(xp.eye(3)), "not positive definite"),
    ("gesvd", lambda: xp.linalg.svd(xp.eye(3)), "does not find|iteration"), ("syevd", lambda: xp.linalg.eigvalsh(xp.eye(3)), "iteration"),
))
def test_info_is_an_error(routine, call, message):
    fake.failures["info", routine] = 2
    with pytest.raises(np.linalg.LinAlgError, match=message):
        call()


@only_fake
def test_handles_end_with_their_context():
    if fake.calls["cusolverDnCreate"] == 0:
        xp.linalg.det(xp.eye(2))
    solver = fake._state["solver"]
    plans = set(fake.plans())
    other = drv.Device(0).make_context()
    try:
        assert float(xp.linalg.det(xp.eye(2))) == 1
        xp.fft.fft(xp.ones(6))
        assert fake._state["solver"] != solver and set(fake.plans()) - plans
    finally:
        other.pop()
        other.detach()
    assert set(fake.plans()) == plans and fake.calls["cusolverDnDestroy"] == 1
    fake._state["solver"] = solver  # belongs to the context that continues


def test_threads():
    """Threads share a context's handle, whose stream belongs to one call at a time."""
    a = numbers("float64", 4, 20, 20) + 20 * np.eye(20)
    x = [xp.asarray(each) for each in a]
    context, failed = drv.Context.get_current(), []

    def work(k):
        context.push()
        try:
            with drv.Stream() as stream:
                for _ in range(10):
                    close(xp.linalg.inv(x[k]), np.linalg.inv(a[k]))
                    close(xp.fft.fft(x[k]), np.fft.fft(a[k]))
                stream.synchronize()
        except Exception as error:
            failed.append(error)
        finally:
            drv.Context.pop()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_memory_returns_to_the_pool():
    pool = DeviceMemoryPool.of_current_context()
    x = xp.asarray(numbers("float64", 9, 9) + 9 * np.eye(9))

    def all_of_them():
        xp.linalg.svd(x)
        xp.linalg.qr(x)
        xp.linalg.eigh(x)
        xp.linalg.inv(x)
        xp.fft.fft(x)

    all_of_them()
    active, managed = pool.active_blocks, pool.managed_bytes
    for _ in range(20):
        all_of_them()
    assert (pool.active_blocks, pool.managed_bytes) == (active, managed)
