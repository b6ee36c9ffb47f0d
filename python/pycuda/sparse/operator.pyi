from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pycuda.gpuarray import GPUArray

class OperatorBase:
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def __call__(self, operand: GPUArray) -> GPUArray: ...

class IdentityOperator(OperatorBase):
    def __init__(self, dtype: DTypeLike, n: int) -> None: ...

class DiagonalPreconditioner(OperatorBase):
    diagonal: GPUArray
    def __init__(self, diagonal: GPUArray) -> None: ...
