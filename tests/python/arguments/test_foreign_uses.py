"""Arguments in the forms that existing programs pass."""

import numpy as np
import pycuda.driver as drv
import pytest
from device_values import Broken, BrokenHolder, Holder
from pycuda.compiler import SourceModule
from pycuda.gpuarray import to_gpu

SOURCE = """
struct Pair { int x; float y; };
__global__ void put(int *to, int value) { to[0] = value; }
__global__ void put_pair(float *to, Pair pair) { to[0] = pair.x; to[1] = pair.y; }
__global__ void put_eight(unsigned long long *to, unsigned long long bytes) { to[0] = bytes; }
"""


@pytest.fixture(scope="module")
def module():
    context = drv.Device(0).make_context()
    yield SourceModule(SOURCE)
    drv.Context.pop()
    del context


@pytest.fixture
def memory(module):
    return to_gpu(np.zeros(8, np.int32))


def put(module, target):
    module.get_function("put")(target, np.int32(7), block=(1, 1, 1))


class Foreign:
    def __init__(self, address):
        self.__cuda_array_interface__ = {"shape": (8,), "typestr": "<i4", "data": (address, False), "version": 3, "strides": None}


class Everything(drv.PointerHolderBase, Foreign):
    """Of its attributes, only the array interface is valid."""

    gpudata = "broken"

    def __init__(self, address):
        drv.PointerHolderBase.__init__(self)
        Foreign.__init__(self, address)

    def get_pointer(self):
        raise AssertionError


@pytest.mark.parametrize("wrap", [Foreign, Everything, Broken, BrokenHolder, Holder, np.uint64, np.intp])
def test_order_in_which_a_launch_tries_argument_types(module, memory, wrap):
    put(module, wrap(memory.ptr))
    assert memory.get()[0] == 7


def test_allocations_and_handlers_come_before_attributes(module, memory):
    allocation = drv.mem_alloc(32)
    allocation.gpudata = "broken"
    put(module, allocation)
    assert drv.from_device(allocation, 1, np.int32) == 7
    handler = drv.Out(np.zeros(8, np.int32))
    handler.gpudata = "broken"
    put(module, handler)
    assert handler.array[0] == 7


def test_numpy_scalars_are_values_despite_their_index_method(module, memory):
    module.get_function("put_eight")(memory, np.uint64(memory.ptr), block=(1, 1, 1))
    assert memory.get().view(np.uint64)[0] == memory.ptr


def test_arrays_are_passed_by_value_and_managed_ones_by_pointer(module, memory):
    module.get_function("put_eight")(memory, np.frombuffer(b"12345678", np.uint8), block=(1, 1, 1))
    assert memory.get().tobytes()[:8] == b"12345678"
    managed = drv.managed_zeros(8, np.int32)
    put(module, managed)
    drv.Context.synchronize()
    assert managed[0] == 7


@pytest.mark.parametrize("make", [lambda array: array, lambda array: array[0]], ids=["array", "np.void"])
def test_structures_are_passed_by_value(module, make):
    out = drv.Out(np.zeros(2, np.float32))
    module.get_function("put_pair")(out, make(np.array([(3, 1.5)], [("x", "i4"), ("y", "f4")])), block=(1, 1, 1))
    assert out.array.tolist() == [3, 1.5]


def test_object_arrays_are_rejected_as_values(module, memory):
    with pytest.raises(TypeError, match="Python objects"):
        module.get_function("put_eight")(memory, np.array([None]), block=(1, 1, 1))


def test_prepared_calls_take_addresses_in_the_same_order(module, memory):
    function = module.get_function("put").prepare("Pi")
    for i, wrap in enumerate((int, np.intp, Foreign, Everything, Broken, BrokenHolder, Holder)):
        function.prepared_call((1, 1), (1, 1, 1), wrap(memory.ptr), i)
        assert memory.get()[0] == i, wrap


def test_memoryview_of_a_scalar_is_a_source(memory):
    """chroma writes single addresses into a table on the device."""
    for i in range(2):
        drv.memcpy_htod(memory.ptr + 8 * i, np.intp(100 + i).data)
    assert memory.get().view(np.intp)[:2].tolist() == [100, 101]


def test_device_pointer_of_a_mapped_array(module):
    """pycbc passes the device pointer of a mapped array's base, as a number."""
    array = drv.pagelocked_empty(8, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    put(module, np.intp(array.base.get_device_pointer()))
    drv.Context.synchronize()
    assert array[0] == 7


def test_offsets_added_to_an_address(memory):
    """katsdpsigproc and xpra copy to and from addresses that they calculated."""
    drv.memcpy_htod(int(memory.gpudata) + 4, np.int32(5))
    out = np.zeros(1, np.int32)
    drv.memcpy_dtoh(out, int(memory.gpudata) + 4)
    assert out[0] == 5


def test_buffers_that_structured_copies_hold_cannot_be_resized(module):
    for kind in (drv.Memcpy2D, drv.Memcpy3D, drv.Memcpy3DPeer):
        for setter in ("set_src_host", "set_dst_host"):
            copy, buffer = kind(), bytearray(16)
            getattr(copy, setter)(buffer)
            with pytest.raises(BufferError):
                buffer.extend(b"x")
