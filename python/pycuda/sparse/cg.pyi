from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pycuda.driver import Function
from pycuda.gpuarray import GPUArray
from pycuda.sparse.inner import AsyncInnerProduct
from pycuda.sparse.operator import OperatorBase
from pycuda.sparse.packeted import PacketedSpMV

_Allocator = Callable[..., NDArray[Any]]
_Matrix = OperatorBase | PacketedSpMV
_Scalar = float | np.floating[Any] | GPUArray

class ConvergenceError(RuntimeError): ...

class CGStateContainer:
    dtype: np.dtype[Any]
    operator: _Matrix
    precon: Callable[[GPUArray], GPUArray]
    pagelocked_allocator: _Allocator
    rhs: GPUArray
    x: GPUArray
    residual: GPUArray
    d: GPUArray
    delta: AsyncInnerProduct
    iterations: int
    real_residual_iterations: int
    def __init__(
        self, operator: _Matrix, precon: Callable[[GPUArray], GPUArray] | None = None, pagelocked_allocator: _Allocator | None = None,
    ) -> None: ...
    def make_lc2_kernel(self, dtype: DTypeLike, a_is_gpu: bool, b_is_gpu: bool) -> Function: ...
    def lc2(self, a: _Scalar, x: GPUArray, b: _Scalar, y: GPUArray, out: GPUArray | None = None) -> GPUArray: ...
    def make_guarded_div_kernel(self, dtype: DTypeLike) -> Function: ...
    def guarded_div(self, a: GPUArray, b: GPUArray) -> GPUArray: ...
    def reset(self, rhs: GPUArray, x: GPUArray | None = None) -> None: ...
    def one_iteration(self, compute_real_residual: bool = False) -> AsyncInnerProduct: ...
    def run(
        self, max_iterations: int | None = None, tol: float = 1e-7, debug_callback: Callable[..., object] | None = None,
    ) -> GPUArray: ...

def solve_pkt_with_cg(
    pkt_spmv: PacketedSpMV, b: GPUArray, precon: Callable[[GPUArray], GPUArray] | None = None, x: GPUArray | None = None, tol: float = 1e-7,
    max_iterations: int | None = None, debug: bool = False, pagelocked_allocator: _Allocator | None = None,
) -> tuple[GPUArray, int, int]: ...
