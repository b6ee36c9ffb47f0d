from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from pycuda.driver import Stream
from pycuda.gpuarray import GPUArray

def get_stream() -> Stream: ...

class AsyncInnerProduct:
    gpu_result: GPUArray
    def __init__(self, a: GPUArray, b: GPUArray, pagelocked_allocator: Callable[..., NDArray[Any]]) -> None: ...
    def get_host_result(self) -> Any: ...
    def wait(self) -> Any: ...
