"""Writes pycuda/cumath.pyi from the array engine's table of operations.

usage: generate_stubs.py core/include/pycuda/gpuarray out_dir
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "core"))
from array_tables import operations  # noqa: E402

HEAD = """from typing import Any

import numpy as np

from pycuda import gpuarray as gpuarray
from pycuda.driver import Stream
from pycuda.gpuarray import GPUArray

_Out = GPUArray | None
_Stream = Stream | None
_Operand = GPUArray | float | np.number[Any]

"""
UNARY = "(array: GPUArray, stream_or_out: _Stream | _Out = None, *, out: _Out = None, stream: _Stream = None) -> GPUArray: ..."
BINARY = "(x: GPUArray, y: _Operand, stream: _Stream = None) -> GPUArray: ..."
# Functions with PyCUDA's parameter names, and with two results.
OTHERS = {
    "fmod": "(arg: GPUArray, mod: _Operand, stream: _Stream = None) -> GPUArray: ...",
    "atan2": "(y: GPUArray, x: _Operand, stream: _Stream = None) -> GPUArray: ...",
    "ldexp": "(significand: GPUArray, exponent: _Operand, stream: _Stream = None) -> GPUArray: ...",
    "frexp": "(arg: GPUArray, stream: _Stream = None) -> tuple[GPUArray, GPUArray]: ...",
    "modf": "(arg: GPUArray, stream: _Stream = None) -> tuple[GPUArray, GPUArray]: ...",
}


def main(tables, out_dir):
    functions = {operation.python.removeprefix("cumath."): operation for operation in operations(tables) if operation.python.startswith("cumath.")}
    lines = [f"def {name}{OTHERS.get(name, UNARY if operation.arity == '1' else BINARY)}\n" for name, operation in functions.items()]
    (Path(out_dir) / "cumath.pyi").write_text(HEAD + "".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
