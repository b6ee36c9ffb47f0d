"""GPUArray and the functions of pycuda.gpuarray."""

import numpy as np
import pycuda.driver as drv
from other_values import NO_ARRAY, WRONG, floats, made, values
from pycuda.gpuarray import GPUArray, to_gpu
from table import SIZE, Reads, Writes, row

NUMBER = [*values("x", [None], drv.Stream), *made(an_object=object)]
NOTHING_WRONG = values()


def indices():
    return to_gpu(np.array([3, 0, 1], np.int32))


def ints():
    return to_gpu(np.arange(4, dtype=np.int32))


# ---- creating them


def written_and_read(result, given):
    """Fills the array in the given memory with a kernel."""
    array = result if isinstance(result, GPUArray) else given.self
    if array.nbytes <= SIZE:  # with another dtype it is larger than the memory
        array.fill(7)


SEVENS = bytes([7]) * SIZE
row("gpuarray.GPUArray", shape=SIZE, dtype=np.uint8, gpudata=Writes(SEVENS), takes={"gpudata": "_Pointer"}, then=written_and_read,
    but={"gpudata": {"none": ...}},
    wrong={"strides": values("x", 1.5, (1, 1), ("x",)), "base": NOTHING_WRONG, "allocator": NOTHING_WRONG})
row("gpuarray.GPUArray.gpudata", on=lambda: GPUArray(SIZE, np.uint8), takes={"=": "_Pointer"}, then=written_and_read,
    but={"=": {"none": drv.LogicError}}, **{"=": Writes(SEVENS)})
row("gpuarray.GPUArray.shape", on=floats, takes={"=": "_Shape"}, **{"=": (2, 2)})
row("gpuarray.GPUArray.strides", on=floats, wrong={"=": values("x", 1.5, ("x",))}, **{"=": (4,)})
row("gpuarray.GPUArray.dtype", on=floats, takes={"=": "DTypeLike"}, **{"=": np.int32})
for field in ("size", "mem_size", "nbytes"):
    row(f"gpuarray.GPUArray.{field}", on=floats, wrong={"=": NOTHING_WRONG}, **{"=": 4})
row("gpuarray.GPUArray.allocator", on=floats, wrong={"=": NOTHING_WRONG}, **{"=": lambda: drv.mem_alloc})
row("gpuarray.GPUArray.base", on=floats, wrong={"=": NOTHING_WRONG}, **{"=": None})
for name in ("zeros", "ones"):
    row(f"gpuarray.{name}", shape=4, dtype=np.float32, allocator=lambda: drv.mem_alloc, order="F")
for name in ("empty_like", "zeros_like", "ones_like"):
    row(f"gpuarray.{name}", other_ary=floats, dtype=np.float32, order="C", wrong={"other_ary": NOTHING_WRONG})  # as NumPy's: 42.0 has a shape
row("gpuarray.arange", **{"*args": [0, 4]}, dtype=np.float32, stream=None,
    wrong={"*args": [*values(["x"], [object()], [0, 1, 0], [None])], "start": values("x", [1]), "stop": values("x", [1]), "step": values("x")})
row("gpuarray.from_dlpack", exporter=floats, stream=drv.Stream, copy=None, wrong={"exporter": [*values(3, "x", None), *made(an_object=object)]},
    takes={"copy": "bool"})
row("gpuarray.splay", n=100, dev=lambda: drv.Device(0))

# ---- host memory: any layout


def holds_the_same(result, given):
    array = result if isinstance(result, GPUArray) else given.self
    given_array = np.asarray(given.ary)
    drv.Context.synchronize()
    # NumPy copies nothing of a structure without fields, which is the dtype of a memoryview of a numpy.void.
    assert array.get().astype(given_array.dtype, copy=False).tobytes() == given_array.tobytes()


ANY_LAYOUT = {name: None for name in ("strided array", "reversed array", "array with gaps between rows", "broadcast array", "a list", "an int", "a float",
                                      "memoryview with gaps", "reversed memoryview")}
NO_DTYPE = {"a str": None, **dict.fromkeys(("freed page locked memory", "freed managed memory", "released memoryview"), TypeError)}
for name in ("to_gpu", "to_gpu_async"):
    row(f"gpuarray.{name}", ary=Reads(), takes={"ary": "_Source"}, then=holds_the_same, but={"ary": {**ANY_LAYOUT, **NO_DTYPE}})

# ---- operations on one array

for name in ("any", "all", "sum", "prod", "mean", "min", "max", "argmin", "argmax", "cumsum"):
    row(f"gpuarray.GPUArray.{name}", on=floats)
    row(f"gpuarray.{name}", a=floats)
for name in ("std", "var"):
    row(f"gpuarray.GPUArray.{name}", on=floats, wrong={"ddof": NUMBER})
row("gpuarray.GPUArray.argsort", on=floats, wrong={"kind": values("x", 3), "order": values("x", 3), "stable": NOTHING_WRONG})
row("gpuarray.GPUArray.repeat", on=floats, repeats=2, wrong={"repeats": values("x", 1.5, -1, [1, 2], [[1]])})
row("gpuarray.GPUArray.round", on=floats)
row("gpuarray.asarray", a=floats, dtype=np.float32, wrong={"a": [*made(an_object=object)]})
for name in ("cumprod", "sort", "argsort", "unique", "nonzero"):
    row(f"gpuarray.{name}", a=floats)
for name in ("conj", "conjugate", "reverse"):
    row(f"gpuarray.GPUArray.{name}", on=floats)
row("gpuarray.GPUArray.astype", on=floats, dtype=np.int32)
row("gpuarray.GPUArray.fill", on=floats, value=3, wrong={"value": NUMBER})
row("gpuarray.GPUArray.view", on=floats, dtype=np.int32)
row("gpuarray.GPUArray.squeeze", on=floats)
for name in ("copy", "ravel", "flatten"):
    row(f"gpuarray.GPUArray.{name}", on=floats, order="C")
for name in ("real", "imag"):
    row(f"gpuarray.GPUArray.{name}", on=lambda: to_gpu(np.zeros(4, np.complex64)), wrong={"=": values("x", [1, 2, 3], ("x",), {})}, **{"=": 3})
row("gpuarray.GPUArray.item", on=floats, **{"*index": (0,)}, wrong={"*index": values(["x"], [99], [1.5], [2**70], [None])})
row("gpuarray.GPUArray.reshape", on=floats, **{"*shape": (2, 2)}, order="C", wrong={"*shape": values(["x"], [3], [-1, -1], [1.5], [2**70], [None])})
row("gpuarray.GPUArray.transpose", on=floats, axes=0, wrong={"axes": values("x", [1.5], [9], 3.5), "*more": values(["x"], [1])})
VIEWED = [wrong for wrong in WRONG["GPUArray"] if wrong.name != "array of freed memory"]
row("gpuarray.transpose", a=floats, wrong={"a": VIEWED, "axes": values("x", [1.5], [9], 3.5)})
row("gpuarray.reshape", a=floats, **{"*shape": (2, 2)}, wrong={"a": VIEWED, "*shape": values(["x"], [3], [-1, -1], [1.5])})
row("gpuarray.GPUArray.clip", on=floats, a_min=0, a_max=1, wrong={name: NUMBER for name in ("a_min", "a_max", "min", "max")})
row("gpuarray.clip", a=floats, a_min=0, a_max=1, wrong={"a": [wrong for wrong in WRONG["GPUArray"] if wrong.name != "host array"]})
IS_ASYNC = {"set": {"async_": True}}  # only then is the stream used
LIKE_ARRAYS = [*values("x", None), *made(an_object=object), *values(np.zeros(5), np.zeros((2, 2)))]
for name in ("set", "set_async"):
    row(f"gpuarray.GPUArray.{name}", on=floats, ary=lambda: np.ones(4, np.float32), wrong={"ary": LIKE_ARRAYS}, **IS_ASYNC.get(name, {}))
DESTINATIONS = [*values("x", 3, b"x", raises=NO_ARRAY), *made(NO_ARRAY, an_object=object, other_shape=lambda: np.zeros(5, np.float32), read_only=lambda: np.frombuffer(bytes(16), np.float32))]
row("gpuarray.GPUArray.get", on=floats, async_=True, ary=lambda: np.ones(4, np.float32), wrong={"ary": DESTINATIONS, "pagelocked": NOTHING_WRONG})
row("gpuarray.GPUArray.get_async", on=floats, stream=drv.Stream, ary=lambda: np.ones(4, np.float32), wrong={"ary": DESTINATIONS})

# ---- operations on several

row("gpuarray.GPUArray.dot", on=floats, other=floats)
row("gpuarray.dot", a=floats, b=floats)
row("gpuarray.matmul", a=lambda: floats((2, 2)), b=lambda: floats((2, 2)))
row("gpuarray.GPUArray.mul_add", on=floats, selffac=2, other=floats, otherfac=3, wrong={"add_timer": values(3, "x")})
for name in ("minimum", "maximum"):
    row(f"gpuarray.{name}", a=floats, b=floats)
for name in ("logical_and", "logical_or"):
    row(f"gpuarray.{name}", x1=floats, x2=floats)
row("gpuarray.logical_not", x=floats)
for name in ("if_positive", "where"):
    row(f"gpuarray.{name}", criterion=ints, then_=floats, else_=floats)
row("gpuarray.fuse", function=lambda: floats)
row("gpuarray.concatenate", arrays=lambda: [floats(), floats()], axis=0)
row("gpuarray.stack", arrays=lambda: [floats(), floats()], axis=0)
row("gpuarray.take", a=floats, indices=indices)
SHAPES = values("x", 1.5, -1)
row("gpuarray.multi_take", arrays=lambda: [floats()], indices=indices)
row("gpuarray.multi_put", arrays=lambda: [to_gpu(np.ones(3, np.float32))], dest_indices=indices, dest_shape=4, wrong={"dest_shape": SHAPES})
row("gpuarray.multi_take_put", arrays=lambda: [floats()], dest_indices=indices, src_indices=indices, dest_shape=4,
    wrong={"dest_shape": SHAPES, "src_offsets": values("x", 3, ["x"])})
row("gpuarray.subset_sum", subset=indices, a=floats)
row("gpuarray.subset_dot", subset=indices, a=floats, b=floats)
for name in ("subset_min", "subset_max"):
    row(f"gpuarray.{name}", subset=indices, a=floats)


def unbound():
    return drv.TextureReference()


row("gpuarray.GPUArray.bind_to_texref", on=floats, texref=unbound, allow_offset=False)
row("gpuarray.GPUArray.bind_to_texref_ext", on=floats, texref=unbound, channels=1)
