"""The declarations in the toolkit's cuda.h: enums, integer macros and entry points, read as text."""

import os
import re
from pathlib import Path

INCLUDE_DIR = Path(os.environ.get("PYCUDA_CUDA_INCLUDE_DIR", "/usr/local/cuda/include"))


def _without_comments(text):
    return re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.S))


def _value(expression, known):
    """The value of a C constant expression of integer literals and earlier names."""
    expression = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", " ".join(expression.split()))
    return eval(expression, {"__builtins__": {}}, known)


class CudaHeader:
    """`enums`: type name -> {value name: value}; `macros`: name -> integer; `functions`: exported symbol names."""

    def __init__(self, path=INCLUDE_DIR / "cuda.h"):
        text = _without_comments(Path(path).read_text(encoding="utf-8"))
        defines = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\S+)[ \t]*$", text, re.M)
        self.macros = {name: int(value, 0) for name, value in defines if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", value)}
        self.enums = self._read_enums(text)
        self.functions = self._read_functions(text, dict(defines))

    def _read_enums(self, text):
        known = dict(self.macros)
        enums = {}
        text = re.sub(r"^[ \t]*#.*$", "", text, flags=re.M)  # conditions within an enum
        for body, type_name in re.findall(r"\btypedef\s+enum\b\s*\w*\s*\{(.*?)\}\s*(\w+)\s*;", text, re.S):
            values = {}
            value = -1
            for entry in filter(None, (entry.strip() for entry in body.split(","))):
                name, _, expression = (part.strip() for part in entry.partition("="))
                value = _value(expression, known) if expression else value + 1
                values[name] = known[name] = value
            enums[type_name] = values
        return enums

    @staticmethod
    def _read_functions(text, defines):
        # cuda.h renames many functions to the newest version of their interface: #define cuMemAlloc cuMemAlloc_v2.
        # Functions with streams may be written as __CUDA_API_PTSZ(cuMemcpyAsync): the variants for per-thread default streams.
        declared = re.findall(r"\bCUresult\s+CUDAAPI\s+(cu\w+)\s*\(", text)
        newest = {name: re.sub(r"__CUDA_API_\w+\((\w+)\)", r"\1", value) for name, value in defines.items()}
        return {newest.get(name, name) for name in declared}
