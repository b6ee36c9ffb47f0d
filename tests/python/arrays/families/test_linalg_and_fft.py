"""numpy.linalg and numpy.fft: results that are determined, products of those that are not, dtypes, shapes and exceptions."""

import numpy as np
import pytest
from both import check, check_layouts

A2, B2 = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]]), np.array([[1.0, 2.0, 0.0], [0.0, 1.0, -3.0], [2.0, 0.0, 1.0]])
TALL, STACK = np.arange(12.0).reshape(4, 3) ** 1.5, np.stack([A2, B2, A2 @ B2])
DTYPES = "?blfdFD"


def regular(A, x):
    """A matrix that is not singular: its diagonal dominates."""
    n = x.shape[-1]
    return x + A((30 * np.eye(n)).astype(np.result_type(x.dtype, np.int8) if x.dtype.kind in "fc" else np.int64))


def positive(A, x):
    m = regular(A, x)
    return m + np.conjugate(np.swapaxes(m, -1, -2))


def product(*factors):
    made = factors[0]
    for factor in factors[1:]:
        made = np.matmul(made, factor)
    return made


OF_MATRICES = {
    "det": lambda A, x: np.linalg.det(regular(A, x)), "slogdet": lambda A, x: np.linalg.slogdet(regular(A, x)), "inv": lambda A, x: np.linalg.inv(regular(A, x)), "solve": lambda A, x: np.linalg.solve(regular(A, x), x), "matrix_power": lambda A, x: np.linalg.matrix_power(x, 3),
    "power 0": lambda A, x: np.linalg.matrix_power(x, 0), "power -2": lambda A, x: np.linalg.matrix_power(regular(A, x), -2), "cholesky": lambda A, x: np.linalg.cholesky(positive(A, x)), "svdvals": lambda A, x: np.linalg.svd(x, compute_uv=False), "eigvalsh": lambda A, x: np.linalg.eigvalsh(positive(A, x)),
    "eigvalsh of upper": lambda A, x: np.linalg.eigvalsh(positive(A, x), "U"), "pinv": lambda A, x: np.linalg.pinv(regular(A, x)), "matrix_rank": lambda A, x: np.linalg.matrix_rank(regular(A, x)), "norm": lambda A, x: np.linalg.norm(x), **{f"norm {ord}": (lambda A, x, ord=ord: np.linalg.norm(x, ord, axis=(-2, -1))) for ord in (1, -1, 2, np.inf, "fro", "nuc")},
    **{f"vector norm {ord}": (lambda A, x, ord=ord: np.linalg.norm(x, ord, axis=-1, keepdims=True)) for ord in (0, 1, 2, 3, np.inf, -np.inf)}, "cond": lambda A, x: np.linalg.cond(regular(A, x)), "cond 1": lambda A, x: np.linalg.cond(regular(A, x), 1),
    "qr": lambda A, x: product(*np.linalg.qr(x)), "svd": lambda A, x: (lambda u, s, v: product(u * s[..., None, :], v))(*np.linalg.svd(x, full_matrices=False)), "eigh": lambda A, x: (lambda w, v: product(v * w[..., None, :], np.conjugate(np.swapaxes(v, -1, -2))))(*np.linalg.eigh(positive(A, x))),
    "eig": lambda A, x: (lambda w, v: np.absolute(product(x + 0 * 1j, v) - v * w[..., None, :]).max() < 1e-3)(*np.linalg.eig(x)) if x.dtype.kind in "dD" else None, "trace": lambda A, x: np.trace(x, axis1=-2, axis2=-1),
}


@pytest.mark.parametrize("name", OF_MATRICES)
def test_matrices(name):
    for code in DTYPES:
        check_layouts(OF_MATRICES[name], code, [(1, 1), (3, 3), (2, 3, 3)], ulps=500)


#: numpy.fft's functions for arrays of one axis and more.
TRANSFORMS = "fft ifft rfft irfft hfft ihfft fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2 fftshift ifftshift".split()


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(name):
    function = getattr(np.fft, name)
    for code in "?bIlefdFD":
        if name in ("rfft", "rfftn", "rfft2", "ihfft") and code in "FD":
            continue
        check_layouts(lambda A, x: function(x), code, [(6,), (5,), (4, 3), (2, 3, 5)], ulps=64 if code != "e" else 20_000)


FFT_CASES = {
    **{f"{name} n={n} {norm}": (lambda A, name=name, n=n, norm=norm: getattr(np.fft, name)(A(TALL), n, 0, norm)) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft") for n in (None, 2, 7) for norm in ("ortho", "forward")},
    **{f"{name} s={s}": (lambda A, name=name, s=s: getattr(np.fft, name)(A(STACK), s, (0, -1))) for name in ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "irfft2") for s in (None, (2, 5), (4, 2))}, "fft of 0": lambda A: np.fft.fft(A(TALL), 0), "fft of an unknown norm": lambda A: np.fft.fft(A(TALL), norm="x"),
    "fft of no axis": lambda A: np.fft.fft(A(TALL), axis=4), "rfft of complex": lambda A: np.fft.rfft(A([1j, 2])), "fftn of unequal": lambda A: np.fft.fftn(A(TALL), (2,), (0, 1)), "fftn along one": lambda A: np.fft.fftn(A(TALL), axes=(0,)), "fft out": lambda A: np.fft.fft(A(TALL), out=A(np.zeros((4, 3), complex))), "fft of nothing": lambda A: np.fft.fft(A(np.zeros(0))),
    "fftshift along": lambda A: np.fft.fftshift(A(TALL), axes=1), "fftshift of integers": lambda A: np.fft.ifftshift(A(np.arange(5)), axes=(0,)), "rfft of special": lambda A: np.fft.rfft(A([1.0, np.nan, 2.0, 0.0])), "fft2 of a vector": lambda A: np.fft.fft2(A([1.0, 2.0])), "fft of a row twice": lambda A: np.fft.fftn(A(TALL), axes=(1, 1)), "fftn of -1": lambda A: np.fft.fftn(A(TALL), (-1, 2), (0, 1)),
}
CASES = {
    "solve a vector": lambda A: np.linalg.solve(A(A2), A([1.0, 2, 3])), "solve stacks": lambda A: np.linalg.solve(A(STACK), A(STACK[::-1].copy())), "solve unequal": lambda A: np.linalg.solve(A(A2), A([1.0, 2])), "solve singular": lambda A: np.linalg.solve(A(np.ones((2, 2))), A([1.0, 2])), "solve of types": lambda A: np.linalg.solve(A(A2.astype(np.float32)), A([1, 2, 3])),
    "inv of a tall one": lambda A: np.linalg.inv(A(TALL)), "inv of a vector": lambda A: np.linalg.inv(A([1.0])), "inv of singular": lambda A: np.linalg.inv(A(np.zeros((2, 2)))), "inv of float16": lambda A: np.linalg.inv(A(A2.astype(np.float16))), "inv of nothing": lambda A: np.linalg.inv(A(np.zeros((0, 0)))), "det of nothing": lambda A: np.linalg.det(A(np.zeros((0, 0)))), "det of a stack of none": lambda A: np.linalg.det(A(np.zeros((0, 2, 2)))),
    "cholesky of an indefinite one": lambda A: np.linalg.cholesky(A(-A2)), "qr of a tall one": lambda A: np.absolute(np.linalg.qr(A(TALL), "r")), "qr of an unknown mode": lambda A: np.linalg.qr(A(TALL), "x"), "eigh of an unknown triangle": lambda A: np.linalg.eigh(A(A2), "x"), "eigvals": lambda A: np.sort(np.linalg.eigvals(A(A2)).real), "eigvals of a rotation": lambda A: np.sort(np.linalg.eigvals(A([[0.0, -1.0], [1.0, 0.0]]))),
    "eig of NaN": lambda A: np.linalg.eig(A([[np.nan, 1], [1, 1]])), "pinv of a tall one": lambda A: np.linalg.pinv(A(TALL)), "pinv cut": lambda A: np.linalg.pinv(A(TALL), 0.1), "pinv of Hermitian": lambda A: np.linalg.pinv(A(A2), hermitian=True), "pinv twice": lambda A: np.linalg.pinv(A(A2), 0.1, rtol=0.1), "matrix_rank": lambda A: np.linalg.matrix_rank(A(np.ones((3, 3)))), "rank of a vector": lambda A: np.linalg.matrix_rank(A([0.0, 0.0])),
    "rank above": lambda A: np.linalg.matrix_rank(A(A2), tol=3.0), "rank of a stack": lambda A: np.linalg.matrix_rank(A(STACK), A([0.1, 0.2, 3.0])), "norm of a cube": lambda A: np.linalg.norm(A(STACK)), "norm 2 of a cube": lambda A: np.linalg.norm(A(STACK), 2), "norm of an unknown order": lambda A: np.linalg.norm(A(A2), "x"), "norm 7 of a matrix": lambda A: np.linalg.norm(A(A2), 7), "norm fro of a vector": lambda A: np.linalg.norm(A([1.0, 2]), "fro"),
    "norm of three axes": lambda A: np.linalg.norm(A(STACK), axis=(0, 1, 2)), "norm of one axis twice": lambda A: np.linalg.norm(A(STACK), axis=(0, 0)), "norm of axes": lambda A: np.linalg.norm(A(STACK), "nuc", axis=(2, 0), keepdims=True), "norm of integers": lambda A: np.linalg.norm(A([3, 4])), "norm of complex": lambda A: np.linalg.norm(A([3j, 4])), "norm 1 of a matrix": lambda A: np.linalg.norm(A(A2), 1), "norm of special": lambda A: np.linalg.norm(A([np.inf, 1.0])),
    "cond of singular": lambda A: np.linalg.cond(A(np.diag([1.0, 0.0])), 1), "cond -2": lambda A: np.linalg.cond(A(A2), -2), "cond of nothing": lambda A: np.linalg.cond(A(np.zeros((0, 0)))), "cond of a stack": lambda A: np.linalg.cond(A(STACK), "fro"), "cond of NaN": lambda A: np.linalg.cond(A([[np.nan, 1], [1, 2]]), 1), "lstsq": lambda A: np.linalg.lstsq(A(TALL), A([1.0, -2, 3, 4])), "lstsq of columns": lambda A: np.linalg.lstsq(A(TALL), A(TALL[::-1, :2] ** 2)),
    "lstsq of a wide one": lambda A: np.linalg.lstsq(A(TALL.T.copy()), A([1.0, 2, 3])), "lstsq of low rank": lambda A: np.linalg.lstsq(A(np.ones((3, 2))), A([1.0, 2, 3])), "lstsq of unequal": lambda A: np.linalg.lstsq(A(TALL), A([1.0])), "lstsq of a stack": lambda A: np.linalg.lstsq(A(STACK), A([1.0])), "tensorsolve": lambda A: np.linalg.tensorsolve(A(np.eye(6).reshape(2, 3, 6) * 2), A(TALL[:2])), "tensorinv": lambda A: np.linalg.tensorinv(A((np.eye(6) * 4).reshape(2, 3, 6))),
    "tensorinv of 0": lambda A: np.linalg.tensorinv(A(A2), 0), "multi_dot": lambda A: np.linalg.multi_dot([A(TALL), A(A2), A(B2), A([1.0, 2, 3])]), "multi_dot of one": lambda A: np.linalg.multi_dot([A(A2)]), "multi_dot of vectors": lambda A: np.linalg.multi_dot([A([1.0, 2, 3]), A(A2), A([1.0, 2, 3])]), "multi_dot of a cube": lambda A: np.linalg.multi_dot([A(A2), A(STACK), A(A2)]), "power of floats": lambda A: np.linalg.matrix_power(A(A2), 1.5), "power of a tall one": lambda A: np.linalg.matrix_power(A(TALL), 2),
    "power of integers": lambda A: np.linalg.matrix_power(A(np.array([[1, 2], [3, 4]])), 5), "slogdet of singular": lambda A: np.linalg.slogdet(A(np.zeros((2, 2)))), "svd of nothing": lambda A: np.linalg.svd(A(np.zeros((0, 3))), compute_uv=False), "svd of Hermitian": lambda A: np.linalg.svd(A(A2), compute_uv=False, hermitian=True),
}


@pytest.mark.parametrize("name", [*FFT_CASES, *CASES])
def test_parameters_and_exceptions(name):
    check({**FFT_CASES, **CASES}[name], name, ulps=500)
