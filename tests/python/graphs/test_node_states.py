"""An update starts from the executable graph's present state: what it does not give stays as the last update left it."""

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.compiler import SourceModule

BLOCK = (32, 1, 1)


@pytest.fixture
def a(context):
    return gpuarray.zeros(64, np.int32)


def launched(run, array):
    run.launch()
    return array.get()


def ramp(first, n=32):
    return np.arange(first, first + n, dtype=np.int32)


def test_a_fill(a):
    graph = drv.Graph()
    node = graph.memset(a, 1, 8, width=4)
    run = graph.instantiate()
    run[node].update(value=5)
    run[node].update(count=4)
    assert launched(run, a)[:9].tolist() == [5, 5, 5, 5, 0, 0, 0, 0, 0]
    other = gpuarray.zeros(64, np.int32)
    run[node].update(dest=other)
    run[node].update(count=6)
    assert launched(run, other)[:7].tolist() == [5] * 6 + [0]
    run[node].update(width=1, value=1, count=4)
    assert launched(run, other)[:2].tolist() == [0x01010101, 5]


def test_a_fill_of_several_rows_keeps_its_shape(context):
    stream, memory = drv.Stream(), drv.mem_alloc(64)
    drv.memset_d32(memory, 0, 16)
    with stream.capture() as graph:
        drv.memset_d2d32_async(memory, 16, 1, 2, 4, stream)
    (node,) = graph.nodes
    run = graph.instantiate()
    with pytest.raises(drv.LogicError, match="several rows"):
        run[node].update(count=3)
    try:
        run[node].update(value=9)
    except drv.LogicError:
        assert not drv.driver_info().is_cpu_device
        pytest.skip("this driver does not change such a fill")
    run.launch()
    assert drv.from_device(memory, 8, np.int32).tolist() == [9, 9, 0, 0, 9, 9, 0, 0]


def test_a_copy(a):
    sources = [gpuarray.to_gpu(ramp(first)) for first in (0, 100, 200)]
    graph = drv.Graph()
    node = graph.memcpy(a, sources[0], 128)
    run = graph.instantiate()
    run[node].update(src=sources[1])
    run[node].update(size=8)
    assert launched(run, a)[:3].tolist() == [100, 101, 0]
    other = gpuarray.zeros(64, np.int32)
    run[node].update(dest=other)
    assert launched(run, other)[:3].tolist() == [100, 101, 0]
    run[node].update(src=sources[2], size=12)
    assert launched(run, other)[:4].tolist() == [200, 201, 202, 0]


@pytest.mark.parametrize("way", ["dtod", "htod", "dtoh"])
def test_a_captured_copy(context, way):
    n, stream = 32, drv.Stream()
    to, frm = way[3], way[0]

    def end(kind, values):
        if kind == "d":
            return gpuarray.to_gpu(values)
        array = drv.pagelocked_empty(n, np.int32)
        array[:] = values
        return array

    def content(array):
        return array.get() if isinstance(array, gpuarray.GPUArray) else array.copy()

    dests, sources = [end(to, np.zeros(n, np.int32)) for _ in range(2)], [end(frm, ramp(first)) for first in (0, 100)]
    with stream.capture() as graph:
        dest, src = ((array.gpudata if isinstance(array, gpuarray.GPUArray) else array) for array in (dests[0], sources[0]))
        if way == "dtod":
            drv.memcpy_dtod_async(dest, src, 4 * n, stream)
        elif way == "htod":
            drv.memcpy_htod_async(dest, src, stream)
        else:
            drv.memcpy_dtoh_async(dest, src, stream)
    (node,) = graph.nodes
    run = graph.instantiate()
    run[node].update(src=sources[1])
    run.launch(stream)
    stream.synchronize()
    assert (content(dests[0]) == ramp(100)).all()
    run[node].update(dest=dests[1])
    run.launch(stream)
    stream.synchronize()
    assert (content(dests[1]) == ramp(100)).all()


KERNELS = """
__global__ void add(int *a, int k) { a[blockIdx.x * blockDim.x + threadIdx.x] += k; }
__global__ void mul(int *a, int k) { a[blockIdx.x * blockDim.x + threadIdx.x] *= k; }
__global__ void mul_add(int *a, int k, long long m) { int& x = a[blockIdx.x * blockDim.x + threadIdx.x]; x = x * k + (int)m; }
"""


@pytest.fixture
def functions(context):
    module = SourceModule(KERNELS)
    return [module.get_function(name) for name in ("add", "mul", "mul_add")]


def test_a_kernel_keeps_its_geometry_and_its_arguments(functions, a):
    add, _, _ = functions
    graph = drv.Graph()
    node = graph.kernel(add, (a, np.int32(1)), block=BLOCK)
    run = graph.instantiate()
    run[node].update(grid=(2, 1))
    assert launched(run, a).tolist() == [1] * 64
    run[node].update(args=(a, np.int32(5)))
    assert launched(run, a).tolist() == [6] * 64
    run[node].update(grid=(1, 1))
    assert launched(run, a).tolist() == [11] * 32 + [6] * 32


def test_after_an_update_of_the_whole_graph_its_kernel_geometry_and_arguments_are_the_state(functions, a):
    add, mul, _ = functions
    graph, other = drv.Graph(), drv.Graph()
    node = graph.kernel(add, (a, np.int32(1)), block=BLOCK)
    run = graph.instantiate()
    run[node].update(args=(a, np.int32(2)))
    assert launched(run, a)[0] == 2
    other.kernel(mul, (a, np.int32(10)), block=BLOCK, grid=(2, 1))
    run.update(other)
    del other
    a.fill(np.int32(3))
    run[node].update(args=(a, np.int32(7)))
    assert launched(run, a).tolist() == [21] * 64
    run[node].update(grid=(1, 1))
    assert launched(run, a).tolist() == [147] * 32 + [21] * 32


def test_arguments_without_an_earlier_update_come_from_the_graph_of_the_last_whole_update(functions, a):
    add, mul, _ = functions
    graph, other = drv.Graph(), drv.Graph()
    node = graph.kernel(add, (a, np.int32(1)), block=BLOCK)
    run = graph.instantiate()
    a.fill(np.int32(1))
    other.kernel(mul, (a, np.int32(10)), block=BLOCK)
    run.update(other)
    run[node].update(grid=(2, 1))
    assert launched(run, a).tolist() == [10] * 64


def test_a_kernel_with_other_parameters_gets_its_own_layout(functions, a):
    add, _, mul_add = functions
    graph, other = drv.Graph(), drv.Graph()
    node = graph.kernel(add, (a, np.int32(1)), block=BLOCK)
    run = graph.instantiate()
    present = run[node]
    present.update(args=(a, np.int32(2)))
    other.kernel(mul_add, (a, np.int32(10), np.int64(1)), block=BLOCK)
    run.update(other)
    a.fill(np.int32(3))
    with pytest.raises(TypeError):
        present.update(args=(a, np.int32(7)))
    present.update(args=(a, np.int32(7), np.int64(4)))
    assert launched(run, a)[:32].tolist() == [25] * 32


def test_fills_and_copies_of_the_other_graph(a):
    graph, other = drv.Graph(), drv.Graph()
    b, sources = gpuarray.zeros(64, np.int32), [gpuarray.to_gpu(ramp(first)) for first in (0, 100)]
    fill = graph.memset(a, 1, 8, width=4)
    copy = fill.memcpy(a[32:], sources[0], 128)
    run = graph.instantiate()
    other.memset(b, 3, 4, width=4).memcpy(b[32:], sources[1], 8)
    run.update(other)
    run[fill].update(value=6)
    run[copy].update(size=12)
    values = launched(run, b)
    assert values[:5].tolist() == [6, 6, 6, 6, 0] and values[32:36].tolist() == [100, 101, 102, 0]


def test_a_copy_that_was_changed_in_the_graph_afterwards(a):
    first, second = (gpuarray.to_gpu(ramp(start)) for start in (0, 100))
    graph = drv.Graph()
    node = graph.memcpy(a, first, 128)
    run = graph.instantiate()
    copy = drv.Memcpy2D()
    copy.set_src_device(second.gpudata)
    copy.set_dst_device(a.gpudata)
    copy.width_in_bytes, copy.height = 8, 1
    node.update(copy=copy)  # not in the executable graph
    run[node].update(dest=a[4:])
    assert launched(run, a)[4:36].tolist() == ramp(0).tolist()


def test_nodes_that_were_added_later_do_not_count(functions, a):
    add, mul, _ = functions
    graph, other = drv.Graph(), drv.Graph()
    node = graph.kernel(add, (a, np.int32(1)), block=BLOCK)
    run = graph.instantiate()
    node.kernel(mul, (a, np.int32(100)), block=BLOCK)
    other.kernel(mul, (a, np.int32(3)), block=BLOCK)
    run.update(other)
    a.fill(np.int32(1))
    run[node].update(args=(a, np.int32(5)))
    assert launched(run, a)[:32].tolist() == [5] * 32


def test_a_graph_whose_nodes_were_added_in_another_order(functions, a):
    """The driver pairs nodes by their edges; which node is which cannot be asked."""
    add, mul, _ = functions
    b = gpuarray.zeros(64, np.int32)
    graph, other = drv.Graph(), drv.Graph()
    first = graph.kernel(add, (a, np.int32(1)), block=BLOCK)
    graph.memset(b, 1, 8, width=4, after=first)
    graph.memset(b[16:], 2, 8, width=4)
    run = graph.instantiate()
    other.memset(b[16:], 2, 8, width=4)
    kernel = other.kernel(mul, (a, np.int32(1)), block=BLOCK)
    other.memset(b, 1, 8, width=4, after=kernel)
    try:
        run.update(other)
    except drv.GraphUpdateError:
        return
    for update in (lambda: run[first].update(args=(a, np.int32(5))), lambda: run[first].update(grid=(2, 1))):
        with pytest.raises(drv.LogicError, match="another order"):
            update()
    run.update(graph)
    run[first].update(args=(a, np.int32(5)))
    assert launched(run, a)[0] == 5


def test_what_a_node_does_not_have_is_refused(functions, a):
    add, _, _ = functions
    graph = drv.Graph()
    kernel, fill, empty = graph.kernel(add, (a, np.int32(1)), block=BLOCK), graph.memset(a, 1, 8, width=4), graph.empty()
    run = graph.instantiate()
    with pytest.raises(TypeError, match="needs its arguments"):
        run[kernel].update()
    with pytest.raises(TypeError):
        run[fill].update(src=a)
    with pytest.raises(drv.LogicError, match="cannot be updated"):
        run[empty].update(value=1)
    with pytest.raises(OverflowError):
        run[fill].update(value=-1)
