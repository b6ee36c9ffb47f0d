"""Values go to kernels as they are: those of another byte order than the device's are refused."""

import ctypes

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule

SOURCE = """
struct Pair { int x; float y; };
__global__ void put(int *to, int value) { to[0] = value; }
__global__ void put_pair(int *to, Pair pair) { to[0] = pair.x; }
__global__ void put_eight(int *to, unsigned long long bytes) { to[0] = bytes; }
"""
PAIR = np.dtype([("x", "<i4"), ("y", "<f4")])


class BigPair(ctypes.BigEndianStructure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_float)]


class LittlePair(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_float)]


#: Kernel, characters for prepare, a value in the device's byte order, the same in the other one.
VALUES = {
    "0-d array": ("put", "Pi", np.array(7, "<i4"), np.array(7, ">i4")),
    "array of one axis": ("put", "P4s", np.array([7], "<i4"), np.array([7], ">i4")),
    "array of floats": ("put_eight", "P8s", np.array([0, 0], "<f4"), np.array([0, 0], ">f4")),
    "array of complex numbers": ("put_eight", "P8s", np.array([7j], "<c8"), np.array([7j], ">c8")),
    "record": ("put_pair", "P8s", np.array([(7, 1.5)], PAIR)[0], np.array([(7, 1.5)], PAIR.newbyteorder(">"))[0]),
    "array of records": ("put_pair", "P8s", np.array([(7, 1.5)], PAIR), np.array([(7, 1.5)], [("x", "<i4"), ("y", ">f4")])),
    "datetime": ("put_eight", "P8s", np.array(7, "<M8[s]"), np.array(7, ">M8[s]")),
    "structure of ctypes": ("put_pair", "P8s", LittlePair(7, 1.5), BigPair(7, 1.5)),
}
#: Without a byte order, or with a name that looks like one.
OTHERS = [("put", "P4s", np.array([7, 0, 0, 0], ">u1")), ("put_eight", "P8s", np.array([(7, 0)], [("a>b", "<i4"), ("!c", "<i4")])),
          ("put_eight", "P8s", memoryview(np.array([(7, 0)], [("a>b", "<i4"), ("!c", "<i4")])))]


@pytest.fixture(scope="module")
def module():
    context = drv.Device(0).make_context()
    yield SourceModule(SOURCE)
    context.pop()
    del context


def calls(module, name, types, value):
    """The ways to pass a value."""
    out = drv.mem_alloc(16)
    function = module.get_function(name)
    return (lambda: function(out, value, block=(1, 1, 1)), lambda: function.prepare(types).prepared_call((1, 1), (1, 1, 1), out, value))


@pytest.mark.parametrize("kind", VALUES)
def test_values_of_another_byte_order(module, kind):
    name, types, native, other = VALUES[kind]
    for call in calls(module, name, types, native):
        call()
    direct, prepared = calls(module, name, types, other)
    with pytest.raises(TypeError, match="byte order"):
        direct()
    if types == "Pi":  # a number, which is converted
        prepared()
    else:
        with pytest.raises(TypeError, match="byte order"):
            prepared()


@pytest.mark.parametrize("name, types, value", OTHERS)
def test_values_without_a_byte_order(module, name, types, value):
    for call in calls(module, name, types, value):
        call()


def test_dtypes_of_prepare(module):
    with pytest.raises(TypeError, match="byte order"):
        module.get_function("put").prepare(["P", np.dtype(">i4")])
    module.get_function("put").prepare(["P", np.dtype("<i4")])
