"""Kernels from a line of C: pycuda.elementwise, pycuda.reduction, pycuda.scan."""

import numpy as np
import pycuda.driver as drv
from kinds import shared
from other_values import NO_ARRAY, WRONG, floats, made, values
from pycuda.elementwise import ElementwiseKernel
from pycuda.gpuarray import to_gpu
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, GenericScanKernel, InclusiveScanKernel
from pycuda.tools import ScalarArg, VectorArg
from surface import SURFACE
from table import ROWS, row

ANYTHING = values()
F32 = np.float32
#: Text that the compiler rejects, and values that are not text.
CODE = [*values(3, 1.5, [1], None), *made(an_object=object), *values("a\0b", "\udc80", "no code", may_be_taken=True)]
CALLED_WITH = [*values([None], ["x"], [], [object()], raises=(*NO_ARRAY, drv.Error)), *made((*NO_ARRAY, drv.Error), nothing_of_the_kind=lambda: [floats(), "x"])]


@shared
def doubled():
    return ElementwiseKernel("float *y, float *x", "y[i] = 2 * x[i]", "doubled")


@shared
def total():
    return ReductionKernel(F32, "0", "a + b", "x[i]", "float *x", "total")


def integers():
    return to_gpu(np.arange(4, dtype=np.int32))


# ---- elementwise

NAMES = values(3, "a b", may_be_taken=True)  # checked by the compiler only
TEXTS = {"operation": CODE, "name": NAMES, "options": NAMES, "preamble": CODE, "loop_prep": CODE, "after_loop": CODE}
row("elementwise.ElementwiseKernel", arguments="float *x", operation="x[i] = 1", name="ones", wrong=TEXTS, then=lambda made, _: made.arguments)
row("elementwise.ElementwiseKernel.__call__", on=doubled, **{"*args": lambda: [floats(), floats()]}, stream=drv.Stream, wrong={"*args": CALLED_WITH})
row("elementwise.ElementwiseKernel.generate_stride_kernel_and_types", on=doubled, use_range=False)
row("elementwise.ElementwiseKernel.get_texref", on=doubled, name="none", fails=drv.LogicError)
LIST = [VectorArg(F32, "x"), ScalarArg(np.int32, "n")]
RANGE = [ScalarArg(np.int32, name) for name in ("start", "stop", "step")]
for name, arguments in (("get_elwise_module", LIST), ("get_elwise_range_module", [*LIST, *RANGE])):
    row(f"elementwise.{name}", arguments=arguments, operation="x[i] = 1", name="ones", wrong=TEXTS)
for name in ("get_elwise_kernel_and_types", "get_elwise_kernel"):
    row(f"elementwise.{name}", arguments="float *x", operation="x[i] = 1", name="ones", wrong=TEXTS)

NO_CODE = {name: CODE for name in ("func", "func_name", "operator")}
GIVEN = {"vec_count": 1, "with_offsets": False, "operator": "+", "func": "fminf", "func_name": "sinf", "summand_descriptors": ((False, F32, F32),),
         "x_is_scalar": False, "y_is_scalar": False, "use_scalar": False, "is_base_array": True, "is_exp_array": True, "idx_dtype": np.int32,
         "real_dtype": F32, "crit_dtype": np.int32}
COMPLEX = {"get_real_kernel", "get_imag_kernel", "get_conj_kernel"}


def row_of_kernel(name, parameters):
    """The row of a function that returns a kernel for given element types."""
    given = {parameter.name: GIVEN.get(parameter.name, F32) for parameter in parameters}
    if name.split(".")[1] in COMPLEX:
        given.update(dict.fromkeys(set(given) & {"dtype", "conj_dtype"}, np.complex64))
    if name.endswith("minmax_kernel"):
        given["func"] = "max"
    wrong = {key: texts for key, texts in NO_CODE.items() if key in given}
    if "vec_count" in given:
        wrong["vec_count"] = values(0, -1, 2**31, 2**70, "x")
    if "summand_descriptors" in given:
        wrong["summand_descriptors"] = values(3, "x", [3], [(1,)])
    row(name, **given, wrong=wrong)


for name, parameters in SURFACE.items():
    if name.startswith("elementwise.get_") and name not in ROWS:
        row_of_kernel(name, parameters)

# ---- reduction

NEUTRAL = values("no code", object(), may_be_taken=True)
REDUCED = {"reduce_expr": CODE, "map_expr": [wrong for wrong in CODE if wrong.name != "None"], "name": NAMES, "preamble": CODE, "neutral": NEUTRAL}
row("reduction.ReductionKernel", dtype_out=F32, neutral="0", reduce_expr="a + b", map_expr="x[i]", arguments="float *x", wrong=REDUCED)
row("reduction.ReductionKernel.__call__", on=total, **{"*args": lambda: [floats()]}, stream=drv.Stream, allocator=lambda: drv.mem_alloc,
    wrong={"*args": CALLED_WITH, "kernel_wrapper": values(3, "x")})
STAGE = {"out_type": "float", "block_size": 64, "neutral": "0", "reduce_expr": "a + b", "map_expr": "x[i]", "arguments": "float *x"}
row("reduction.get_reduction_module", **STAGE, wrong={**REDUCED, "arguments": CODE, "out_type": CODE})
row("reduction.get_reduction_kernel_and_types", stage=1, **STAGE, wrong={**REDUCED, "stage": values(0, 3, "x", None), "out_type": CODE})
for name, parameters in SURFACE.items():
    if name.startswith("reduction.get_") and "stage" not in (names := [parameter.name for parameter in parameters]) and "reduce_expr" not in names:
        row(name, **{what: {"what": "max", "dtype_subset": np.uint32}.get(what, F32) for what in names})

# ---- scan

SCANNED = {"scan_expr": CODE, "name_prefix": NAMES, "preamble": CODE, "neutral": NEUTRAL, "devices": ANYTHING}
SCANS = {"Inclusive": InclusiveScanKernel, "Exclusive": ExclusiveScanKernel}
for kind, make in SCANS.items():
    row(f"scan.{kind}ScanKernel", dtype=np.int32, scan_expr="a + b", neutral="0", wrong=SCANNED)
    row(f"scan.{kind}ScanKernel.__call__", on=shared(lambda make=make: make(np.int32, "a + b", "0")), input_ary=integers, output_ary=integers,
        allocator=lambda: drv.mem_alloc, stream=drv.Stream)
SUMS = {"arguments": "int *x, int *y", "input_expr": "x[i]", "scan_expr": "a + b", "neutral": "0", "output_statement": "y[i] = item;"}


@shared
def sums():
    return GenericScanKernel(np.int32, **SUMS)


row("scan.GenericScanKernel", dtype=np.int32, **SUMS, index_dtype=np.int32,
    wrong={**SCANNED, "input_expr": CODE, "output_statement": CODE, "is_segment_start_expr": [wrong for wrong in CODE if wrong.name != "None"],
           "input_fetch_exprs": values(3, [3], [("x",)])})
row("scan.GenericScanKernel.__call__", on=sums, **{"*args": lambda: [integers(), integers()]}, allocator=lambda: drv.mem_alloc, size=4, stream=drv.Stream,
    wrong={"*args": CALLED_WITH, "size": [wrong for wrong in WRONG["integer"] if wrong.name != "None"]})
