"""Function.prepare and the prepared calls."""

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE
from pycuda.compiler import SourceModule

MIXED = """
struct Pair { int a; double b; };
__global__ void mixed(signed char a, double b, short c, long long d, unsigned char e, float2 f, bool g, Pair h, double *out)
{
    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f.x; out[6] = f.y; out[7] = g; out[8] = h.a; out[9] = h.b;
}
__global__ void half_bits(unsigned short a, int *out) { *out = a; }
__global__ void reverse(int *out)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
"""
PAIR = np.dtype([("a", np.int32), ("b", np.float64)], align=True)


@pytest.fixture
def scale(context):
    return drv.module_from_buffer(SCALE).get_function("scale")


def test_prepared_call(scale):
    memory = drv.to_device(np.ones(8, np.float32))
    assert scale.prepare("Pfi") is scale
    assert scale.prepared_call((1, 1), (8, 1, 1), memory, 2, 8) is None
    scale.prepared_call((1,), (8,), int(memory), np.float32(2), np.int64(8))
    scale.prepared_call((1, 1), (8, 1, 1), np.uint64(int(memory)), np.array(2.0), np.array(8), shared_size=16)
    assert (drv.from_device(memory, 8, np.float32) == 8).all()


def test_on_a_stream(scale):
    memory, stream = drv.to_device(np.ones(8, np.float32)), drv.Stream()
    scale.prepare("Pfi")
    scale.prepared_async_call((1, 1), (8, 1, 1), stream, memory, 2.5, 8, shared_size=0)
    stream.synchronize()
    assert (drv.from_device(memory, 8, np.float32) == 2.5).all()
    scale.prepared_async_call((1, 1), (8, 1, 1), None, memory, 2, 8)
    assert (drv.from_device(memory, 8, np.float32) == 5).all()
    with pytest.raises(TypeError, match="stream must be"):
        scale.prepared_async_call((1, 1), (8, 1, 1), 3, memory, 2, 8)


def test_timed(scale):
    memory = drv.to_device(np.ones(8, np.float32))
    get_time = scale.prepare("Pfi").prepared_timed_call((1, 1), (8, 1, 1), memory, 2, 8, shared_size=0)
    assert 0 <= get_time() < 60
    assert get_time() == get_time()
    assert (drv.from_device(memory, 8, np.float32) == 2).all()


VALUES = (-3, 1.5, -300, -1 << 40, 200, 6 + 7j, True, np.array((8, 9.5), PAIR))
EXPECTED = [-3, 1.5, -300, -1 << 40, 200, 6, 7, 1, 8, 9.5]


@pytest.mark.parametrize("types", [
    "bdhqBF?16sP",
    " b d h q B F ? 16s P ",
    b"bdhqBF?16sP",
    ["b", "d", "h", "q", "B", "F", "?", "16s", "P"],
    [np.int8, np.float64, np.int16, np.int64, np.uint8, np.complex64, np.bool_, PAIR, np.intp],
    (np.dtype("i1"), "d", np.dtype(np.short), np.longlong, "B", np.dtype("c8"), np.dtype(bool), PAIR, object()),
    iter(["bdh", "qBF?", "16s", None]),
], ids=str)
def test_argument_types(context, types):
    out = np.zeros(10)
    memory = drv.to_device(out)
    f = SourceModule(MIXED).get_function("mixed").prepare(types)
    f.prepared_call((1, 1), (1, 1, 1), *VALUES, int(memory))
    assert list(drv.from_device_like(memory, out)) == EXPECTED


@pytest.mark.parametrize("types, shown", [("é", "'é'"), ("\0", r"'\\x00'"), ("\x7fi", r"'\\x7f'"), ("iz", "'z'"), ("\U0001f600i", "'\U0001f600'")])
def test_unknown_argument_types_are_named(scale, types, shown):
    with pytest.raises(ValueError, match=f"prepare: {shown} is not an argument type; the types are x"):
        scale.prepare(types)


def test_numpy_values(context):
    out = np.zeros(10)
    memory = drv.to_device(out)
    values = (np.int8(-3), np.float32(1.5), np.int64(-300), np.int64(-1 << 40), np.uint8(200), np.complex128(6 + 7j),
              np.bool_(True), np.array((8, 9.5), PAIR)[()])
    f = SourceModule(MIXED).get_function("mixed").prepare("bdhqBF?16sP")
    f.prepared_call((1, 1), (1, 1, 1), *values, memory)
    assert list(drv.from_device_like(memory, out)) == EXPECTED


def test_half(context):
    memory = drv.mem_alloc(4)
    f = SourceModule(MIXED).get_function("half_bits").prepare("eP")
    for value in (1.5, np.float16(1.5), np.float64(1.5)):
        f.prepared_call((1, 1), (1, 1, 1), value, memory)
        assert drv.from_device(memory, (), np.int32) == np.float16(1.5).view(np.uint16)


def test_shared(context):
    memory = drv.mem_alloc(256)
    f = SourceModule(MIXED).get_function("reverse").prepare("P", shared=256)
    f.prepared_call((1, 1), (64, 1, 1), memory)
    assert (drv.from_device(memory, 64, np.int32) == np.arange(64)[::-1]).all()
    f.prepare("P").prepared_call((1, 1), (32, 1, 1), memory, shared_size=128)
    assert (drv.from_device(memory, 32, np.int32) == np.arange(32)[::-1]).all()


def test_texture_references_may_be_the_second_argument(scale):
    memory = drv.to_device(np.ones(8, np.float32))
    scale.prepare("Pfi", []).prepared_call((1, 1), (8, 1, 1), memory, 2, 8)
    scale.prepare("Pfi", 64).prepared_call((1, 1), (8, 1, 1), memory, 2, 8)
    assert (drv.from_device(memory, 8, np.float32) == 4).all()
    with pytest.raises(TypeError, match="texrefs"):
        scale.prepare("Pfi", ["texref"])


def test_prepare_checks_the_kernel(scale):
    with pytest.raises(TypeError, match="'scale' takes 3 arguments, but 2 types were given"):
        scale.prepare("Pf")
    with pytest.raises(TypeError, match=r"takes 4 bytes as argument 1, counted from 0, but its type 'd' has 8 bytes"):
        scale.prepare("Pdi")
    with pytest.raises(ValueError, match="'z'"):
        scale.prepare("Pfz")
    with pytest.raises(TypeError):
        scale.prepare()
    with pytest.raises(TypeError):
        scale.prepare("Pfi", block=(1, 1, 1))
    with pytest.raises(TypeError):
        scale.prepare(5)


def test_calls_check_values(scale):
    memory = drv.mem_alloc(64)
    with pytest.raises(drv.LogicError, match="prepare"):
        scale.prepared_call((1, 1), (1, 1, 1), memory, 1, 1)
    scale.prepare("Pfi")
    with pytest.raises(TypeError, match="3 arguments, not 2"):
        scale.prepared_call((1, 1), (1, 1, 1), memory, 1)
    with pytest.raises(TypeError, match="argument 2, counted from 0, was prepared as an integer, given float"):
        scale.prepared_call((1, 1), (1, 1, 1), memory, 1, 1.5)
    with pytest.raises(TypeError, match="argument 1, counted from 0, was prepared as a floating-point number, given str"):
        scale.prepared_call((1, 1), (1, 1, 1), memory, "1", 1)
    with pytest.raises(OverflowError, match="argument 2, counted from 0, was prepared as an integer of 4 bytes, which cannot hold 2147483648"):
        scale.prepared_call((1, 1), (1, 1, 1), memory, 1, 1 << 31)
    with pytest.raises(TypeError, match=r"grid=\(1.5, 1\): expected integers"):
        scale.prepared_call((1.5, 1), (1, 1, 1), memory, 1, 1)
    with pytest.raises(OverflowError, match="argument 2"):
        scale.prepared_call((1, 1), (1, 1, 1), memory, 1, -1 << 70)
    with pytest.raises(TypeError, match="device address"):
        scale.prepared_call((1, 1), (1, 1, 1), "memory", 1, 1)
    with pytest.raises(TypeError, match="shared_size"):
        scale.prepared_call((1, 1), (1, 1, 1), memory, 1, 1, stream=None)
    with pytest.raises(TypeError):
        scale.prepared_call((1, 1))


def test_unsigned_range(context):
    f = SourceModule(MIXED).get_function("half_bits").prepare("HP")
    memory = drv.mem_alloc(4)
    f.prepared_call((1, 1), (1, 1, 1), 65535, memory)
    assert drv.from_device(memory, (), np.int32) == 65535
    for value in (-1, 65536, 1 << 64):
        with pytest.raises(OverflowError):
            f.prepared_call((1, 1), (1, 1, 1), value, memory)


def test_prepare_while_a_prepared_call_runs(scale):
    """An argument's code may prepare the function again: the call continues with the types that it began with."""
    memory = drv.to_device(np.ones(8, np.float32))

    class Meddler(drv.PointerHolderBase):
        def get_pointer(self):
            scale.prepare("Pfi")
            return int(memory)

    scale.prepare("Pfi")
    scale.prepared_call((1, 1), (8, 1, 1), Meddler(), 3, 8)
    assert (drv.from_device(memory, 8, np.float32) == 3).all()
