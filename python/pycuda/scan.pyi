from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pycuda.driver import _AnyStream
from pycuda.gpuarray import GPUArray
from pycuda.tools import ScalarArg, VectorArg

class _ScanKernelBase:
    dtype: np.dtype[Any]
    neutral: object
    scan_wg_size: int
    update_wg_size: int
    scan_wg_seq_batches: int
    def __init__(
        self, dtype: DTypeLike, scan_expr: str, neutral: object = None, name_prefix: str = "scan", options: Sequence[str] | None = None,
        preamble: str = "", devices: object = None,
    ) -> None: ...
    def __call__(
        self, input_ary: GPUArray, output_ary: GPUArray | None = None, allocator: Callable[[int], Any] | None = None,
        stream: _AnyStream | None = None,
    ) -> GPUArray: ...

class InclusiveScanKernel(_ScanKernelBase): ...
class ExclusiveScanKernel(_ScanKernelBase): ...

class GenericScanKernel:
    dtype: np.dtype[Any]
    neutral: object
    index_dtype: np.dtype[Any]
    parsed_args: list[ScalarArg | VectorArg]
    first_array_idx: int
    def __init__(
        self, dtype: DTypeLike, arguments: str | Iterable[ScalarArg | VectorArg], input_expr: str, scan_expr: str, neutral: object,
        output_statement: str, is_segment_start_expr: str | None = None, input_fetch_exprs: Iterable[tuple[str, str, int]] | None = None,
        index_dtype: DTypeLike = ..., name_prefix: str = "scan", options: Sequence[str] | None = None, preamble: str = "",
        devices: object = None,
    ) -> None: ...
    def __call__(
        self, *args: Any, allocator: Callable[[int], Any] | None = None, size: int | None = None, stream: _AnyStream | None = None,
    ) -> None: ...
