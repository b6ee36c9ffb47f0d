"""The kinds of values for parameters that take host memory: whatever has the buffer interface.

A kind is a function that receives the bytes the memory must contain; it returns the value to pass. What a copy has written is read back through
`peek(value)`. Kinds with `@read_only` are rejected as destinations with ValueError, those with `@refused(exception)` always.
"""

import array
import ctypes
import io
import mmap

import numpy as np
import pycuda.driver as drv
from kinds import Kinds
from pycuda.gpuarray import to_gpu

HOST = Kinds()
accepted, read_only, refused = HOST.accepted, HOST.read_only, HOST.refused


def peek(value):
    """The bytes of a value, in the order of its memory."""
    if isinstance(value, np.ndarray):
        return value.tobytes("A")
    return memoryview(value).tobytes("A")


def octets(content):
    return np.frombuffer(bytearray(content), np.uint8)


# ---- layouts of arrays


@accepted
def array_of_bytes(content):
    return octets(content)


@accepted
def array_of_floats(content):
    return octets(content).view(np.float32)


@accepted
def array_of_complex(content):
    return octets(content).view(np.complex64)


@accepted
def array_of_bool(content):
    return octets(content).view(np.bool_)


@accepted
def array_of_half(content):
    return octets(content).view(np.float16)


@accepted
def array_in_c_order(content):
    return octets(content).reshape(2, 2, -1)


@accepted
def array_in_f_order(content):
    return octets(content).reshape(4, -1, order="F")


@accepted
def transposed_array(content):
    return octets(content).reshape(2, 4, -1).T


@accepted
def array_without_axes(content):
    return octets(content).view(f"V{len(content)}").reshape(())


@accepted
def contiguous_part_of_an_array(content):
    return octets(b"before" + content + b"after")[6:6 + len(content)]


@accepted
def array_of_another_byte_order(content):
    return octets(content).view(">i4")


@accepted
def structured_array(content):
    return octets(content).view([("x", "i2"), ("y", "u1"), ("z", "V1")])


@accepted
def array_of_text(content):
    return octets(content).view("S4")


@accepted
def array_with_axes_of_length_one(content):
    return octets(content).reshape(1, -1, 1)[:, :, ::-1]


@accepted
def subclass_of_array(content):
    return octets(content).view(type("Mine", (np.ndarray,), {}))


@accepted
def record_array(content):
    return octets(content).view([("x", "i4")]).view(np.recarray)


@read_only
def read_only_array(content):
    return np.frombuffer(content, np.uint8)


@refused(ValueError)
def strided_array(content):
    return np.repeat(octets(content), 2)[::2]


@refused(ValueError)
def reversed_array(content):
    return octets(content)[::-1]


@refused(ValueError)
def array_with_gaps_between_rows(content):
    return np.zeros((2, len(content)), np.uint8)[:, :len(content) // 2]


@refused(ValueError)
def broadcast_array(content):
    return np.broadcast_to(np.zeros(1, np.uint8), len(content))


@refused(TypeError)
def array_of_objects(content):
    return np.array([None] * (len(content) // 8))


@refused(TypeError)
def structured_array_with_objects(content):
    return np.zeros(len(content) // 16, [("x", "i8"), ("y", "O")])


# ---- memory of every kind


@accepted
def page_locked_array(content):
    result = drv.pagelocked_empty(len(content), np.uint8)
    result[:] = octets(content)
    return result


@accepted
def page_locked_array_in_f_order(content):
    result = drv.pagelocked_empty((4, len(content) // 4), np.uint8, order="F")
    result[...] = octets(content).reshape(4, -1, order="F")
    return result


@accepted
def page_locked_allocation(content):
    return page_locked_array(content).base


@accepted
def pooled_page_locked_array(content):
    result = drv.PageLockedMemoryPool().allocate(len(content), np.uint8)
    result[:] = octets(content)
    return result


@accepted
def aligned_array(content):
    result = drv.aligned_empty(len(content), np.uint8)
    result[:] = octets(content)
    return result


@accepted
def registered_array(content):
    whole = drv.register_host_memory(drv.aligned_zeros(4096, np.uint8))
    whole[:len(content)] = octets(content)
    return whole[:len(content)]


@accepted
def managed_array(content):
    result = drv.managed_empty(len(content), np.uint8)
    result[:] = octets(content)
    return result


@accepted
def managed_allocation(content):
    return managed_array(content).base


@accepted
def memory_map(content):
    result = mmap.mmap(-1, max(len(content), 1))
    result[:len(content)] = content
    return result


# ---- other buffers


@read_only
def some_bytes(content):
    return bytes(content)


@accepted
def a_bytearray(content):
    return bytearray(content)


@accepted
def a_memoryview(content):
    return memoryview(bytearray(content))


@accepted
def memoryview_of_two_axes(content):
    return memoryview(bytearray(content)).cast("B", (4, len(content) // 4))


@read_only
def memoryview_of_bytes(content):
    return memoryview(bytes(content))


@accepted
def array_of_the_standard_library(content):
    return array.array("i", bytes(content))


@accepted
def ctypes_array(content):
    return (ctypes.c_char * len(content)).from_buffer_copy(content)


@accepted
def buffer_of_bytesio(content):
    return io.BytesIO(bytes(content)).getbuffer()


@read_only
def numpy_scalar(content):
    return np.void(bytes(content))


@read_only
def memoryview_of_a_numpy_scalar(content):
    return np.void(bytes(content)).data


@refused(ValueError)
def memoryview_with_gaps(content):
    return memoryview(bytearray(2 * len(content)))[::2]


@refused(ValueError)
def reversed_memoryview(content):
    return memoryview(bytearray(content))[::-1]


@refused(ValueError)
def released_memoryview(content):
    view = memoryview(bytearray(content))
    view.release()
    return view


# ---- values that are not host memory


@refused(TypeError)
def none(content):
    return None


@refused(TypeError)
def a_str(content):
    return "x" * len(content)


@refused(TypeError)
def an_int(content):
    return 64


@refused(TypeError)
def a_float(content):
    return 1.5


@refused(TypeError)
def a_list(content):
    return list(content)


@refused(TypeError)
def an_object(content):
    return object()


@refused(TypeError)
def a_class(content):
    return bytearray


@refused(TypeError)
def device_memory(content):
    return drv.mem_alloc(len(content))


@refused(TypeError)
def array_on_the_device(content):
    return to_gpu(octets(content))


@refused(drv.LogicError)
def freed_page_locked_memory(content):
    base = page_locked_array(content).base
    base.free()
    return base


@refused(drv.LogicError)
def freed_managed_memory(content):
    base = managed_array(content).base
    base.free()
    return base
