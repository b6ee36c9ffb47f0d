"""Solving with symmetric positive definite matrices by conjugate gradients."""

from collections import deque
from operator import index

import numpy as np

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.elementwise import get_elwise_kernel
from pycuda.sparse.inner import AsyncInnerProduct
from pycuda.sparse.operator import IdentityOperator
from pycuda.tools import ScalarArg, VectorArg, context_dependent_memoize

__all__ = ["CGStateContainer", "ConvergenceError", "solve_pkt_with_cg"]

_IN_FLIGHT = 4  # residuals that the device may compute ahead of the host
_REAL_RESIDUAL_EVERY = 50


class ConvergenceError(RuntimeError):
    """The residual was still too large at the limit of iterations, or is not finite."""


@context_dependent_memoize
def _lc2_kernel(dtype, a_is_gpu, b_is_gpu):
    a, b = ((VectorArg if is_gpu else ScalarArg)(dtype, name) for name, is_gpu in (("a", a_is_gpu), ("b", b_is_gpu)))
    return get_elwise_kernel(
        [a, VectorArg(dtype, "x"), b, VectorArg(dtype, "y"), VectorArg(dtype, "z")],
        f"z[i] = a{'[0]' if a_is_gpu else ''} * x[i] + b{'[0]' if b_is_gpu else ''} * y[i]", "linear_combination")


@context_dependent_memoize
def _guarded_div_kernel(dtype):
    return get_elwise_kernel([VectorArg(dtype, "a"), VectorArg(dtype, "b"), VectorArg(dtype, "z")],
                             "z[i] = b[i] == 0 ? 0 : a[i] / b[i]", "guarded_div")


class CGStateContainer:
    """The state of a conjugate gradient solver: `x`, `residual` and the search direction `d`, on the device.

    Parameters
    ----------
    operator : OperatorBase
        Symmetric positive definite, of float32 or float64. Called with a vector, it returns a new one.
    precon : OperatorBase, optional
        An approximation of the inverse; None: the identity.
    pagelocked_allocator : callable, optional
        Called with shape and dtype, returns page-locked memory; None: `pagelocked_empty`.
    """

    def __init__(self, operator, precon=None, pagelocked_allocator=None):
        self.dtype = np.dtype(operator.dtype)
        if self.dtype.kind != "f":
            raise TypeError(f"conjugate gradients need an operator of real numbers, not {self.dtype}")
        rows, columns = operator.shape
        if rows != columns:
            raise ValueError(f"expected a square operator, given shape {operator.shape}")
        for name, value in (("precon", precon), ("pagelocked_allocator", pagelocked_allocator)):
            if value is not None and not callable(value):
                raise TypeError(f"{name} must be callable, not {type(value).__name__}")
        self.operator = operator
        self.precon = IdentityOperator(self.dtype, rows) if precon is None else precon
        self.pagelocked_allocator = drv.pagelocked_empty if pagelocked_allocator is None else pagelocked_allocator

    # ---- helpers

    def make_lc2_kernel(self, dtype, a_is_gpu, b_is_gpu):
        """Return the prepared function of `lc2`.

        Parameters
        ----------
        dtype : dtype
            dtype of the vectors.
        a_is_gpu : bool
            Whether the first scalar is on the device.
        b_is_gpu : bool
            Whether the second scalar is on the device.

        Returns
        -------
        Function
            The prepared function, cached per context.
        """
        return _lc2_kernel(np.dtype(dtype), bool(a_is_gpu), bool(b_is_gpu))

    def lc2(self, a, x, b, y, out=None):
        """Return ``a*x + b*y``.

        Parameters
        ----------
        a : number or GPUArray
            A number or a 0-d array on the device.
        x : GPUArray
            A contiguous vector.
        b : number or GPUArray
            A number or a 0-d array on the device.
        y : GPUArray
            A vector like `x`.
        out : GPUArray, optional
            Vector to write to, which may be `x` or `y`; None: a new one.

        Returns
        -------
        GPUArray
            `out`, or the new vector.

        Raises
        ------
        ValueError
            The vectors differ in shape or dtype, or are not contiguous.
        """
        out = gpuarray.empty_like(x) if out is None else out
        for vector in (y, out):
            if vector.shape != x.shape or vector.dtype != x.dtype or not (x.flags.c_contiguous and vector.flags.c_contiguous):
                raise ValueError("lc2: expected contiguous vectors of one shape and dtype")
        on_device = [isinstance(scalar, gpuarray.GPUArray) for scalar in (a, b)]
        for scalar, is_gpu in zip((a, b), on_device):
            if is_gpu and (scalar.size != 1 or scalar.dtype != x.dtype):
                raise ValueError(f"lc2: a scalar on the device must be one {x.dtype}, given shape {scalar.shape} of {scalar.dtype}")
        if out.size:
            a, b = (scalar.gpudata if is_gpu else scalar for scalar, is_gpu in zip((a, b), on_device))
            self.make_lc2_kernel(x.dtype, *on_device).prepared_async_call(
                out._grid, out._block, None, a, x.gpudata, b, y.gpudata, out.gpudata, out.size)
        return out

    def make_guarded_div_kernel(self, dtype):
        """Return the prepared function of `guarded_div`.

        Parameters
        ----------
        dtype : dtype
            dtype of the arrays.

        Returns
        -------
        Function
            The prepared function, cached per context.
        """
        return _guarded_div_kernel(np.dtype(dtype))

    def guarded_div(self, a, b):
        """Return ``a / b`` element by element, and 0 where `b` is 0.

        Parameters
        ----------
        a : GPUArray
            A contiguous array.
        b : GPUArray
            An array like `a`.

        Returns
        -------
        GPUArray
            A new array.

        Raises
        ------
        ValueError
            The arrays differ in shape or dtype, or are not contiguous.
        """
        if a.shape != b.shape or a.dtype != b.dtype or not (a.flags.c_contiguous and b.flags.c_contiguous):
            raise ValueError("guarded_div: expected contiguous arrays of one shape and dtype")
        result = gpuarray.empty_like(a)
        if result.size:
            self.make_guarded_div_kernel(a.dtype).prepared_async_call(
                result._grid, result._block, None, a.gpudata, b.gpudata, result.gpudata, result.size)
        return result

    # ---- iterations

    def reset(self, rhs, x=None):
        """Start solving ``operator(x) = rhs``.

        Parameters
        ----------
        rhs : GPUArray
            The right-hand side, which is copied.
        x : GPUArray, optional
            The first guess, which the solver then owns; None: zeros.

        Raises
        ------
        ValueError
            A vector has another shape or dtype than the operator.
        """
        for name, vector in (("rhs", rhs), ("x", x)):
            if vector is not None and (vector.shape != tuple(self.operator.shape[:1]) or vector.dtype != self.dtype):
                raise ValueError(f"{name} must have shape {tuple(self.operator.shape[:1])} and dtype {self.dtype}")
        self.rhs = rhs.copy()
        self.x = gpuarray.zeros_like(self.rhs) if x is None else x
        self.residual = self._real_residual()
        self.d = self.precon(self.residual).copy()
        self.delta = self._product(self.residual, self.d)
        self.iterations = self.real_residual_iterations = 0

    def _real_residual(self):
        return self.lc2(1, self.rhs, -1, self.operator(self.x))

    def _product(self, a, b):
        return AsyncInnerProduct(a, b, self.pagelocked_allocator)

    def one_iteration(self, compute_real_residual=False):
        """Do one step, without waiting for the device.

        Once the residual is exactly 0, further steps change nothing.

        Parameters
        ----------
        compute_real_residual : bool
            Whether to compute the residual from `x` instead of updating it.

        Returns
        -------
        AsyncInnerProduct
            The product of residual and preconditioned residual.
        """
        image = self.operator(self.d)
        alpha = self.guarded_div(self.delta.gpu_result, gpuarray.dot(self.d, image))
        self.lc2(1, self.x, alpha, self.d, out=self.x)
        if compute_real_residual:
            self.residual = self._real_residual()
            self.real_residual_iterations += 1
        else:
            self.lc2(1, self.residual, -alpha, image, out=self.residual)
        preconditioned = self.precon(self.residual)
        previous, self.delta = self.delta, self._product(self.residual, preconditioned)
        beta = self.guarded_div(self.delta.gpu_result, previous.gpu_result)
        self.lc2(1, preconditioned, beta, self.d, out=self.d)
        self.iterations += 1
        return self.delta

    def run(self, max_iterations=None, tol=1e-7, debug_callback=None):
        """Iterate until the residual of `x` is small enough.

        Parameters
        ----------
        max_iterations : int, optional
            Limit of iterations; None: 10 for each row.
        tol : float
            The solver stops when the product of residual and preconditioned residual is below ``tol**2`` of its first value.
        debug_callback : callable, optional
            Called after every step as ``debug_callback("it", iterations, x, residual, d, product)``, and with "end" at the end.

        Returns
        -------
        GPUArray
            The solution.

        Raises
        ------
        ConvergenceError
            The limit was reached, or the numbers are no longer finite.
        """
        max_iterations = max(10 * self.operator.shape[0], 1) if max_iterations is None else max_iterations
        max_iterations, tol = index(max_iterations), float(tol)
        initial = abs(self.delta.wait())
        pending = deque()
        try:
            if initial != 0:
                self._iterate(pending, max_iterations, tol**2 * initial, debug_callback)
        finally:  # page-locked memory must not be returned while a copy uses it
            for product in (*pending, self.delta):
                product.wait()
        if debug_callback is not None:
            debug_callback("end", self.iterations, self.x, self.residual, self.d, self.delta.gpu_result)
        return self.x

    def _iterate(self, pending, max_iterations, bound, debug_callback):
        """Iterate until the residual computed from x is small. It is checked once the updated residual, a few steps old, is small."""
        verify = False
        while True:
            if self.iterations >= max_iterations:
                raise ConvergenceError(f"not converged after {self.iterations} iterations")
            verify = verify or self.iterations + 1 == max_iterations
            pending.append(self.one_iteration(compute_real_residual=verify or (self.iterations + 1) % _REAL_RESIDUAL_EVERY == 0))
            if debug_callback is not None:
                debug_callback("it", self.iterations, self.x, self.residual, self.d, self.delta.gpu_result)
            if verify:
                value = abs(self.delta.wait())
            else:
                value = abs(pending.popleft().wait()) if len(pending) > _IN_FLIGHT else np.inf
            if np.isnan(value):
                raise ConvergenceError(f"the residual is not a number after {self.iterations} iterations")
            if verify and value < bound:
                return
            verify = not verify and value < bound


def solve_pkt_with_cg(pkt_spmv, b, precon=None, x=None, tol=1e-7, max_iterations=None, debug=False, pagelocked_allocator=None):
    """Solve ``A x = b`` for a `PacketedSpMV`.

    Parameters
    ----------
    pkt_spmv : PacketedSpMV
        The matrix A, symmetric positive definite.
    b : GPUArray
        The right-hand side, in the original order of rows.
    precon : OperatorBase, optional
        An approximation of the inverse, in the matrix's own order; None: the identity.
    x : GPUArray, optional
        The first guess, in the original order; None: zeros.
    tol : float
        The solver stops when the product of residual and preconditioned residual is below ``tol**2`` of its first value.
    max_iterations : int, optional
        Limit of iterations; None: 10 for each row.
    debug : bool
        Whether to print every step.
    pagelocked_allocator : callable, optional
        Called with shape and dtype, returns page-locked memory; None: `pagelocked_empty`.

    Returns
    -------
    tuple
        The solution, the number of iterations, and how many of them computed the residual from `x`.

    Raises
    ------
    ConvergenceError
        The limit was reached.
    """
    def show(what, iterations, x, residual, d, product):
        print(what, iterations, product.get())

    state = CGStateContainer(pkt_spmv, precon, pagelocked_allocator)
    state.reset(pkt_spmv.permute(b), None if x is None else pkt_spmv.permute(x))
    solution = state.run(max_iterations, tol, show if debug else None)
    return pkt_spmv.unpermute(solution), state.iterations, state.real_residual_iterations
