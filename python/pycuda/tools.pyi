from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager
from os import PathLike
from typing import Any, NamedTuple, ParamSpec, TypeVar, type_check_only

import numpy as np
from numpy.typing import DTypeLike

from pycuda.driver import Context, Device
from pycuda.driver import DeviceMemoryPool as DeviceMemoryPool
from pycuda.driver import PageLockedAllocator as PageLockedAllocator
from pycuda.driver import PageLockedMemoryPool as PageLockedMemoryPool
from pycuda.driver import PooledDeviceAllocation as PooledDeviceAllocation
from pycuda.driver import PooledHostAllocation as PooledHostAllocation

_P = ParamSpec("_P")
_T = TypeVar("_T")

class Argument:
    dtype: np.dtype[Any]
    name: str
    def __init__(self, dtype: DTypeLike, name: str) -> None: ...

class ScalarArg(Argument):
    def declarator(self) -> str: ...
    @property
    def struct_char(self) -> str: ...

class VectorArg(Argument):
    struct_char: str
    def declarator(self) -> str: ...

class DebugMemoryPool(DeviceMemoryPool):
    interactive: bool
    logfile: Any
    names: dict[tuple[tuple[str, int, str], ...], str]
    def __init__(self, interactive: bool = True, logfile: Any = None) -> None: ...
    def describe(self, stack: tuple[tuple[str, int, str], ...], size: int) -> str: ...
    def allocate(self, size: int) -> Any: ...  # type: ignore[override]

class DeviceData:
    max_threads: int
    warp_size: int
    warps_per_mp: int
    thread_blocks_per_mp: int
    registers: int
    registers_per_mp: int
    shared_memory: int
    shared_memory_per_mp: int
    reserved_shared_memory: int
    shared_memory_optin: int
    smem_alloc_granularity: int
    smem_granularity: int
    register_allocation_unit: str
    def __init__(self, dev: Device | None = None) -> None: ...
    def align(self, bytes: int, word_size: int = 4) -> int: ...
    def align_dtype(self, elements: int, dtype_size: int) -> int: ...
    def align_words(self, word_size: int) -> int: ...
    def align_bytes(self, word_size: int = 4) -> int: ...
    def coalesce(self, thread_count: int) -> int: ...
    @staticmethod
    def make_valid_tex_channel_count(size: int) -> int: ...

class OccupancyRecord:
    tb_per_mp_limits: list[tuple[int, str]]
    tb_per_mp: int
    limited_by: str
    warps_per_mp: int
    occupancy: float
    def __init__(self, devdata: DeviceData, threads: int, shared_mem: int = 0, registers: int = 0) -> None: ...

context_dependent_memoized_functions: list[Callable[..., Any]]

def context_dependent_memoize(func: Callable[_P, _T]) -> Callable[_P, _T]: ...
def clear_context_caches() -> None: ...
@type_check_only
class _Allocations(NamedTuple):
    kind: str
    place: str
    count: int
    bytes: int

@type_check_only
class _MemoryReport:
    objects: dict[str, int]
    allocations: list[_Allocations]
    pool: dict[str, int]
    device: dict[str, int]

def memory_report() -> _MemoryReport: ...
def record_allocations(on: bool = True) -> None: ...
def trace(path: str | PathLike[str]) -> AbstractContextManager[None]: ...
def init_cuda_context_fixture() -> Generator[Context, None, None]: ...
def mark_cuda_test(inner_f: Callable[_P, _T]) -> Callable[_P, _T]: ...
def get_or_register_dtype(names: str | Iterable[str], dtype: DTypeLike | None = None) -> np.dtype[Any]: ...
def register_dtype(dtype: DTypeLike, c_names: str | Iterable[str], alias_ok: bool = False) -> None: ...
def dtype_to_ctype(dtype: DTypeLike, with_fp_tex_hack: bool = False) -> str: ...
def parse_c_arg(c_arg: str) -> ScalarArg | VectorArg: ...
def get_arg_type(c_arg: str) -> str: ...
def bitlog2(n: int) -> int: ...
def make_default_context(ctx_maker: Callable[[Device], Context] | None = None) -> Context: ...
def get_default_device(default: int = 0) -> Device: ...
