from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike

from pycuda.compiler import SourceModule
from pycuda.driver import Function, _AnyStream
from pycuda.gpuarray import GPUArray
from pycuda.tools import ScalarArg, VectorArg

_Arguments = str | Iterable[ScalarArg | VectorArg]
_Options = Sequence[str] | None
_Extremum = Literal["min", "max"]

class ReductionKernel:
    dtype_out: np.dtype[Any]
    block_size: int
    neutral: str
    name: str
    arguments: list[ScalarArg | VectorArg]
    def __init__(
        self, dtype_out: DTypeLike, neutral: object, reduce_expr: str, map_expr: str | None = None, arguments: _Arguments | None = None,
        name: str = "reduce_kernel", keep: bool = False, options: _Options = None, preamble: str = "",
    ) -> None: ...
    @property
    def stage1_func(self) -> Callable[..., None]: ...
    @property
    def stage2_func(self) -> Callable[..., None]: ...
    def __call__(
        self, *args: Any, stream: _AnyStream | None = None, out: GPUArray | None = None, allocator: Callable[[int], Any] | None = None,
        kernel_wrapper: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None, **_ignored: Any,
    ) -> GPUArray: ...

def get_reduction_module(
    out_type: str, block_size: int, neutral: str, reduce_expr: str, map_expr: str, arguments: str, name: str = "reduce_kernel",
    keep: bool = False, options: _Options = None, preamble: str = "",
) -> SourceModule: ...
def get_reduction_kernel_and_types(
    stage: Literal[1, 2], out_type: str, block_size: int, neutral: str, reduce_expr: str, map_expr: str | None = None,
    arguments: _Arguments | None = None, name: str = "reduce_kernel", keep: bool = False, options: _Options = None, preamble: str = "",
) -> tuple[Function, list[str]]: ...
def get_sum_kernel(dtype_out: DTypeLike | None, dtype_in: DTypeLike) -> ReductionKernel: ...
def get_any_kernel(dtype_out: DTypeLike, dtype_in: DTypeLike) -> ReductionKernel: ...
def get_all_kernel(dtype_out: DTypeLike, dtype_in: DTypeLike) -> ReductionKernel: ...
def get_dot_kernel(dtype_out: DTypeLike | None, dtype_a: DTypeLike, dtype_b: DTypeLike) -> ReductionKernel: ...
def get_subset_sum_kernel(dtype_out: DTypeLike | None, dtype_subset: DTypeLike, dtype_in: DTypeLike) -> ReductionKernel: ...
def get_subset_dot_kernel(
    dtype_out: DTypeLike | None, dtype_subset: DTypeLike, dtype_a: DTypeLike | None = None, dtype_b: DTypeLike | None = None,
) -> ReductionKernel: ...
def get_minmax_neutral(what: _Extremum, dtype: DTypeLike) -> str: ...
def get_minmax_kernel(what: _Extremum, dtype: DTypeLike) -> ReductionKernel: ...
def get_subset_minmax_kernel(what: _Extremum, dtype: DTypeLike, dtype_subset: DTypeLike) -> ReductionKernel: ...
