"""Every kind of object x how it ends x when x how a graph uses it: what is in memory afterwards, or which exception.

A cell makes an object, lets a graph use it, ends it, fills decoys that may get its memory, launches the graph, and compares what the graph wrote.
The kinds are the classes of the package that own something of the driver: a new class without its row fails. PYCUDA_WHOLE_TABLES=1 runs the whole
product; otherwise each combination of two coordinates is there, in another order for each kind.
"""

import gc
import itertools
import os
import threading

import numpy as np
import pycuda.driver as drv
import pytest
from gate import Gate
from lifetimes import BLOCK, ENDS, KINDS, MODES, N, NBYTES, collected, in_capture, world  # noqa: F401
from pycuda import _driver


# ---- how a graph uses it: each returns what launches, and fills `result` with 6

STEPS = ("fill", "kernel", "copy")


def given(obj, only):
    """The object for the step `only` (None: for each), and its address for the others, which keep nothing."""
    return [obj if only in (None, step) else np.uintp(int(obj)) for step in STEPS]


def use(graph, world, obj, result, only=None):
    """Nodes that fill the memory with 5, add 1 and copy it to `result`; for host memory, that copy it."""
    if isinstance(obj, np.ndarray):
        graph.memset(world.spare, 6, N, width=4).memcpy(obj, world.spare).memcpy(world.spare, obj).memcpy(result, world.spare)
    else:
        filled, added, copied = given(obj, only)
        graph.memset(filled, 5, N, width=4).kernel(world.add, (added, np.int32(1)), block=BLOCK).memcpy(result, copied, NBYTES)


def node(world, obj, result, only=None):
    graph = drv.Graph()
    use(graph, world, obj, result, only)
    return graph


def captured(mode):
    def capture(world, obj, result, only=None):
        with world.stream.capture(mode=mode) as graph:
            stream = world.stream
            if isinstance(obj, np.ndarray):
                drv.memset_d32_async(world.spare.gpudata, 6, N, stream)
                drv.memcpy_dtoh_async(obj, world.spare.gpudata, stream)
                drv.memcpy_htod_async(world.spare.gpudata, obj, stream)
                drv.memcpy_dtoh_async(result, world.spare.gpudata, stream)
            else:
                filled, added, copied = given(obj, only)
                drv.memset_d32_async(filled, 5, N, stream)
                world.add(added, np.int32(1), block=BLOCK, stream=stream)
                drv.memcpy_dtoh_async(result, copied, stream)
        return graph
    return capture


def clone(world, obj, result):
    return node(world, obj, result).clone()


def child(world, obj, result):
    parent = drv.Graph()
    parent.child_graph(node(world, obj, result))
    return parent


def body(world, obj, result):
    """A body has no host memory."""
    graph = drv.Graph()
    with graph.if_then(condition=world.flag) as inside:
        if isinstance(obj, np.ndarray):
            return None
        inside.memset(obj, 5, N, width=4).kernel(world.add, (obj, np.int32(1)), block=BLOCK)
    graph.memcpy(result, obj, NBYTES, after=graph.nodes[-1])
    return graph


def updated(world, obj, result, only=None):
    """The nodes of the executable graph are updated to use it."""
    graph = drv.Graph()
    if isinstance(obj, np.ndarray):
        between = world.make(world)
        first = graph.memset(world.spare, 6, N, width=4)
        there = first.memcpy(between, world.spare)
        back = there.memcpy(world.spare, between)
        back.memcpy(result, world.spare)
        run = graph.instantiate()
        run[there].update(dest=obj, src=world.spare)
        run[back].update(dest=world.spare, src=obj)
        return run
    between = world.make(world)
    fill = graph.memset(between, 5, N, width=4)
    add = fill.kernel(world.add, (between, np.int32(1)), block=BLOCK)
    copy = add.memcpy(result, between, NBYTES)
    filled, added, copied = given(obj, only)
    run = graph.instantiate()
    run[fill].update(dest=filled)
    run[add].update(args=(added, np.int32(1)))
    run[copy].update(dest=result, src=copied, size=NBYTES)
    return run


def node_replaced(world, obj, result, only=None):
    """The nodes of the graph are updated to use it."""
    graph, between = drv.Graph(), world.make(world)
    if isinstance(obj, np.ndarray):
        return None  # copies of the graph: their ends are in every way above
    fill = graph.memset(between, 5, N, width=4)
    add = fill.kernel(world.add, (between, np.int32(1)), block=BLOCK)
    filled, added, copied = given(obj, only)
    add.memcpy(result, copied, NBYTES)
    fill.update(dest=filled, value=5, count=N, width=4)
    add.update(kernel=world.add, args=(added, np.int32(1)), block=BLOCK)
    return graph


def replaced(world, obj, result):
    """The whole executable graph is updated to one that uses it."""
    run = node(world, world.make(world), result).instantiate()
    run.update(node(world, obj, result))
    return run


def only(way, step):
    """Host memory has no such steps."""
    return lambda world, obj, result: None if isinstance(obj, np.ndarray) else way(world, obj, result, step)


WAYS = {"node": node, **{f"capture {mode}": captured(mode) for mode in MODES}, "clone": clone, "child": child, "body": body, "update": updated, "update in the graph": node_replaced,
        "update of all": replaced, **{f"{step} node": only(node, step) for step in STEPS},
        **{f"captured {step}": only(captured("relaxed"), step) for step in STEPS}, **{f"update of a {step}": only(updated, step) for step in STEPS},
        **{f"update of a {step} in the graph": only(node_replaced, step) for step in STEPS}}


# ---- when it ends: `made` is a list with the only reference to what uses it

def runs(made):
    return made if isinstance(made, drv.ExecutableGraph) else made.instantiate()


def launched(world, run, result):
    result[:] = 0
    run.launch(world.stream)
    world.stream.synchronize()
    assert (result == 6).all(), f"the graph found {result[0]}, expected 6"


def ends_in_capture(mode):
    def ends(world, made, end, result):
        with in_capture(world, mode):
            end()
        run = runs(made.pop())
        world.fill_decoys()
        launched(world, run, result)
    return ends


def before_instantiation(world, made, end, result):
    end()
    world.fill_decoys()
    launched(world, runs(made.pop()), result)


def while_the_graph_lives(world, made, end, result):
    run = runs(made[0])
    launched(world, run, result)
    end()
    world.fill_decoys()
    launched(world, run, result)


def while_only_the_executable_lives(world, made, end, result):
    run = runs(made.pop())
    end()
    world.fill_decoys()
    launched(world, run, result)
    launched(world, run, result)


def while_a_launch_is_in_flight(world, made, end, result):
    run = runs(made.pop())
    gc.collect()  # no garbage may wait for the stream on this thread
    gate = Gate(world.stream, patience=1).close()  # what earlier cells left is freed by a thread of the library
    try:
        run.launch(world.stream)
        del run
        thread = threading.Thread(target=end)  # freeing may wait for the launch
        thread.start()
    finally:
        gate.open()
    thread.join()
    assert (result == 6).all()


def after_the_graph(world, made, end, result):
    launched(world, runs(made.pop()), result)
    gc.collect()
    end()
    world.fill_decoys()


def after_a_lost_capture(world, made, end, result):
    """Another capture was lost; this graph is whole."""
    with pytest.raises(drv.LogicError, match="was not joined"):
        with world.other.capture():
            event = drv.Event()
            event.record(world.other)
            joined = drv.Stream(drv.stream_flags.NON_BLOCKING)
            joined.wait_for_event(event)
            drv.memset_d32_async(world.spare.gpudata, 1, N, joined)
    while_the_graph_lives(world, made, end, result)


MOMENTS = {**{f"in a capture, {mode}": ends_in_capture(mode) for mode in MODES},
           **{moment.__name__: moment for moment in (before_instantiation, while_the_graph_lives, while_only_the_executable_lives,
                                                    while_a_launch_is_in_flight, after_the_graph, after_a_lost_capture)}}


def cells(number):
    """All cells, or so many that each pair of coordinates is among them, shifted by `number`."""
    if os.environ.get("PYCUDA_WHOLE_TABLES"):
        yield from itertools.product(WAYS, ENDS, MOMENTS)
        return
    ways, moments = list(WAYS), list(MOMENTS)
    for one, way in enumerate(ways):
        for two, end in enumerate(ENDS):
            yield way, end, moments[(one * len(ENDS) + two * 2 + number) % len(moments)]


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_graph_uses_outlives_its_end(world, kind):
    world.make = KINDS[kind]
    for way, end, moment in cells(list(KINDS).index(kind)):
        cell = f"{kind}, {end.__name__}, {moment}, {way}"
        result, held = world.result(), [world.make(world)]
        made = [WAYS[way](world, held[0], result)]
        drv.Context.synchronize()  # a new array is filled on the default stream, for which others do not wait
        if made == [None]:
            continue

        def ended():
            end(kind, held)
            if end is collected:
                gc.collect()

        try:
            MOMENTS[moment](world, made, ended, result)
            world.check_decoys()
        except Exception as error:
            raise AssertionError(cell) from error
    assert not _driver._native.is_any_capture_open()
