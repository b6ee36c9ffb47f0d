from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pycuda.driver import Function
from pycuda.gpuarray import GPUArray

def get_kernel(dtype: np.dtype[Any], index_dtype: np.dtype[Any], lanes: int) -> Function: ...

class CoordinateSpMV:
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    def __init__(self, mat: Any, dtype: DTypeLike) -> None: ...
    def __call__(self, x: GPUArray, y: GPUArray | None = None) -> GPUArray: ...
