"""Nodes that copy rectangles and boxes between memory and arrays: results, updates, and what keeps the arrays alive."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest
from conftest import gone
from pycuda import _driver
from pycuda.gpuarray import to_gpu

WIDTH, HEIGHT, DEPTH = 8, 4, 3
BOX = (DEPTH, HEIGHT, WIDTH)


def box(first, shape=BOX):
    return np.arange(first, first + np.prod(shape), dtype=np.int32).reshape(shape)


def new_array(depth=DEPTH):
    descriptor = drv.ArrayDescriptor3D()
    descriptor.width, descriptor.height, descriptor.depth = WIDTH, HEIGHT, depth
    descriptor.format, descriptor.num_channels = drv.array_format.SIGNED_INT32, 1
    return drv.Array(descriptor)


def pinned(values):
    memory = drv.pagelocked_empty(values.shape, values.dtype)
    memory[...] = values
    return memory


def level_of(values):
    """The first level of a mipmapped array."""
    descriptor = drv.ArrayDescriptor3D()
    descriptor.width, descriptor.height, descriptor.depth = WIDTH, HEIGHT, DEPTH
    descriptor.format, descriptor.num_channels = drv.array_format.SIGNED_INT32, 1
    level = drv.MipmappedArray(descriptor, 2).get_level(0)
    write(level, values)
    return level


def array_of(values):
    array = new_array()
    write(array, values)
    return array


#: name -> (memory with values, how a copy refers to it)
ENDS = {
    "pageable": (lambda values: values.copy(), "host"),
    "page-locked": (pinned, "host"),
    "device": (drv.to_device, "device"),
    "unified": (drv.to_device, "unified"),
    "array": (array_of, "array"),
    "level": (level_of, "array"),
}


def copy_between(src, dest, kind=drv.Memcpy3D, shape=BOX):
    """A copy between two ends, given as (memory, how), of the whole `shape`."""
    copy = kind()
    for (memory, how), side in ((src, "src"), (dest, "dst")):
        getattr(copy, f"set_{side}_{how}")(memory)
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 4 * WIDTH
    copy.height = shape[-2]
    if kind is not drv.Memcpy2D:
        copy.src_height = copy.dst_height = HEIGHT
        copy.depth = shape[0]
    return copy


def write(array, values):
    copy_between((values, "host"), (array, "array"))()


def contents(memory):
    values = np.zeros(BOX, np.int32)
    if isinstance(memory, np.ndarray):
        values[...] = memory
    elif isinstance(memory, drv.Array):
        copy_between((memory, "array"), (values, "host"))()
    else:
        drv.memcpy_dtoh(values, memory)
    return values


def launched(run):
    run.launch()
    drv.Context.synchronize()


@pytest.mark.parametrize("dest", ENDS)
@pytest.mark.parametrize("src", ENDS)
@pytest.mark.parametrize("kind", [drv.Memcpy2D, drv.Memcpy3D])
def test_every_end_to_every_end(context, kind, src, dest):
    make_src, how_src = ENDS[src]
    make_dest, how_dest = ENDS[dest]
    source, target = make_src(box(100)), make_dest(box(0))
    graph = drv.Graph()
    node = graph.memcpy_nd(copy_between((source, how_src), (target, how_dest), kind))
    copied = DEPTH if kind is drv.Memcpy3D else 1
    assert node.kind == drv.graph_node_kind.MEMCPY and node.parameters["size"] == 4 * WIDTH * HEIGHT * copied
    run = graph.instantiate()
    launched(run)
    expected = box(0)
    expected[:copied] = box(100)[:copied]
    assert (contents(target) == expected).all()


def test_a_part_of_an_array(context):
    array, patch = array_of(box(0)), np.array([[7, 8], [9, 10]], np.int32)
    copy = drv.Memcpy3D()
    copy.set_src_host(patch)
    copy.set_dst_array(array)
    copy.dst_x_in_bytes, copy.dst_y, copy.dst_z = 4 * 3, 1, 2
    copy.width_in_bytes, copy.height, copy.depth = 8, 2, 1
    graph = drv.Graph()
    graph.memcpy_nd(copy)
    copy.dst_x_in_bytes = 0  # the node is unaffected by changes of the copy
    launched(graph.instantiate())
    expected = box(0)
    expected[2, 1:3, 3:5] = patch
    assert (contents(array) == expected).all()


def test_a_row_of_an_array(context):
    array, other, row = array_of(box(0)), array_of(box(50)), np.full(WIDTH, -1, np.int32)
    graph = drv.Graph()
    graph.memcpy(row, array).memcpy(array, other, 4 * WIDTH).memcpy(other, np.full(2, 5, np.int32))
    launched(graph.instantiate())
    assert (row == box(0)[0, 0]).all()
    assert (contents(array)[0, 0] == box(50)[0, 0]).all() and (contents(array)[0, 1:] == box(0)[0, 1:]).all()
    assert contents(other)[0, 0, :3].tolist() == [5, 5, 52]
    with pytest.raises(TypeError, match="size"):
        graph.memcpy(array, other)


# ---- updates


def test_a_node_is_changed_to_another_copy(context):
    """The executable graph is unchanged until it is updated from the graph."""
    source, target = array_of(box(100)), drv.to_device(box(0))
    graph = drv.Graph()
    node = graph.memcpy(target, source, 4 * WIDTH)
    run = graph.instantiate()
    row = copy_between((array_of(box(200)), "array"), (target, "device"), drv.Memcpy2D, (1, WIDTH))
    row.src_y = 1
    node.update(copy=row)
    launched(run)
    assert (contents(target)[0, 0] == box(100)[0, 0]).all()
    run.update(graph)
    launched(run)
    assert (contents(target)[0, 0] == box(200)[0, 1]).all()
    node.update(copy=copy_between((source, "array"), (target, "device")))
    launched(graph.clone().instantiate())
    assert (contents(target) == box(100)).all()


def test_a_box_of_an_executable_graph_keeps_its_arrays(context):
    """Only the node of the graph can be changed to another array."""
    target = drv.to_device(box(0))
    graph = drv.Graph()
    node = graph.memcpy_nd(copy_between((array_of(box(100)), "array"), (target, "device")))
    run = graph.instantiate()
    node.update(copy=copy_between((array_of(box(200)), "array"), (target, "device")))
    with pytest.raises(drv.GraphUpdateError, match="src array.*cannot be changed"):
        run.update(graph)
    launched(run)
    assert (contents(target) == box(100)).all()
    launched(graph.instantiate())
    assert (contents(target) == box(200)).all()


def test_a_row_in_an_executable_graph_gets_new_offsets(context):
    source, target = array_of(box(100)), drv.to_device(box(0))
    graph = drv.Graph()
    node = graph.memcpy(target, source, 4 * WIDTH)
    run = graph.instantiate()
    row = copy_between((source, "array"), (target, "device"), drv.Memcpy2D, (1, WIDTH))
    row.src_y, row.dst_x_in_bytes, row.width_in_bytes = 2, 4, 8
    run[node].update(copy=row)
    launched(run)
    assert contents(target)[0, 0, :4].tolist() == [0, 116, 117, 3]


def test_a_box_in_an_executable_graph_cannot_change(context):
    source, target = array_of(box(100)), drv.to_device(box(0))
    graph = drv.Graph()
    node = graph.memcpy_nd(copy_between((source, "array"), (target, "device")))
    run = graph.instantiate()
    with pytest.raises(drv.LogicError, match="update the node of the graph"):
        run[node].update(copy=copy_between((array_of(box(5)), "array"), (target, "device")))
    launched(run)
    assert (contents(target) == box(100)).all()


CHANGES = {
    "nothing": lambda copy: None,
    "the width": lambda copy: setattr(copy, "width_in_bytes", 16),
    "the height": lambda copy: setattr(copy, "height", HEIGHT - 1),
    "the depth": lambda copy: setattr(copy, "depth", DEPTH - 1),
    "one row": lambda copy: (setattr(copy, "height", 1), setattr(copy, "depth", 1)),
    "x of the source": lambda copy: (setattr(copy, "src_x_in_bytes", 4), setattr(copy, "width_in_bytes", 28)),
    "y of the source": lambda copy: (setattr(copy, "src_y", 1), setattr(copy, "height", HEIGHT - 1)),
    "the pitch": lambda copy: setattr(copy, "dst_pitch", 64),
    "the height of slices": lambda copy: setattr(copy, "dst_height", 8),
    "the destination": lambda copy: copy.set_dst_device(drv.mem_alloc(1 << 12)),
    "the array": lambda copy: copy.set_src_array(array_of(box(300))),
}


@pytest.mark.parametrize("change", CHANGES)
def test_no_change_of_several_rows_is_taken(context, change):
    """As measured with NVIDIA's driver 580: in an executable graph, only the same copy again is accepted."""
    source, target = array_of(box(100)), drv.mem_alloc(1 << 12)
    copy = copy_between((source, "array"), (target, "device"))
    graph = drv.Graph()
    node = graph.memcpy_nd(copy)
    run = graph.instantiate()
    CHANGES[change](copy)
    node.update(copy=copy)
    if change == "nothing":
        run.update(graph)
        run[node].update(copy=copy)
    else:
        with pytest.raises(drv.GraphUpdateError, match="cannot be changed"):
            run.update(graph)
        with pytest.raises(drv.LogicError, match="instantiate that again"):
            run[node].update(copy=copy)
    launched(run)
    assert (drv.from_device(target, BOX, np.int32) == box(100)).all()


def test_a_row_does_not_become_several(context):
    source, target = array_of(box(100)), drv.to_device(box(0))
    copy = copy_between((source, "array"), (target, "device"), drv.Memcpy2D, (1, WIDTH))
    graph = drv.Graph()
    node = graph.memcpy_nd(copy)
    run = graph.instantiate()
    copy.height = 2
    node.update(copy=copy)
    with pytest.raises(drv.GraphUpdateError, match="cannot be changed"):
        run.update(graph)


def test_copies_that_cannot_be_nodes(context):
    array, graph = array_of(box(0)), drv.Graph()
    freed = new_array()
    freed.free()
    short = np.zeros(3, np.int32)
    copy = drv.Memcpy3D()
    copy.set_src_array(array)
    wrong = [
        (copy, drv.LogicError, "destination is not set"),
        (copy_between((freed, "array"), (short, "host"), shape=(1, 1, WIDTH)), drv.LogicError, "array"),
        (copy_between((array, "array"), (short, "host")), ValueError, "destination, which has 12"),
        (copy_between((array, "array"), (new_array(), "array"), drv.Memcpy3DPeer), drv.LogicError, "between contexts"),
        (None, TypeError, "StructuredCopy"),
        (array, TypeError, "StructuredCopy"),
    ]
    node = graph.memcpy_nd(copy_between((array, "array"), (np.zeros(BOX, np.int32), "host")))
    before = node.parameters
    run, empty = graph.instantiate(), graph.empty()
    for given, error, text in wrong:
        with pytest.raises(error, match=text):
            graph.memcpy_nd(given)
        if given is not None:
            with pytest.raises(error, match=text):
                node.update(copy=given)
            with pytest.raises(error, match=text):
                run[node].update(copy=given)
    assert len(graph.nodes) == 2 and node.parameters == before
    with pytest.raises(drv.LogicError, match="only a copy node can be changed"):
        empty.update(copy=copy_between((array, "array"), (np.zeros(BOX, np.int32), "host")))


# ---- lifetimes


def arrays():
    """The number of live arrays of all kinds in the driver."""
    return _driver._live_handles("array") + _driver._live_handles("mipmapped array")


def by_node(copy):
    graph = drv.Graph()
    graph.memcpy_nd(copy)
    return graph


def by_capture(copy):
    stream = drv.Stream()
    with stream.capture() as graph:
        copy(stream)
    return graph


def in_a_child(copy):
    graph = drv.Graph()
    graph.child_graph(by_node(copy))
    return graph


def by_update(copy):
    graph = drv.Graph()
    node = graph.memcpy_nd(copy_between((array_of(box(0)), "array"), (array_of(box(0)), "array")))
    node.update(copy=copy)
    return graph


def by_update_of_a_row(copy):
    """An executable graph keeps its graph alive here."""
    graph = drv.Graph()
    other = copy_between((array_of(box(0)), "array"), (drv.mem_alloc(4), "device"), drv.Memcpy2D, (1, WIDTH))
    other.width_in_bytes = 4
    node = graph.memcpy_nd(other)
    run = graph.instantiate()
    run[node].update(copy=copy)
    return run


@pytest.mark.parametrize("ends", ["free", "drop"])
@pytest.mark.parametrize("of", [by_node, by_capture, in_a_child, by_update, by_update_of_a_row])
@pytest.mark.parametrize("make", [array_of, level_of])
def test_an_array_is_kept_as_long_as_anything_can_copy_it(context, make, of, ends):
    source, target = make(box(300)), drv.mem_alloc(4 * WIDTH * HEIGHT * DEPTH)
    shape = BOX
    if of is by_update_of_a_row:
        shape, copy = (1, 1, WIDTH), copy_between((source, "array"), (target, "device"), drv.Memcpy2D, (1, WIDTH))
    else:
        copy = copy_between((source, "array"), (target, "device"))
    graph = of(copy)
    del copy
    if ends == "free":
        source.free()
    del source
    gc.collect()
    uses = [graph] if of is by_update_of_a_row else [graph.instantiate(), graph.clone().instantiate()]
    del graph
    gc.collect()
    others = [array_of(box(0)) for _ in range(2)]  # may reuse the array's memory
    while uses:
        drv.memset_d8(target, 0, 4 * WIDTH * HEIGHT * DEPTH)
        launched(uses[-1])
        found = contents(target)[: shape[0], : shape[1]]
        assert (found == box(300)[: shape[0], : shape[1]]).all()
        uses.pop()
    assert len(others) == 2


@pytest.mark.parametrize("of", [by_node, by_capture, in_a_child, by_update])
def test_memory_copied_from_its_middle_is_kept_alive(context, of):
    memory = to_gpu(np.arange(2 * WIDTH * HEIGHT * DEPTH, dtype=np.int32))
    part, target = memory[WIDTH * HEIGHT * DEPTH :], drv.mem_alloc(4 * WIDTH * HEIGHT * DEPTH)
    run = of(copy_between((part, "device"), (target, "device"))).instantiate()
    memory.gpudata.free()
    others = [drv.mem_alloc(2 * 4 * WIDTH * HEIGHT * DEPTH) for _ in range(2)]  # may reuse its memory
    for other in others:
        drv.memset_d8(other, 0, 2 * 4 * WIDTH * HEIGHT * DEPTH)
    launched(run)
    assert (contents(target) == box(WIDTH * HEIGHT * DEPTH)).all()


def test_arrays_are_freed(context):
    """However the array and its users end, its memory is freed exactly once."""
    free = drv.mem_get_info()[0]
    for of in (by_node, by_capture, in_a_child, by_update):
        for freed in (True, False):
            source = array_of(box(1))
            run = of(copy_between((source, "array"), (np.zeros(BOX, np.int32) if of is not by_capture else pinned(box(0)), "host"))).instantiate()
            if freed:
                source.free()
            launched(run)
            del source, run
    if drv.driver_info().is_cpu_device:  # other processes share a GPU's memory
        assert gone(lambda: drv.mem_get_info()[0] >= free)


def test_updates_of_a_node_do_not_accumulate(context):
    """An object that an update replaces is released with the last executable graph that uses it."""
    graph, target = drv.Graph(), np.zeros(WIDTH, np.int32)

    def row_of(array):
        return copy_between((array, "array"), (target, "host"), drv.Memcpy2D, (1, WIDTH))

    before = arrays()
    node = graph.memcpy_nd(row_of(array_of(box(0))))
    for first in (10, 20, 30):
        node.update(copy=row_of(array_of(box(first))))
    assert gone(lambda: arrays() == before + 1)
    run = graph.instantiate()
    node.update(copy=row_of(array_of(box(40))))
    assert arrays() == before + 2
    launched(run)
    assert (target == box(30)[0, 0]).all()
    run.update(graph)
    launched(run)
    assert (target == box(40)[0, 0]).all()
    assert gone(lambda: arrays() == before + 1)
    del graph, node, run
    assert gone(lambda: arrays() == before)
