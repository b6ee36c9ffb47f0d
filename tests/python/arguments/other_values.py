"""Wrong values for parameters that take neither a device address nor host memory, by the kind that the stubs give."""

import numpy as np
import pycuda.driver as drv
from kinds import Unusable, shared
from pycuda.gpuarray import GPUArray, to_gpu


class Wrong:
    """A wrong value. `may_be_taken`: it may be accepted; but the process must survive, and any exception must be a suitable one."""

    def __init__(self, name, make, raises=None, may_be_taken=False):
        self.name, self.make, self.raises, self.may_be_taken = name, make, raises, may_be_taken


def values(*given, raises=None, may_be_taken=False):
    return [Wrong(repr(value), lambda value=value: value, raises, may_be_taken) for value in given]


def made(raises=None, may_be_taken=False, **makers):
    return [Wrong(name.replace("_", " "), make, raises, may_be_taken) for name, make in makers.items()]


def in_ended_context(make):
    """An object from a context that has ended; created once for all cells, because creating a context on a GPU takes long."""
    @shared
    def ended(*arguments):
        context = drv.Device(0).make_context()
        made = make(*arguments)
        context.pop()
        context.detach()
        return made

    return ended


def in_other_context(make):
    """An object from a live context that is not current; created once for all cells."""
    @shared
    def other():
        context = drv.Device(0).make_context()
        made = make()
        context.pop()
        return made, context

    return lambda: other()[0]


class Raises:
    """Raises on every access."""

    def __index__(self):
        raise Unusable

    def __cuda_stream__(self):
        raise Unusable

    def __iter__(self):
        raise Unusable


def array(flags=0):
    descriptor = drv.ArrayDescriptor()
    descriptor.width, descriptor.height, descriptor.format, descriptor.num_channels = 64, 0, drv.array_format.UNSIGNED_INT8, 1
    return drv.Array(descriptor)


def mipmapped_array():
    descriptor = drv.ArrayDescriptor3D()
    descriptor.width, descriptor.height, descriptor.format, descriptor.num_channels = 8, 8, drv.array_format.UNSIGNED_INT8, 1
    return drv.MipmappedArray(descriptor, 2)


def freed(make):
    def free():
        made = make()
        made.free()
        return made

    return free


ended_context = in_ended_context(drv.Context.get_current)


def floats(shape=4):
    return to_gpu(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))


def gpuarray_of_freed_memory():
    result = GPUArray(4, np.float32, allocator=drv.mem_alloc)
    result.gpudata.free()
    return result


NO_OBJECT = [*values("x", 3, 1.5, b"x", [1], np.arange(3), drv.Stream), *made(an_object=object, a_stream_descriptor=drv.TextureDescriptor)]
ENDED = drv.LogicError
#: Like in NumPy, arrays are recognised by their attributes: objects without these are rejected.
NO_ARRAY = (TypeError, ValueError, AttributeError)

WRONG = {
    "integer": [*values("x", 1.5, b"x", [1], 2**70, -(2**70), None, np.float32(1), 1j), *made(an_object=object),
                *made(Unusable, index_that_raises=Raises), *values(-1, 2**31, 2**32, may_be_taken=True)],
    "number": [*values("x", [1], None, 1j), *made(an_object=object)],
    "flag": values("x", None, 2**70, 1.5, may_be_taken=True) + made(None, True, an_object=object),
    "text": [*values(3, 1.5, [1], None, "a\0b"), *made(an_object=object), *values("\udc80", b"x", "", may_be_taken=True)],
    "stream": [*values("x", 3, 1.5, b"x", [1], drv.Stream), *made(an_object=object, an_event=drv.Event, memory=lambda: drv.mem_alloc(4)),
               *made(Unusable, stream_that_raises=Raises), *made(ENDED, stream_of_an_ended_context=in_ended_context(drv.Stream)),
               *made(None, True, stream_of_another_context=in_other_context(drv.Stream)),
               *made(TypeError, stream_that_gives_none=lambda: type("S", (), {"__cuda_stream__": lambda self: None})(),
                     stream_that_gives_text=lambda: type("S", (), {"__cuda_stream__": lambda self: (0, "x")})()),
               *made(ValueError, stream_of_version_one=lambda: type("S", (), {"__cuda_stream__": lambda self: (1, 0)})())],
    "bool | _AnyStream": [*values(None, "x", 3, may_be_taken=True), *made(ENDED, stream_of_an_ended_context=in_ended_context(drv.Stream)),
                          *made(Unusable, stream_that_raises=Raises)],
    "str | SupportsIndex": [*values(None, 1.5, [1], "no such device", 2**70, -1, 99), *made(an_object=object), *made(Unusable, index_that_raises=Raises)],
    "callable": values(3, "x", [1]),
    "dtype": [*values("no such type", 3.5, [1]), *values(object, None, "O", may_be_taken=True)],
    "code": [*values(3, None, 1.5, [1]), *made(an_object=object), *values("no code", b"\0", "\udc80", may_be_taken=True)],
    "path": [*values(3, 1.5, [1], raises=(TypeError, OSError)), *made(an_object=object), *values("a\0b", "no such file", raises=(TypeError, ValueError, OSError, drv.Error), may_be_taken=True)],
    "paths": [*values(3, 1.5, [3], [None]), *made(an_object=object), *made(Unusable, list_that_raises=Raises)],
    "cache folder": [*values(3, 1.5, [1], True), *made(an_object=object)],
    "options": [*values(3, 1.5, [3], [None]), *made(an_object=object)],
    "arguments of a kernel": [*values(3, "x", "float", [3], ["float *x"]), *made(an_object=object)],
    "list of arguments": [*values(3, "x", [3], ["float *x"], None), *made(an_object=object)],
    "min or max": [*values(3, "x", None, "sum", b"max")],
    "slice": [*values(3, "x", (1, 2), slice("a", 2), slice(1.5, 2))],
    "shape": [*values("x", 1.5, -1, (2, -1), 2**70, (1, 2.5)), *made(an_object=object), *made(Unusable, shape_that_raises=Raises),
              *values((2**40, 2**40), (2**62, 4), None, b"", may_be_taken=True)],
    "extents": [*values("x", 1.5, (1, 2, 3, 4), (-1, 1, 1), (1, "x", 1), (2**70, 1, 1), (1, 1.5), 3, None), *made(an_object=object)],
    "stream or array": [*values("x", 3, 1.5), *made(an_object=object)],
    "order": [*values("X", 3, ""), *values(None, b"C", may_be_taken=True)],
    "casting": values("x", 3, "", None),
    "axis": [*values("x", 1.5, 99, -99, 2**70), *made(an_object=object)],
    "color": [*values(None, 3, (1, 2, 3), (1, 2, 3, "x"), (1, 2, 3, 4, 5), "abcd"), *made(Unusable, color_that_raises=Raises)],
    "array of NumPy": [*values("x", 3, None, [[1, 2]], b"x"), *made(an_object=object, on_the_device=lambda: floats((2, 2))),
                       *made(array_of_objects=lambda: np.array([[None] * 4] * 4))],
    "anything like an array": [*made(array_of_objects=lambda: np.array([None] * 4), an_object=object)],
    "GPUArray": [*values("x", b"x", [1], drv.Stream, raises=NO_ARRAY), *made(NO_ARRAY, an_object=object),
                 *made(NO_ARRAY, True, host_array=lambda: np.arange(4, dtype=np.float32)),
                 *made((*NO_ARRAY, ENDED), array_of_freed_memory=gpuarray_of_freed_memory), *values(3, None, raises=NO_ARRAY, may_be_taken=True)],
    "operand": [*values("x", b"x", drv.Stream, raises=NO_ARRAY), *made(NO_ARRAY, an_object=object),
                *made(ENDED, array_of_freed_memory=gpuarray_of_freed_memory)],
    "mask or flag": [*values("x", ["x"], b"x", raises=NO_ARRAY), *made(NO_ARRAY, an_object=object, another_shape=lambda: floats(3)),
                     *made((*NO_ARRAY, ENDED), array_of_freed_memory=gpuarray_of_freed_memory)],
    "GPUArrays": [*values("x", 3, [3], ["x"], raises=NO_ARRAY), *made(NO_ARRAY, an_object=object)],
    "GPUArray | NDArray[Any]": [*values(3, "x", None, raises=NO_ARRAY), *made(NO_ARRAY, an_object=object)],
    "Device": NO_OBJECT + values(None),
    "PhysicalMemory": NO_OBJECT + values(None),
    "Context": [*NO_OBJECT, *made(ENDED, an_ended_context=ended_context)],
    "Event": [*NO_OBJECT, *values(None), *made(ENDED, event_of_an_ended_context=in_ended_context(lambda: drv.Event().record()))],
    "Function": NO_OBJECT + values(None),
    "Graph": [*NO_OBJECT, *values(None), *made(ENDED, graph_of_an_ended_context=in_ended_context(drv.Graph))],
    "MemoryOperations": [*NO_OBJECT, *values(None)],
    "ExternalSemaphore": [*NO_OBJECT, *values(None)],
    "SemaphoreValues": [*NO_OBJECT, *values(None)],
    "SparseRegion": [*NO_OBJECT, *values(None)],
    "GraphNode": [*NO_OBJECT, *values(None), *made(ENDED, node_of_another_graph=lambda: drv.Graph().empty())],
    "nodes": [*values("x", 3, [3], [None]), *made(an_object=object), *made(Unusable, nodes_that_raise=Raises),
              *made(ENDED, node_of_another_graph=lambda: [drv.Graph().empty()])],
    "Array": [*NO_OBJECT, *values(None), *made(ENDED, freed_array=freed(array), array_of_an_ended_context=in_ended_context(array))],
    "MipmappedArray": [*NO_OBJECT, *values(None), *made(ENDED, freed_array=freed(mipmapped_array), array_of_an_ended_context=in_ended_context(mipmapped_array))],
    "Array | MipmappedArray": [*NO_OBJECT, *values(None), *made(ENDED, freed_array=freed(array), array_of_an_ended_context=in_ended_context(array))],
    "ArrayDescriptor": [*NO_OBJECT, *values(None), *made(None, True, a_new_one=drv.ArrayDescriptor)],
    "ArrayDescriptor3D": [*NO_OBJECT, *values(None), *made(None, True, a_new_one=drv.ArrayDescriptor3D)],
    "ArrayDescriptor | ArrayDescriptor3D": [*NO_OBJECT, *values(None), *made(None, True, a_new_one=drv.ArrayDescriptor)],
    "Memcpy2D | Memcpy3D": [*NO_OBJECT, *values(None), *made(drv.LogicError, without_ends=drv.Memcpy2D, between_contexts=drv.Memcpy3DPeer)],
    "TextureDescriptor": [*values("x", 3, 1.5, b"x", [1], None, drv.Stream), *made(an_object=object, another_descriptor=drv.ArrayDescriptor)],
    "TextureReference": [*NO_OBJECT, *values(None), *made(None, True, unbound=drv.TextureReference)],
    "sparse matrix": [*values("x", 3, [1], None, raises=NO_ARRAY), *made(NO_ARRAY, an_object=object)],
    "PageLockedAllocator": [*values("x", 3, [1]), *made(an_object=object)],
}
