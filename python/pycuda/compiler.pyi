"""Types of pycuda.compiler."""

import builtins
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

from pycuda.driver import CompileError as _CompileError
from pycuda.driver import Function, Linker, Module

_Path = str | PathLike[str]
_Paths = _Path | Iterable[_Path]
_Code = str | bytes | bytearray | memoryview
_CacheDir = _Path | Literal[False] | None
_MessageHandler = Callable[[bool, str, str], object]

DEFAULT_NVCC_FLAGS: list[str]
CompileError: type[_CompileError]

def compile(
    source: _Code,
    nvcc: _Path = "nvcc",
    options: _Paths | None = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: _CacheDir = None,
    include_dirs: _Paths | None = [],
    target: Literal["cubin", "ptx", "fatbin"] = "cubin",
) -> bytes: ...

def compile_plain(
    source: _Code,
    options: _Paths | None,
    keep: bool,
    nvcc: _Path,
    cache_dir: _CacheDir,
    target: Literal["cubin", "ptx", "fatbin"] = "cubin",
) -> bytes: ...
def preprocess_source(source: _Code, options: _Paths | None, nvcc: _Path) -> str: ...

class CudaModule:
    module: Module
    def get_function(self, name: str) -> Function: ...
    def get_global(self, name: str) -> tuple[int, int]: ...
    def get_texref(self, name: str) -> Any: ...
    def get_surfref(self, name: str) -> Any: ...
    def function_names(self) -> list[str]: ...

class SourceModule(CudaModule):
    def __init__(
        self,
        source: _Code,
        nvcc: _Path = "nvcc",
        options: _Paths | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: _CacheDir = None,
        include_dirs: _Paths | None = [],
        name_expressions: _Paths = (),
    ) -> None: ...
    def get_function(self, name: str) -> Function: ...
    def get_global(self, name: str) -> tuple[int, int]: ...

class DynamicModule(CudaModule):
    linker: Linker
    def __init__(
        self,
        nvcc: _Path = "nvcc",
        link_options: Sequence[tuple[int, int]] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: _CacheDir = None,
        include_dirs: _Paths | None = None,
        message_handler: _MessageHandler | None = None,
        log_verbose: bool = False,
        cuda_libdir: _Path | None = None,
    ) -> None: ...
    def add_source(
        self, source: _Code, nvcc_options: _Paths | None = None, name: str = "kernel.ptx"
    ) -> DynamicModule: ...
    def add_data(self, data: _Code, input_type: int, name: str = "unknown") -> DynamicModule: ...
    def add_file(self, filename: _Path, input_type: int) -> DynamicModule: ...
    def add_stdlib(self, libname: str) -> DynamicModule: ...
    def link(self) -> DynamicModule: ...
    def get_function(self, name: str) -> Function: ...
    def get_global(self, name: str) -> tuple[int, int]: ...

class DynamicSourceModule(DynamicModule):
    def __init__(
        self,
        source: _Code,
        nvcc: _Path = "nvcc",
        options: _Paths | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: _CacheDir = None,
        include_dirs: _Paths | None = None,
        cuda_libdir: _Path | None = None,
    ) -> None: ...

class CacheEntry(NamedTuple):
    key: str
    name: str
    kind: str
    arch: str
    compiler: str
    nbytes: int
    last_used: int

class _Cache:
    def __init__(self, directory: _Path | None = None) -> None: ...
    @property
    def directory(self) -> str: ...
    def list(self) -> builtins.list[CacheEntry]: ...
    def size(self) -> int: ...
    def clear(self) -> int: ...
    def export_to(self, filename: _Path) -> int: ...
    def import_from(self, filename: _Path) -> int: ...
    def __call__(self, directory: _Path) -> _Cache: ...

cache: _Cache

def get_nvcc_version(nvcc: _Path = "nvcc") -> str: ...
