"""Modules and functions: loading code, and launch arguments."""

import tempfile

import numpy as np
import pycuda.driver as drv
from kernels import SCALE
from kinds import shared
from other_values import NO_OBJECT, made, values
from table import Reads, row


@shared
def module():
    return drv.module_from_buffer(SCALE)


@shared
def library():
    return drv.Library.from_buffer(SCALE)


@shared
def file_of_ptx():
    file = tempfile.NamedTemporaryFile(suffix=".ptx")  # noqa: SIM115  deleted when SHARED is cleared
    file.write(SCALE.encode())
    file.flush()
    return file


def nothing():
    return module().get_function("nothing")


def prepared():
    return module().get_function("nothing").prepare("")


PATHS = [*values(3, None, 1.5), *made(an_object=object), *values("no such file", "a\0b", may_be_taken=True)]
NO_PTX = [*values(None, 3, 1.5, [1]), *made(an_object=object, objects=lambda: np.array([None])), *values(b"", b"\0", "", "no PTX", may_be_taken=True)]
OPTIONS = [*values(3, "x", [3], [(1,)], [("x", 1)], [(1, "x")]), *made(an_object=object)]
TEXREFS = [*values(3, "x", [3], [None]), *made(an_object=object)]
ARGUMENTS = [*values([None], ["x"], [3], [1.5]), *made(an_object=lambda: [object()], objects=lambda: [np.array([None])])]
ATTRIBUTES = [*values(3, "x", 1.5, [1], {"x": 1}, {None: 1}, {"priority": "x"}, {"priority": None}), *made(an_object=object)]

row("driver.module_from_file", filename=lambda: file_of_ptx().name, wrong={"filename": PATHS})
row("driver.module_from_buffer", buffer=SCALE.encode(), options=[], message_handler=None,
    wrong={"buffer": NO_PTX, "options": OPTIONS, "message_handler": values(3, "x")})
row("driver.Linker", message_handler=None, options=[], log_verbose=False, wrong={"message_handler": values(3, "x"), "options": OPTIONS})
row("driver.Linker.add_data", on=drv.Linker, data=SCALE.encode(), input_type=drv.jit_input_type.PTX, name="code", wrong={"data": NO_PTX})
row("driver.Linker.add_file", on=drv.Linker, filename=lambda: file_of_ptx().name, input_type=drv.jit_input_type.PTX, wrong={"filename": PATHS})
for name, value in (("get_function", "scale"), ("get_global", "table")):
    row(f"driver.Module.{name}", on=module, name=value)
row("driver.Library.from_buffer", buffer=SCALE.encode(), options=[], message_handler=None,
    wrong={"buffer": NO_PTX, "options": OPTIONS, "message_handler": values(3, "x")})
row("driver.Library.from_file", filename=lambda: file_of_ptx().name, options=[], message_handler=None,
    wrong={"filename": PATHS, "options": OPTIONS, "message_handler": values(3, "x")})
row("driver.Library.get_kernel", on=library, name="scale")
row("driver.Library.get_global", on=library, name="table")
row("driver.Library.get_managed", on=library, name="table", fails=drv.LogicError)
row("driver.Library.get_unified_function", on=library, name="scale", fails=drv.LogicError)
row("driver.Kernel.__call__", on=lambda: library().get_kernel("nothing"), fails=ValueError, wrong={"*args": ARGUMENTS})
row("driver.Kernel.get_attribute", on=lambda: library().get_kernel("nothing"), attribute=0, device=lambda: drv.Device(0))
row("driver.Kernel.set_attribute", on=lambda: library().get_kernel("nothing"), attribute=drv.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES,
    value=1024, device=lambda: drv.Device(0))
row("driver.Kernel.set_cache_config", on=lambda: library().get_kernel("nothing"), config=1, device=lambda: drv.Device(0))
row("driver.Module.get_texref", on=module, name="none", fails=drv.LogicError)
row("driver.Module.get_surfref", on=module, name="none", fails=drv.LogicError)

row("driver.Function.__call__", on=nothing, block=(1, 1, 1), grid=(1, 1), stream=drv.Stream, shared=0, texrefs=[], time_kernel=False,
    cooperative=False, cluster=None, attributes={}, wrong={"*args": ARGUMENTS, "texrefs": TEXREFS, "cluster": values("x", 1.5, (-1, 1, 1)), "attributes": ATTRIBUTES})
row("driver.Function.prepare", on=nothing, arg_types="", shared=0, texrefs=[],
    wrong={"arg_types": [*values(3, None, 1.5, "?!"), *made(an_object=object)], "texrefs": TEXREFS, "shared": values("x", 1.5, -1, 2**70)})
for call in ("prepared_call", "prepared_timed_call"):
    row(f"driver.Function.{call}", on=prepared, grid=(1, 1), block=(1, 1, 1), shared_size=0, attributes=None, wrong={"*args": values([3]), "attributes": ATTRIBUTES})
row("driver.Function.prepared_async_call", on=prepared, grid=(1, 1), block=(1, 1, 1), stream=drv.Stream, shared_size=0, attributes=None,
    wrong={"*args": values([3]), "attributes": ATTRIBUTES})
row("driver.Function.max_active_blocks_per_multiprocessor", on=nothing, block_size=32, dynamic_shared=0, flags=0)
row("driver.Function.max_potential_block_size", on=nothing, dynamic_shared=0, block_size_limit=0, flags=0)
row("driver.Function.available_dynamic_shared", on=nothing, blocks=1, block_size=32)
row("driver.Function.max_active_clusters", on=nothing, block=(1, 1, 1), cluster=(1, 1, 1), grid=(1, 1, 1), shared=0, attributes=None,
    wrong={"attributes": ATTRIBUTES})
row("driver.Function.max_potential_cluster_size", on=nothing, block=(1, 1, 1), shared=0, attributes=None, wrong={"attributes": ATTRIBUTES})
row("driver.Function.get_attribute", on=nothing, attribute=0)
row("driver.Function.set_attribute", on=nothing, attribute=drv.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, value=1024)
row("driver.Function.set_cache_config", on=nothing, config=1)
row("driver.Function.set_shared_config", on=nothing, config=0)

# ---- deprecated since 2011

row("driver.Function.param_set", on=nothing, wrong={"*args": ARGUMENTS})
row("driver.Function.param_set_size", on=nothing, bytes=8)
row("driver.Function.param_seti", on=nothing, offset=0, value=1)
row("driver.Function.param_setf", on=nothing, offset=0, value=1.5)
GIVEN_AS_BYTES = dict.fromkeys((
    "strided array", "reversed array", "array with gaps between rows", "broadcast array", "memoryview with gaps", "reversed memoryview"))
row("driver.Function.param_setv", on=nothing, offset=0, buffer=Reads(), but={"buffer": GIVEN_AS_BYTES})
row("driver.Function.param_set_texref", on=nothing, texref=drv.TextureReference, fails=drv.LogicError)


def shaped():
    function = nothing()
    function.set_block_shape(1, 1, 1)
    function.param_set_size(0)
    return function


def launch(_, given):
    given.self.launch()


row("driver.Function.set_block_shape", on=shaped, x=1, y=1, z=1, then=launch)
row("driver.Function.set_shared_size", on=shaped, bytes=0, then=launch)
row("driver.Function.launch_grid", on=shaped, width=1, height=1)
row("driver.Function.launch_grid_async", on=shaped, width=1, height=1, stream=drv.Stream)

# ---- arguments that copy themselves

ARRAYS = [*NO_OBJECT, *values(None)]
row("driver.ArgumentHandler", array=lambda: np.zeros(4), wrong={"array": values()})
for name in ("In", "Out", "InOut"):
    row(f"driver.{name}", array=lambda: np.zeros(4), wrong={"array": values()})
    for hook in ("pre_call", "post_call"):
        does_nothing = name + hook in ("Inpost_call", "Outpre_call")
        row(f"driver.{name}.{hook}", on=lambda name=name: getattr(drv, name)(np.zeros(4)), stream=drv.Stream,
            wrong={"stream": values()} if does_nothing else {})
