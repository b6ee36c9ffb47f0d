"""Tensor maps: their requirements, every kind of launch, and the lifetime of their memory."""

import functools
import gc
import os
import weakref

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("tensor_maps")

MAX_BYTES = 8192
KERNEL = """
struct alignas(64) Map { unsigned long long words[16]; };

// Loads a tile of `in` and stores it to `out`, whole, or as a tile of a tensor.
extern "C" __global__ void copy%(rank)d(const __grid_constant__ Map in, const __grid_constant__ Map out, unsigned char *plain, int bytes,
                                        %(parameters)s)
{
    __shared__ alignas(1024) unsigned char tile[8192];
    __shared__ alignas(8) unsigned long long object;
    const unsigned barrier = (unsigned) __cvta_generic_to_shared(&object), place = (unsigned) __cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%%0];" :: "l"(&in) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%%0], 1;" :: "r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%0], %%1;" :: "r"(barrier), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.tensor.%(rank)dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%0], [%%1, {%(operands)s}], [%%2];"
                     :: "r"(place), "l"(&in), "r"(barrier), %(inputs)s : "memory");
    }
    __syncthreads();
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%%1], 0; selp.u32 %%0, 1, 0, p; }"
                     : "=r"(done) : "r"(barrier) : "memory");
    for (int i = threadIdx.x; plain && i < bytes; i += blockDim.x) plain[i] = tile[i];
    __syncthreads();
    if (threadIdx.x == 0 && !plain) {
        asm volatile("cp.async.bulk.tensor.%(rank)dd.global.shared::cta.tile.bulk_group [%%0, {%(operands)s}], [%%1];"
                     :: "l"(&out), "r"(place), "r"(0), %(inputs)s : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
"""


@pytest.fixture
def tensor_maps(module_context):
    if not drv.Context.get_device().get_attribute(drv.device_attribute.TENSOR_MAP_ACCESS_SUPPORTED):
        pytest.skip("no tensor maps before compute capability 9.0")


@pytest.fixture(scope="module", autouse=True)
def kernels_are_forgotten(module_context):
    yield
    kernel.cache_clear()


@functools.cache
def kernel(rank):
    parts = {"rank": rank, "parameters": ", ".join(f"int c{d}" for d in range(rank)),
             "operands": ", ".join(f"%{3 + d}" for d in range(rank)), "inputs": ", ".join(f'"r"(c{d})' for d in range(rank))}
    return SourceModule(KERNEL % parts, no_extern_c=True).get_function(f"copy{rank}")


def numbered(shape, dtype=np.float32):
    return gpuarray.to_gpu((np.arange(1, np.prod(shape) + 1) % 251).reshape(shape).astype(dtype))


def coordinates(start):
    """The kernel's coordinates, starting with the last axis."""
    return [np.int32(c) for c in reversed(start)]


def tile_of(array, box, start, *, loaded=None, **options):
    """The bytes that a load of `box` at `start` leaves in shared memory, as elements."""
    source = drv.TensorMap.tiled(array, box, **options)
    out = np.zeros(loaded or box, array.dtype)
    assert out.nbytes <= MAX_BYTES
    kernel(len(box))(source, source, drv.Out(out), np.int32(out.nbytes), *coordinates(start), block=(64, 1, 1))
    return out


def expected_tile(host, box, start, steps=None, fill=0):
    """The tile according to NumPy, with `fill` outside the tensor."""
    out = np.full(box, fill, host.dtype)
    for index in np.ndindex(*box):
        at = tuple(s + i * step for s, i, step in zip(start, index, steps or [1] * len(box)))
        if all(0 <= a < n for a, n in zip(at, host.shape)):
            out[index] = host[at]
    return out


SHAPES = [((40,), (16,), (8,)), ((24, 32), (8, 16), (3, 4)), ((6, 10, 16), (2, 4, 8), (1, 2, 4)), ((3, 4, 6, 8), (2, 2, 3, 4), (1, 1, 2, 4)),
          ((3, 2, 4, 3, 8), (2, 1, 2, 2, 4), (1, 1, 1, 0, 4))]


@pytest.mark.parametrize("shape, box, start", SHAPES)
def test_tiles_of_each_rank_are_loaded(shape, box, start):
    x = numbered(shape)
    np.testing.assert_array_equal(tile_of(x, box, start), expected_tile(x.get(), box, start))


@pytest.mark.parametrize("shape, box, start", SHAPES)
def test_tiles_of_each_rank_are_stored(shape, box, start):
    x, y = numbered(shape), gpuarray.zeros(shape, np.float32)
    tile_bytes = np.int32(np.prod(box) * 4)
    kernel(len(box))(drv.TensorMap.tiled(x, box), drv.TensorMap.tiled(y, box), np.intp(0), tile_bytes, *coordinates(start), block=(64, 1, 1))
    wanted = np.zeros(shape, np.float32)
    region = tuple(slice(s, s + b) for s, b in zip(start, box))
    wanted[region] = x.get()[region]
    np.testing.assert_array_equal(y.get(), wanted)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64, np.float16, np.float32, np.float64])
def test_every_dtype_of_arrays(dtype):
    x = numbered((16, 32), dtype)
    np.testing.assert_array_equal(tile_of(x, (4, 16), (2, 16)), x.get()[2:6, 16:32])


@pytest.mark.parametrize("start", [(-3, -4), (20, 28), (-100, 0), (0, 1000), (22, -8)])
def test_elements_out_of_bounds_are_zero(start):
    x = numbered((24, 32))
    np.testing.assert_array_equal(tile_of(x, (8, 16), start), expected_tile(x.get(), (8, 16), start))


@pytest.mark.parametrize("start", [(20, 28), (0, 20), (23, 0)])
def test_elements_out_of_bounds_are_not_stored(start):
    x, y = numbered((24, 32)), gpuarray.zeros((24, 32), np.float32)
    copied_to(x, y, start)
    result = np.zeros((24, 32), np.float32)
    region = tuple(slice(s, s + b) for s, b in zip(start, (8, 16)))
    result[region] = x.get()[region]
    np.testing.assert_array_equal(y.get(), result)


def copied_to(x, y, start):
    """Copy a tile of 8 by 16, from and to the same coordinates."""
    kernel(2)(drv.TensorMap.tiled(x, (8, 16)), drv.TensorMap.tiled(y, (8, 16)), np.intp(0), np.int32(512), *coordinates(start), block=(64, 1, 1))


@pytest.mark.parametrize("copy", ["tile_of(numbered((24, 32)), (8, 16), (3, 5))", "tile_of(numbered((24, 32)), (8, 16), (3, -1))",
                                  "tile_of(numbered((40,)), (16,), (2,))", "copied_to(numbered((24, 32)), numbered((24, 32)), (-3, 0))",
                                  "copied_to(numbered((24, 32)), numbered((24, 32)), (0, -4))"])
def test_starts_that_gpus_reject(run_python, copy):
    """Offsets along the innermost axis that are not a multiple of 16 bytes, and negative ones for stores."""
    done = run_python(f"""
import sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
import pycuda.autoinit
from test_tensor_maps import *
try:
    {copy}
    drv.Context.synchronize()
except drv.LaunchError as error:
    print("LaunchError", error.code)
""")
    assert done.stdout == "LaunchError 715\n", done.stderr


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_elements_out_of_bounds_can_be_nan(dtype):
    tile = tile_of(numbered((24, 32), dtype), (8, 16), (20, 0), fill=drv.tensor_map_fill.NAN_REQUEST_ZERO_FMA)
    assert np.isnan(tile[4:]).all() and np.isfinite(tile[:4]).all()


def test_elements_are_copied_with_strides():
    x = numbered((24, 32))
    tile = tile_of(x, (8, 16), (1, 4), loaded=(4, 16), element_strides=(2, 1))
    np.testing.assert_array_equal(tile, x.get()[1:9:2, 4:20])


@pytest.mark.parametrize("swizzle, span", [("BYTES_32", 32), ("BYTES_64", 64), ("BYTES_128", 128)])
def test_swizzles_mix_chunks_of_sixteen_bytes(swizzle, span):
    x = numbered((32, 64))
    box = (16, span // 4)
    swizzled = tile_of(x, box, (4, 0), swizzle=getattr(drv.tensor_map_swizzle, swizzle)).reshape(-1, 4)
    plain = x.get()[4:20, : span // 4].reshape(-1, 4)
    for chunk in range(len(plain)):
        place = chunk ^ (chunk >> 3 & (span // 16 - 1))
        np.testing.assert_array_equal(swizzled[place], plain[chunk])


def test_padded_rows_and_views_are_described_by_their_strides():
    memory, pitch = drv.mem_alloc_pitch(10 * 4, 24, 4)
    host = np.zeros((24, pitch // 4), np.float32)
    host[:, :10] = np.arange(240).reshape(24, 10)
    drv.memcpy_htod(memory, host)
    source = drv.TensorMap.tiled(memory, (8, 4), dtype=np.float32, shape=(24, 10), strides=(pitch,))
    out = np.zeros((8, 4), np.float32)
    kernel(2)(source, source, drv.Out(out), np.int32(128), *coordinates((3, 8)), block=(64, 1, 1))
    np.testing.assert_array_equal(out, expected_tile(host[:, :10], (8, 4), (3, 8)))
    x = numbered((24, 32))
    np.testing.assert_array_equal(tile_of(x[::2, 8:], (4, 8), (1, 4)), x.get()[::2, 8:][1:5, 4:12])


# ---- every way to launch

def launches(function, source, target):
    arguments = (source, target, np.intp(0), np.int32(512), np.int32(4), np.int32(3))
    stream = drv.Stream()

    def called():
        function(*arguments, block=(64, 1, 1))

    def called_on_a_stream():
        function(*arguments, block=(64, 1, 1), stream=stream)
        stream.synchronize()

    def prepared_as_letters():
        function.prepare("TTPiii").prepared_call((1, 1), (64, 1, 1), source, target, 0, 512, 4, 3)

    def prepared_as_bytes():
        function.prepare("128s128sPiii").prepared_async_call((1, 1), (64, 1, 1), stream, source, target, 0, 512, 4, 3)
        stream.synchronize()

    def prepared_by_class():
        function.prepare([drv.TensorMap, drv.TensorMap, np.intp, np.int32, np.int32, np.int32])
        function.prepared_call((1, 1), (64, 1, 1), source, target, 0, 512, 4, 3)

    def kernel_node():
        graph = drv.Graph()
        graph.kernel(function, arguments, block=(64, 1, 1))
        graph.instantiate().launch(stream)
        stream.synchronize()

    def captured():
        with stream.capture() as graph:
            function(*arguments, block=(64, 1, 1), stream=stream)
        graph.instantiate().launch(stream)
        stream.synchronize()

    return [called, called_on_a_stream, prepared_as_letters, prepared_as_bytes, prepared_by_class, kernel_node, captured]


@pytest.mark.parametrize("way", range(7))
def test_every_kind_of_launch_accepts_maps(way):
    x, y = numbered((24, 32)), gpuarray.zeros((24, 32), np.float32)
    source, target = (drv.TensorMap.tiled(array, (8, 16)) for array in (x, y))
    launches(kernel(2), source, target)[way]()
    np.testing.assert_array_equal(y.get()[3:11, 4:20], x.get()[3:11, 4:20])
    assert not y.get()[11:].any()


def test_nodes_are_updated_to_other_maps():
    x, y, z = numbered((24, 32)), gpuarray.zeros((24, 32), np.float32), gpuarray.zeros((24, 32), np.float32)
    source, target = (drv.TensorMap.tiled(array, (8, 16)) for array in (x, y))
    graph, stream = drv.Graph(), drv.Stream()
    rest = (np.intp(0), np.int32(512), np.int32(0), np.int32(0))
    node = graph.kernel(kernel(2), (source, target, *rest), block=(64, 1, 1))
    run = graph.instantiate()
    run[node].update(args=(source, target.replace_address(z), *rest))
    run.launch(stream)
    stream.synchronize()
    assert not y.get().any()
    np.testing.assert_array_equal(z.get()[:8, :16], x.get()[:8, :16])


def test_parameters_of_other_sizes_reject_maps():
    module = SourceModule("__global__ void plain(int *x) { *x = 1; }")
    source = drv.TensorMap.tiled(numbered((24, 32)), (8, 16))
    with pytest.raises(TypeError, match="TensorMap"):
        module.get_function("plain")(source, block=(1, 1, 1))
    with pytest.raises(TypeError):
        module.get_function("plain").prepare("P").prepared_call((1, 1), (1, 1, 1), source)


# ---- lifetimes

def test_a_map_keeps_its_memory():
    x = numbered((24, 32))
    there = weakref.ref(x)
    source = drv.TensorMap.tiled(x, (8, 16))
    assert source.memory is x
    del x
    gc.collect()
    assert there() is not None
    del source
    gc.collect()
    assert there() is None


def test_maps_in_cycles_are_collected():
    class Holder(drv.PointerHolderBase):
        def get_pointer(self):
            return int(self.allocation)

    holder = Holder()
    holder.allocation = drv.mem_alloc(4096)
    holder.map = drv.TensorMap.tiled(holder, (8, 16), dtype=np.float32, shape=(16, 32))
    there = weakref.ref(holder)
    del holder
    gc.collect()
    assert there() is None


@pytest.mark.parametrize("way", range(7))
def test_freed_memory_is_rejected(way):
    memory = drv.mem_alloc(4096)
    source = drv.TensorMap.tiled(memory, (8, 16), dtype=np.float32, shape=(24, 32))
    function = kernel(2)
    memory.free()
    with pytest.raises(drv.LogicError):
        launches(function, source, source)[way]()


def test_moved_memory_is_rejected():
    class Holder(drv.PointerHolderBase):
        def get_pointer(self):
            return int(self.allocation)

    holder = Holder()
    holder.allocation = drv.mem_alloc(4096)
    source = drv.TensorMap.tiled(holder, (8, 16), dtype=np.float32, shape=(24, 32))
    first, holder.allocation = holder.allocation, drv.mem_alloc(4096)
    with pytest.raises(drv.LogicError, match="replace"):
        kernel(2)(source, source, np.intp(0), np.int32(512), np.int32(0), np.int32(0), block=(1, 1, 1))
    assert source.replace_address(holder).address == int(holder.allocation)
    assert source.address == int(first)


def test_allocation_classes():
    array = gpuarray.zeros((64, 128), np.float32)
    plain = drv.TensorMap.tiled(array, (8, 16))
    assert plain.allocation_class == drv.tensor_map_allocation_class.SMALL
    if drv.get_driver_version() < 13050 and not drv.driver_info().is_cpu_device:
        with pytest.raises(drv.RuntimeError, match="13.5"):
            plain.with_allocation_class(drv.tensor_map_allocation_class.AUTO)
        return
    for given in drv.tensor_map_allocation_class:
        map = plain.with_allocation_class(given)
        assert map.memory is array and map.address == array.ptr
        assert map.allocation_class in (drv.tensor_map_allocation_class.SMALL, drv.tensor_map_allocation_class.LARGE)
    with pytest.raises(drv.LogicError, match="float32"):
        plain.with_allocation_class(3)
