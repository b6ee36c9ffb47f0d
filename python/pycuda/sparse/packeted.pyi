from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pycuda.gpuarray import GPUArray

class PacketedSpMV:
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    def __init__(self, mat: Any, is_symmetric: bool, dtype: DTypeLike) -> None: ...
    def permute(self, x: GPUArray) -> GPUArray: ...
    def unpermute(self, x: GPUArray) -> GPUArray: ...
    def __call__(self, x: GPUArray, y: GPUArray | None = None) -> GPUArray: ...
