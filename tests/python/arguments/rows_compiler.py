"""pycuda.compiler, pycuda.characterize."""

import pathlib
import tempfile

import pycuda.driver as drv
from kernels import SCALE
from kinds import shared
from other_values import made, values
from pycuda import characterize, compiler
from rows_code import NO_PTX, OPTIONS, PATHS
from table import row

CODE = "__global__ void nothing() {}"
ARCHITECTURES = [*values(3, 1.5, [1]), *made(an_object=object), *values("a\0b", "no architecture", may_be_taken=True)]
TARGETS = [*values(3, None, "exe", [1]), *made(an_object=object)]
BUILT = {"arch": ARCHITECTURES, "code": ARCHITECTURES}


@shared
def module():
    return compiler.SourceModule(CODE)


@shared
def folder():
    return tempfile.mkdtemp()


@shared
def file_of_ptx():
    path = pathlib.Path(folder()) / "scale.ptx"
    path.write_text(SCALE)
    return str(path)


row("compiler.compile", source=CODE, target="ptx", cache_dir=folder, wrong={**BUILT, "target": TARGETS})
row("compiler.compile_plain", source=CODE, options=[], keep=False, nvcc="nvcc", cache_dir=folder, target="ptx", wrong={"target": TARGETS})
row("compiler.preprocess_source", source=CODE, options=[], nvcc="nvcc")
row("compiler.get_nvcc_version", nvcc="nvcc")
row("compiler.SourceModule", source=CODE, name_expressions=[], wrong=BUILT)
LATER = values(3, "x", may_be_taken=True)  # stored for add_source, which checks it
KEPT = dict.fromkeys(("nvcc", "arch", "code", "cache_dir", "include_dirs", "cuda_libdir"), LATER)
row("compiler.DynamicModule", link_options=[], message_handler=None, wrong={**KEPT, "link_options": OPTIONS})
row("compiler.DynamicSourceModule", source=CODE, wrong={**BUILT, "cuda_libdir": LATER}, cuda_libdir=folder)
for kind, make in (("CudaModule", module), ("SourceModule", module), ("DynamicModule", module), ("DynamicSourceModule", module)):
    row(f"compiler.{kind}.get_function", on=make, name="nothing")
    for what in ("get_global", "get_texref", "get_surfref"):
        row(f"compiler.{kind}.{what}", on=make, name="none", fails=drv.LogicError)
for kind, make in (("DynamicModule", compiler.DynamicModule), ("DynamicSourceModule", compiler.DynamicModule)):
    row(f"compiler.{kind}.add_source", on=make, source=CODE, nvcc_options=[], name="more.ptx")
    row(f"compiler.{kind}.add_data", on=make, data=SCALE.encode(), input_type=drv.jit_input_type.PTX, name="code", wrong={"data": NO_PTX})
    row(f"compiler.{kind}.add_file", on=make, filename=file_of_ptx, input_type=drv.jit_input_type.PTX, wrong={"filename": PATHS})
    row(f"compiler.{kind}.add_stdlib", on=make, libname="none", fails=OSError, wrong={"libname": values(3, None, [1], raises=(TypeError, OSError), may_be_taken=True)})
row("characterize.sizeof", type_name="float", preamble="", wrong={"type_name": values("no type", [1])})
