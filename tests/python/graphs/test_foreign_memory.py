"""Memory that this library does not free: the graph keeps the object that a node got it from. Every kind of object, in every kind of node."""

import gc
import weakref

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from conftest import gone
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.tools import DeviceMemoryPool

N = 32
BLOCK = (N, 1, 1)
SOURCE = "__global__ void put(int *p, int *out) { p[threadIdx.x] += 5; out[threadIdx.x] = p[threadIdx.x]; }"


class Owner:
    """Has memory that another library would own, and whose end only a weak reference can tell."""

    def __init__(self):
        self.memory = drv.mem_alloc(4 * N)
        drv.memset_d32(self.memory, 1, N)


class Holder(drv.PointerHolderBase):
    __init__ = Owner.__init__

    def __new__(cls):
        holder = drv.PointerHolderBase.__new__(cls)
        drv.PointerHolderBase.__init__(holder)
        return holder

    def get_pointer(self):
        return int(self.memory)


class HasGpudata(Owner):
    gpudata = property(lambda self: int(self.memory))


class Interface(Owner):
    @property
    def __cuda_array_interface__(self):
        return {"shape": (N,), "typestr": "<i4", "data": (int(self.memory), False), "version": 3}


class IntLike(Owner):
    def __index__(self):
        return int(self.memory)


class Exporter(Owner):
    """Another library's array, with DLPack."""

    def __init__(self):
        super().__init__()
        self.array = gpuarray.GPUArray((N,), np.int32, gpudata=int(self.memory), base=self.memory)

    def __dlpack__(self, **options):
        exported = gpuarray.GPUArray((N,), np.int32, gpudata=int(self.memory), base=self)
        return exported.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class ArrayWithOwner(gpuarray.GPUArray):
    """The program keeps the owner in an attribute."""


def with_attribute(owner):
    array = ArrayWithOwner((N,), np.int32, gpudata=int(owner.memory))
    array.owner = owner
    return array


#: kind -> (what makes the owner, what the node gets)
KINDS = {
    "holder": (Holder, lambda owner: owner),
    "gpudata": (HasGpudata, lambda owner: owner),
    "interface": (Interface, lambda owner: owner),
    "int-like": (IntLike, lambda owner: owner),
    "array of holder": (Holder, lambda owner: gpuarray.GPUArray((N,), np.int32, gpudata=owner)),
    "array of int-like": (IntLike, lambda owner: gpuarray.GPUArray((N,), np.int32, gpudata=owner)),
    "array of interface": (Interface, lambda owner: gpuarray.GPUArray((N,), np.int32, gpudata=owner)),
    "array with base": (Owner, lambda owner: gpuarray.GPUArray((N,), np.int32, gpudata=int(owner.memory), base=owner)),
    "array with attribute": (Owner, with_attribute),
    "asarray": (Interface, gpuarray.asarray),
    "view of asarray": (Interface, lambda owner: gpuarray.asarray(owner)[::-1][::-1]),
    "DLPack": (Exporter, gpuarray.from_dlpack),
    "view of DLPack": (Exporter, lambda owner: gpuarray.from_dlpack(owner).reshape(4, 8).reshape(N)),
}


@pytest.fixture
def uses(context):
    """way -> a function of the memory, which returns what keeps it; TypeError where such memory cannot be used."""
    put = SourceModule(SOURCE).get_function("put")
    prepared = SourceModule(SOURCE).get_function("put").prepare("PP")
    elementwise = ElementwiseKernel("int *p, int *q", "q[i] = p[i] + 5")
    out, stream = gpuarray.zeros(N, np.int32), drv.Stream()

    def rectangle(memory):
        copy = drv.Memcpy2D()
        copy.set_src_device(memory)
        copy.set_dst_device(out.gpudata)
        copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 4 * N
        copy.height = 1
        return copy

    def node(add):
        def made(memory):
            graph = drv.Graph()
            add(graph, memory)
            return graph

        return made

    def captured(work):
        def made(memory):
            with stream.capture() as graph:
                work(memory)
            return graph

        return made

    def body(memory):
        graph = drv.Graph()
        with graph.if_then(out) as inside:
            inside.kernel(put, (memory, out), block=BLOCK)
        return graph

    def clone(memory):
        return node(lambda graph, memory: graph.kernel(put, (memory, out), block=BLOCK))(memory).clone()

    def child(memory):
        outer = drv.Graph()
        outer.child_graph(node(lambda graph, memory: graph.kernel(put, (memory, out), block=BLOCK))(memory))
        return outer

    def updated(add, update):
        def made(memory):
            graph = drv.Graph()
            node = add(graph)
            run = graph.instantiate()
            update(run[node], memory)
            return run

        return made

    def tensor_map(memory):
        described = drv.TensorMap.tiled(memory, (4, 4), shape=(4, 8), dtype=np.int32)
        take = SourceModule("struct alignas(64) map { char bytes[128]; }; __global__ void take(const __grid_constant__ map m) {}").get_function("take")
        graph = drv.Graph()
        graph.kernel(take, (described,), block=BLOCK)
        return graph

    def operation(memory):
        if not isinstance(memory, gpuarray.GPUArray):
            raise TypeError
        return memory + 1

    return {
        "kernel": node(lambda graph, memory: graph.kernel(put, (memory, out), block=BLOCK)),
        "memset": node(lambda graph, memory: graph.memset(memory, 3, N, width=4)),
        "memcpy from": node(lambda graph, memory: graph.memcpy(out, memory, 4 * N)),
        "memcpy to": node(lambda graph, memory: graph.memcpy(memory, out, 4 * N)),
        "memcpy_nd": node(lambda graph, memory: graph.memcpy_nd(rectangle(memory))),
        "condition": node(lambda graph, memory: graph.if_then(memory)),
        "tensor map": tensor_map,
        "body": body,
        "clone": clone,
        "child": child,
        "executable": lambda memory: node(lambda graph, memory: graph.kernel(put, (memory, out), block=BLOCK))(memory).instantiate(),
        "captured launch": captured(lambda memory: put(memory, out, block=BLOCK, stream=stream)),
        "captured prepared call": captured(lambda memory: prepared.prepared_async_call((1, 1), BLOCK, stream, memory, out)),
        "captured elementwise": captured(lambda memory: elementwise(memory, out)),
        "captured operation": captured(operation),
        "captured memset": captured(lambda memory: drv.memset_d32_async(memory, 3, N, stream)),
        "captured memcpy": captured(lambda memory: drv.memcpy_dtod_async(out.gpudata, memory, 4 * N, stream)),
        "captured memcpy_nd": captured(lambda memory: rectangle(memory)(stream)),
        "update of a kernel": updated(lambda graph: graph.kernel(put, (out, out), block=BLOCK), lambda node, memory: node.update(args=(memory, out))),
        "update of a fill": updated(lambda graph: graph.memset(out, 3, N, width=4), lambda node, memory: node.update(dest=memory)),
        "update of a copy": updated(lambda graph: graph.memcpy(out, out[::-1].copy()), lambda node, memory: node.update(src=memory)),
        "update with a copy": updated(lambda graph: graph.memcpy(out, out[::-1].copy()), lambda node, memory: node.update(copy=rectangle(memory))),
    }


#: These take only objects with a dtype, or those that elementwise kernels know.
REFUSED = {("captured elementwise", kind) for kind in ("holder", "gpudata", "int-like")} | {
    (way, "int-like") for way in ("kernel", "body", "clone", "child", "executable", "captured launch", "update of a kernel")
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_graph_keeps_it_and_releases_it(uses, kind):
    make, wrap = KINDS[kind]
    for way, use in uses.items():
        owner = make()
        is_kept = weakref.ref(owner)
        memory = wrap(owner)
        try:
            keeper = use(memory)
        except (TypeError, AttributeError):
            assert (way, kind) in REFUSED or (way == "captured operation" and not isinstance(memory, gpuarray.GPUArray)), (way, kind)
            continue
        assert (way, kind) not in REFUSED
        del owner, memory
        for _ in range(3):
            gc.collect()
            drv.Context.synchronize()
        assert is_kept() is not None, (kind, way)
        del keeper
        assert gone(lambda is_kept=is_kept: is_kept() is None), (kind, way)


def test_what_an_update_replaces_is_released(uses, context):
    put = SourceModule(SOURCE).get_function("put")
    out = gpuarray.zeros(N, np.int32)
    first, second, third = owners = Interface(), Holder(), Interface()
    kept = [weakref.ref(owner) for owner in owners]
    graph = drv.Graph()
    kernel = graph.kernel(put, (first, out), block=BLOCK)
    fill = graph.memset(out, 1, N, width=4)
    copy = graph.memcpy(out, out[::-1].copy())
    run = graph.instantiate()
    run[kernel].update(args=(second, out))
    run[fill].update(dest=second)
    run[copy].update(src=second)
    del first, second, owners
    run[kernel].update(block=BLOCK)  # the arguments stay, and so does their memory
    run[fill].update(value=7)
    run[copy].update(dest=out)  # the source stays
    gc.collect()
    drv.Context.synchronize()
    assert kept[1]() is not None
    assert kept[0]() is not None  # the graph's own
    for node, options in ((kernel, {"args": (third, out)}), (fill, {"dest": third}), (copy, {"src": third})):
        run[node].update(**options)
    del third, options
    assert gone(lambda: kept[1]() is None)
    run.update(graph.clone())
    assert gone(lambda: kept[2]() is None)
    assert kept[0]() is not None


def test_a_launch_in_flight_keeps_what_its_graph_kept(kernels, context):
    go = drv.pagelocked_zeros(1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    stream, flag = drv.Stream(drv.stream_flags.NON_BLOCKING), gpuarray.zeros(1, np.int32)
    owner = Interface()
    is_kept = weakref.ref(owner)
    graph = drv.Graph()
    graph.kernel(kernels["wait_for"], (np.intp(go.base.get_device_pointer()), flag), block=(1, 1, 1)).kernel(
        kernels["add"], (owner, np.int32(1)), block=BLOCK)
    run = graph.instantiate()
    run.launch(stream)
    del owner, graph, run
    gc.collect()
    assert is_kept() is not None
    go[0] = 1
    stream.synchronize()
    assert gone(lambda: is_kept() is None)


def test_memory_of_ours_that_a_holder_names_survives_its_free(kernels, context):
    """The program frees the memory itself: the graph knows its address."""
    for make in (Holder, Interface, HasGpudata):
        owner = make()
        graph = drv.Graph()
        graph.kernel(kernels["add"], (owner, np.int32(1)), block=BLOCK)
        run, address = graph.instantiate(), int(owner.memory)
        owner.memory.free()
        assert int(drv.mem_alloc(4 * N)) != address
        run.launch()
        drv.Context.synchronize()


def test_a_refused_node_keeps_what_it_has_read_no_longer_than_the_graph(kernels, context):
    owner = Interface()
    is_kept = weakref.ref(owner)
    graph = drv.Graph()
    with pytest.raises(drv.LogicError):
        graph.kernel(kernels["add"], (owner, np.int32(1)), block=(4096, 1, 1))
    del owner, graph
    assert gone(lambda: is_kept() is None)


def test_managed_memory_that_a_capture_uses_is_kept(kernels, context):
    managed = drv.managed_zeros(N, np.int32, mem_flags=drv.mem_attach_flags.GLOBAL)
    stream = drv.Stream()
    with stream.capture() as graph:
        kernels["add"](managed, np.int32(2), block=BLOCK, stream=stream)
    run, view = graph.instantiate(), managed[:4]
    is_kept = weakref.ref(managed.base)
    address = managed.ctypes.data
    del managed, view
    gc.collect()
    assert is_kept() is None  # the program's object; the memory is the graph's
    assert drv.managed_zeros(N, np.int32, mem_flags=drv.mem_attach_flags.GLOBAL).ctypes.data != address
    run.launch(stream)
    stream.synchronize()


#: Arrays of this library's own memory that come back through DLPack, or as an address with its owner.
RETURNED = {
    "DLPack": gpuarray.from_dlpack,
    "DLPack of a view": lambda array: gpuarray.from_dlpack(array[::-1][::-1]),
    "view of DLPack": lambda array: gpuarray.from_dlpack(array).reshape(4, 8).reshape(N),
    "DLPack twice": lambda array: gpuarray.from_dlpack(gpuarray.from_dlpack(array)),
    "DLPack of the memory": lambda array: gpuarray.from_dlpack(array.gpudata).view(np.int32),
    "address with its owner": lambda array: gpuarray.GPUArray((N,), np.int32, gpudata=int(array.gpudata), base=array.gpudata),
}


@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("kind", RETURNED)
def test_freed_memory_that_comes_back_is_not_anothers(uses, kind, pooled):
    pool = DeviceMemoryPool()
    for way, use in uses.items():
        array = gpuarray.empty(N, np.int32, allocator=pool.allocate if pooled else None).fill(1)
        address = int(array.gpudata)
        try:
            keeper = use(RETURNED[kind](array))
        except TypeError:
            assert (way, kind) in REFUSED
            continue
        array.gpudata.free()
        others = [gpuarray.empty(N, np.int32, allocator=array.allocator) for _ in range(64)]
        assert address not in [int(other.gpudata) for other in others], way
        del keeper, others, array
        assert gone(lambda: pool.active_blocks == 0), way
