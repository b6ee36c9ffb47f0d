"""Function.__call__: arguments, geometry, keywords. A kernel stores its arguments, and the test reads them back."""

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE
from pycuda.compiler import SourceModule

SOURCE = """
struct Pair { int a; double b; };
__global__ void store_char(char a, char *out) { *out = a; }
__global__ void store_short(short a, short *out) { *out = a; }
__global__ void store_int(int a, int *out) { *out = a; }
__global__ void store_long(long long a, long long *out) { *out = a; }
__global__ void store_double(double a, double *out) { *out = a; }
__global__ void store_complex(float2 a, float2 *out) { *out = a; }
__global__ void store_bool(bool a, bool *out) { *out = a; }
__global__ void store_pair(Pair a, Pair *out) { *out = a; }
__global__ void mixed(signed char a, double b, short c, long long d, unsigned char e, float f, double *out)
{
    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f;
}
__global__ void geometry(int *out)
{
    if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z == 0) {
        out[0] = gridDim.x; out[1] = gridDim.y; out[2] = gridDim.z;
        out[3] = blockDim.x; out[4] = blockDim.y; out[5] = blockDim.z;
    }
}
__global__ void reverse(int *out)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
"""
PAIR = np.dtype([("a", np.int32), ("b", np.float64)], align=True)


@pytest.fixture(scope="module")
def images():
    """The module's PTX: compiled once, and loaded by each test into its own context."""
    device = drv.Device(0)
    ctx = device.make_context()
    from pycuda.compiler import compile
    image = compile(SOURCE, target="ptx", arch="compute_75")
    ctx.pop()
    return image


@pytest.fixture
def module(context, images):
    return drv.module_from_buffer(images)


@pytest.fixture
def scale(context):
    return drv.module_from_buffer(SCALE).get_function("scale")


@pytest.mark.parametrize("kernel, value", [
    ("store_char", np.int8(-3)), ("store_char", np.uint8(200)), ("store_short", np.int16(-300)), ("store_short", np.uint16(60000)),
    ("store_short", np.float16(1.5)), ("store_int", np.int32(-70000)), ("store_int", np.uint32(1 << 31)),
    ("store_int", np.float32(2.5)), ("store_long", np.int64(-1 << 40)), ("store_long", np.uint64(1 << 63)),
    ("store_long", np.longlong(5)), ("store_double", np.float64(1 / 3)), ("store_complex", np.complex64(1 - 2j)),
    ("store_bool", np.bool_(True)), ("store_pair", np.array((7, 2.5), PAIR)[()]),
], ids=lambda v: v if isinstance(v, str) else type(v).__name__)
@pytest.mark.parametrize("form", ["scalar", "array"])
def test_values(module, kernel, value, form):
    result = np.zeros((), np.asarray(value).dtype)
    given = value if form == "scalar" else np.array(value)
    module.get_function(kernel)(given, drv.Out(result), block=(1, 1, 1))
    assert result == value


def test_alignment(module):
    out = np.zeros(6)
    args = np.int8(-1), np.float64(1.25), np.int16(-7), np.int64(-1 << 40), np.uint8(255), np.float32(0.5)
    module.get_function("mixed")(*args, drv.Out(out), block=(1, 1, 1))
    assert list(out) == [float(arg) for arg in args]
    module.get_function("mixed")(*map(np.array, args), drv.Out(out), block=(1, 1, 1))  # 0-d arrays are aligned like scalars
    assert list(out) == [float(arg) for arg in args]


def test_subclass_of_a_scalar_type(module):
    class Metres(np.float64):
        pass

    out = np.zeros(())
    module.get_function("store_double")(Metres(2.5), drv.Out(out), block=(1, 1, 1))
    assert out == 2.5


def test_bytes_are_passed_unchanged(module):
    out = np.zeros((), PAIR)
    module.get_function("store_pair")(np.array((3, 4.5), PAIR).tobytes(), drv.Out(out), block=(1, 1, 1))
    assert (out["a"], out["b"]) == (3, 4.5)


def test_pointers(scale):
    y = np.ones(8, np.float32)
    memory = drv.to_device(y)

    class Holder(drv.PointerHolderBase):
        def get_pointer(self):
            return int(memory)

    class Array:
        gpudata = memory

    class Offset:
        gpudata = int(memory)

    class Interface:
        __cuda_array_interface__ = {"data": (int(memory), False), "shape": (8,), "typestr": "<f4", "version": 3}

    for pointer in (memory, Holder(), Array(), Offset(), Interface(), np.uint64(int(memory))):
        scale(pointer, np.float32(2), np.int32(8), block=(8, 1, 1))
    assert (drv.from_device_like(memory, y) == 2 ** 6).all()


def test_empty_array_has_no_pointer(scale):
    class Empty:
        gpudata = None

    scale(Empty(), np.float32(2), np.int32(0), block=(8, 1, 1))
    drv.Context.synchronize()


@pytest.mark.parametrize("value, advice", [(3, "numpy.int32"), (3.5, "numpy.float32"), (True, "numpy.bool_")])
def test_python_numbers_are_rejected(scale, value, advice):
    memory = drv.mem_alloc(4)
    with pytest.raises(TypeError, match="argument 2 of 'scale', counted from 0: given (int|float|bool), .*" + advice):
        scale(memory, np.float32(1), value, block=(1, 1, 1))


@pytest.mark.parametrize("value, advice", [(None, r"NoneType; a null pointer is numpy.intp\(0\)"), ("text", "str, expected a NumPy scalar"), (object(), "object"),
                                           ([1], "list"), (np.datetime64("2020-01-01"), r"numpy.datetime64 \(8 bytes\)")])
def test_other_types_are_rejected(scale, value, advice):
    with pytest.raises(TypeError, match="argument 2 of 'scale', counted from 0: given " + advice):
        scale(drv.mem_alloc(4), np.float32(1), value, block=(1, 1, 1))


def test_wrong_size(scale):
    with pytest.raises(TypeError, match=r"argument 1 of 'scale', counted from 0: given numpy.float64 \(8 bytes\), the kernel expects 4"):
        scale(drv.mem_alloc(4), np.float64(1), np.int32(1), block=(1, 1, 1))


def test_arrays_passed_by_value_by_mistake(scale):
    with pytest.raises(TypeError, match="In, Out or InOut"):
        scale(np.ones(100, np.float32), np.float32(1), np.int32(1), block=(1, 1, 1))
    with pytest.raises(ValueError, match="contiguous"):
        scale(np.ones((2, 2), np.float32)[:, 0], np.float32(1), np.int32(1), block=(1, 1, 1))


def test_wrong_count(scale):
    memory = drv.mem_alloc(4)
    with pytest.raises(TypeError, match="'scale' takes 3 arguments, given 1"):
        scale(memory, block=(1, 1, 1))
    with pytest.raises(TypeError, match="takes 3 arguments"):
        scale(memory, np.float32(1), np.int32(1), np.int32(1), block=(1, 1, 1))


def test_freed_memory_is_rejected(scale):
    memory = drv.mem_alloc(4)
    memory.free()
    with pytest.raises(drv.LogicError, match="was freed"):
        scale(memory, np.float32(1), np.int32(1), block=(1, 1, 1))


@pytest.mark.parametrize("grid, block, seen", [
    (None, (4, 3, 2), [1, 1, 1, 4, 3, 2]), ((5,), (4,), [5, 1, 1, 4, 1, 1]), ((5, 6), (4, 2), [5, 6, 1, 4, 2, 1]),
    ([2, 3, 4], [1, 1, 1], [2, 3, 4, 1, 1, 1]), ((np.int64(2), np.uint8(1)), (np.int32(32), 1, 1), [2, 1, 1, 32, 1, 1]),
    (np.array([2, 2]), iter((8, 1, 1)), [2, 2, 1, 8, 1, 1]),
])
def test_geometry(module, grid, block, seen):
    out = np.zeros(6, np.int32)
    keywords = {} if grid is None else {"grid": grid}
    module.get_function("geometry")(drv.Out(out), block=block, **keywords)
    assert list(out) == seen


def test_bad_geometry(module):
    f, out = module.get_function("geometry"), drv.mem_alloc(24)
    with pytest.raises(ValueError, match="must specify block size"):
        f(out)
    with pytest.raises(drv.LogicError, match="four|4 dimensions"):
        f(out, block=(1, 1, 1, 1))
    with pytest.raises(TypeError, match=r"block=32: expected a tuple of up to three integers, such as block=\(256, 1, 1\)"):
        f(out, block=32)
    with pytest.raises(TypeError, match=r"grid=\(0.78, 1\): expected integers \(divide with //, or round up with math.ceil\(\)\), given 0.78"):
        f(out, block=(1, 1, 1), grid=(0.78, 1))
    with pytest.raises(TypeError, match=r"block=\('8', 1\): expected integers, given '8'"):
        f(out, block=("8", 1))
    for huge in (-1, 2**32, 2**70):
        with pytest.raises(ValueError, match=rf"block=\({huge}, 1, 1\): expected integers from 0 to 2\*\*32 - 1, given {huge}"):
            f(out, block=(huge, 1, 1))
    with pytest.raises(TypeError, match="shared=1.5: expected an integer, given 1.5"):
        f(out, block=(1, 1, 1), shared=1.5)
    with pytest.raises(drv.LogicError, match=r"kernel 'geometry'.*5000"):
        f(out, block=(5000, 1, 1))
    with pytest.raises(drv.LogicError, match="kernel 'geometry'"):
        f(out, block=(1, 1, 1), grid=(0, 1))


def test_dynamic_shared_memory(module):
    out = np.zeros(64, np.int32)
    module.get_function("reverse")(drv.Out(out), block=(64, 1, 1), shared=out.nbytes)
    assert (out == np.arange(64)[::-1]).all()
    with pytest.raises(drv.Error, match="kernel 'reverse'"):
        module.get_function("reverse")(drv.Out(out), block=(64, 1, 1), shared=1 << 30)


def test_stream(scale):
    y, stream = np.ones(1000, np.float32), drv.Stream()
    memory = drv.to_device(y)
    scale(memory, np.float32(2), np.int32(1000), block=(250, 1, 1), grid=(4, 1), stream=stream)
    stream.synchronize()
    assert (drv.from_device_like(memory, y) == 2).all()
    with pytest.raises(TypeError, match="stream must be"):
        scale(memory, np.float32(2), np.int32(1000), block=(250, 1, 1), stream=7)


def test_time_kernel(scale):
    memory = drv.to_device(np.ones(8, np.float32))
    args = memory, np.float32(2), np.int32(8)
    assert scale(*args, block=(8, 1, 1)) is None
    assert scale(*args, block=(8, 1, 1), time_kernel=False) is None
    seconds = scale(*args, block=(8, 1, 1), time_kernel=True)
    assert isinstance(seconds, float) and 0 < seconds < 60
    with pytest.raises(ValueError, match="default stream"):
        scale(*args, block=(8, 1, 1), stream=drv.Stream(), time_kernel=True)


def test_keywords(scale):
    args = drv.to_device(np.ones(8, np.float32)), np.float32(2), np.int32(8)
    keywords = {"".join(["blo", "ck"]): (8, 1, 1), "".join(["tex", "refs"]): []}  # strings that are not interned
    scale(*args, **keywords)
    scale(*args, block=(8, 1, 1), grid=(1, 1), stream=None, shared=0, texrefs=None, time_kernel=0)
    with pytest.raises(ValueError, match="'blocks'"):
        scale(*args, blocks=(8, 1, 1))
    with pytest.raises(TypeError, match="texrefs"):
        scale(*args, block=(8, 1, 1), texrefs=["tex"])


def test_no_arguments(context):
    drv.module_from_buffer(SCALE).get_function("nothing")(block=(1, 1, 1))
    context.synchronize()


def test_many_arguments(context):
    count = 200
    module = SourceModule("__global__ void last({}, int *out) {{ *out = a{}; }}".format(
        ", ".join(f"int a{i}" for i in range(count)), count - 1))
    out = np.zeros((), np.int32)
    module.get_function("last")(*map(np.int32, range(count)), drv.Out(out), block=(1, 1, 1))
    assert out == count - 1


def test_launch_inside_a_launch(scale):
    """An argument's code may launch a kernel: each launch has its own parameter block."""
    first, second = (drv.to_device(np.ones(8, np.float32)) for _ in range(2))

    class Nested:
        @property
        def gpudata(self):
            scale(second, np.float32(5), np.int32(8), block=(8, 1, 1))
            return first

    scale(Nested(), np.float32(2), np.int32(8), block=(8, 1, 1))
    assert (drv.from_device(first, 8, np.float32) == 2).all()
    assert (drv.from_device(second, 8, np.float32) == 5).all()


def test_subclass_and_call_of_the_class(scale):
    args = drv.to_device(np.ones(8, np.float32)), np.float32(2), np.int32(8)
    type(scale).__call__(scale, *args, block=(8, 1, 1))
    assert callable(scale)


class Fresh(drv.PointerHolderBase):
    """Allocates memory whenever its address is requested, and keeps no reference to it."""

    def __init__(self, data):
        super().__init__()
        self.data = data

    def get_pointer(self):
        return drv.to_device(self.data)


def test_new_memory_is_kept_alive_during_the_call(scale):
    data = np.arange(1000, dtype=np.float32)
    scale(Fresh(data), np.float32(2), np.int32(1000), block=(250, 1, 1), grid=(4, 1))
    scale.prepare("Pfi").prepared_call((4, 1), (250, 1, 1), Fresh(data), 2.0, 1000)
    drv.Context.synchronize()
    assert (drv.from_device(Fresh(data), 1000, np.float32) == data).all()

    class Property:
        @property
        def gpudata(self):
            return drv.to_device(data)

    scale(Property(), np.float32(2), np.int32(1000), block=(250, 1, 1), grid=(4, 1))
    drv.Context.synchronize()


def test_the_array_interface_takes_precedence(scale):
    """As in PyCUDA: some programs have classes in which only this attribute is valid."""
    memory = drv.to_device(np.ones(8, np.float32))

    class Array:
        __cuda_array_interface__ = {"shape": (8,), "typestr": "<f4", "data": (int(memory), False), "version": 3, "strides": None}

        @property
        def gpudata(self):
            raise AssertionError("must not be called")

    scale(Array(), np.float32(2), np.int32(8), block=(8, 1, 1))
    assert (drv.from_device(memory, 8, np.float32) == 2).all()


def test_cooperative_and_clusters(scale):
    memory = drv.to_device(np.ones(8, np.float32))
    args = memory, np.float32(2), np.int32(8)
    scale(*args, block=(8, 1, 1), cooperative=True, cluster=None)
    scale(*args, block=(8, 1, 1), cooperative=False)
    assert (drv.from_device(memory, 8, np.float32) == 4).all()
    with pytest.raises(drv.Error, match=r"clusters of \(3, 1, 1\) blocks"):
        scale(*args, block=(8, 1, 1), grid=(4, 1), cluster=(3,))


SMALLEST_OF_ROWS = """
__global__ void smallest(const int *in, int *out) {
    __shared__ int rows[1024];
    const int x = threadIdx.x, y = threadIdx.y + threadIdx.z * blockDim.y, lines = blockDim.y * blockDim.z;
    int *row = rows + y * blockDim.x, value = in[(blockIdx.x * lines + y) * blockDim.x + x];
    for (int width = blockDim.x, half; width > 1; width = half) {
        half = (width + 1) / 2;
        if (x >= half && x < width) row[x] = value;
        __syncthreads();
        if (x < width - half) value = min(value, row[x + half]);
        __syncthreads();
    }
    if (x == 0) out[blockIdx.x * lines + y] = value;
}
"""
BLOCKS = [(256, 1, 1), (128, 2, 1), (64, 4, 1), (96, 3, 1), (32, 8, 1), (32, 2, 4), (64, 2, 2), (16, 16, 1), (8, 8, 4), (48, 5, 1), (33, 5, 2), (1, 64, 1), (160, 4, 1)]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_threads_that_diverge_and_reconverge(context, block):
    """Threads of one warp, and different warps, diverge between barriers, in every block that a multiprocessor runs, not only its first."""
    function = SourceModule(SMALLEST_OF_ROWS).get_function("smallest")
    for blocks in (1, 2, 3, 50):
        lines = blocks * block[1] * block[2]
        given = np.random.default_rng(blocks).integers(-1000, 1000, (lines, block[0]), np.int32)
        found = np.zeros(lines, np.int32)
        function(drv.In(given), drv.Out(found), block=block, grid=(blocks, 1))
        np.testing.assert_array_equal(found, given.min(axis=1), err_msg=f"{blocks} blocks")
