"""Each row of the table, with code of the program in the place of each parameter: it ends whatever else the call was given."""

import contextlib
import inspect
import itertools
import types

import cells  # noqa: F401  reads the rows
import numpy as np
import pycuda.driver as drv
import pytest
import rows_graphs
from device_values import DEVICE
from hostile import ADDRESSES, Attack, HostileSequence, ways_of, with_allocator, with_method, with_property
from host_values import HOST
from kinds import SHARED, shared
from pycuda.compiler import SourceModule
from pycuda.gpuarray import to_gpu
from surface import Parameter
from table import ROWS, SIZE, Reads, Value, Writes, arguments_of, is_maker, named, prepare

pytestmark = pytest.mark.filterwarnings("ignore")

VICTIMS = ["device allocation", "pooled allocation", "stream ordered allocation", "virtual memory", "managed allocation", "managed array", "gpuarray",
           "view of a gpuarray"]
#: Faults of the library; other exceptions are explained to the program.
FAULTS = (SystemError, AssertionError, UnboundLocalError)
attacks = 0


@pytest.fixture(autouse=True, scope="module")
def shared_values(module_context):
    yield
    SHARED.clear()
    rows_graphs.ALLOCATED.clear()


def ways(row, parameter):
    """{name: function of an attack and memory} for a parameter of the row."""
    spec = row.values[parameter.name]
    if isinstance(spec, Reads):
        return {} if "host" in parameter.kind else ADDRESSES
    value = spec() if is_maker(spec) else spec
    if parameter.name.startswith("*"):  # a sequence of arguments, and not one itself
        return {name: lambda attack, _, make=make: make(attack) for name, make in ways_of(list(value)).items() if "in a sequence" in name}
    return {name: lambda attack, _, make=make: make(attack) for name, make in ways_of(value).items()}


def complaint(title, row, parameter, way, victim):
    """What is wrong with a cell; empty if nothing is."""
    attack, own = Attack(), drv.mem_alloc(SIZE)
    drv.memset_d8(own, 0, SIZE)
    chosen = {name: DEVICE[victim] for name, spec in row.values.items()
              if isinstance(spec, Reads) and name != parameter.name and name in row.parameters and row.parameters[name].kind == "device address"}
    memories, given = prepare(row, {**chosen, parameter.name: Value(lambda: way(attack, own))})
    positional, keywords = arguments_of(row, given)
    function, owner = row.function()
    attack.reachable += [*(memory.value for memory in memories.values()), *DEVICE.kept, *HOST.kept, owner,
                         *(value for name, value in given.items() if name != parameter.name)]
    attack.armed = True
    result = ""
    try:
        made = function(*positional, **keywords)
        if row.then and ("capture" in title or "ontext" in title):  # ends them; others use what the code has ended, in a call of their own
            row.then(made, types.SimpleNamespace(**given, self=owner))
    except FAULTS as error:
        result = f"raised {type(error).__name__}: {error} "
    except Exception:  # noqa: S110  whatever the code makes of the call
        pass
    finally:
        DEVICE.kept.clear()
        HOST.kept.clear()
        attack.reachable.clear()  # an object in C++ may be a part of this cycle
    global attacks
    attacks += attack.done
    result += attack.damage()
    attack.others.clear()
    return result


# ---- launches, whose arguments are no parameters

SOURCE = """
__global__ void copy(unsigned char *to, const unsigned char *from, int count) { if (threadIdx.x < count) to[threadIdx.x] = from[threadIdx.x]; }
__global__ void copy_more(unsigned char *to, const unsigned char *from, int *host) { to[threadIdx.x] = from[threadIdx.x]; host[0] = 1; }
"""


@shared
def kernel(name):
    return SourceModule(SOURCE).get_function(name)


def prepared():
    return kernel("copy").prepare("PPi")


def updated_node(dest, src):
    graph, memory = drv.Graph(), drv.mem_alloc(SIZE)
    node = graph.kernel(kernel("copy"), memory, memory, COUNT, block=BLOCK)
    graph.instantiate()[node].update(args=(dest, src, COUNT))


class Handler(drv.ArgumentHandler):
    """One of the program's, whose memory the code can end."""

    def __init__(self, attack):
        super().__init__(np.zeros(SIZE, np.uint8))
        self.attack = attack

    def get_device_alloc(self):
        self.dev_alloc = drv.mem_alloc(SIZE)
        self.attack.reachable.append(self.dev_alloc)
        return self.dev_alloc

    def pre_call(self, stream):
        self.attack()

    post_call = pre_call


BLOCK = (SIZE, 1, 1)
COUNT = np.int32(SIZE)
LAUNCHES = {
    "__call__": lambda dest, src, block, time_kernel: kernel("copy")(dest, src, COUNT, block=block, time_kernel=time_kernel),
    "__call__ with attributes": lambda dest, src, shared, attributes: kernel("copy")(dest, src, COUNT, block=BLOCK, shared=shared, attributes=attributes),
    "__call__ with a stream": lambda dest, src, stream, grid: kernel("copy")(dest, src, COUNT, block=BLOCK, stream=stream, grid=grid),
    "__call__ with InOut": lambda dest, src, stream: kernel("copy_more")(dest, src, drv.InOut(np.zeros(4, np.int32)), block=BLOCK, stream=stream),
    "prepared_call": lambda dest, src, count, grid: prepared().prepared_call(grid, BLOCK, dest, src, count),
    "prepared_async_call": lambda dest, src, count, stream: prepared().prepared_async_call((1, 1), BLOCK, stream, dest, src, count),
    "prepared_timed_call": lambda dest, src, count: prepared().prepared_timed_call((1, 1), BLOCK, dest, src, count),
    "param_set": lambda dest, src: kernel("copy").param_set(dest, src, COUNT),
    "kernel node": lambda dest, src, block: drv.Graph().kernel(kernel("copy"), dest, src, COUNT, block=block), "update of a kernel node": updated_node,
}
VALUES = {"dest": Writes("src"), "src": Reads(), "block": BLOCK, "grid": (1, 1), "time_kernel": False, "shared": 0, "count": SIZE,
          "attributes": {"cooperative": False}, "stream": drv.Stream}
KINDS = {"dest": "_Pointer", "src": "_Pointer"}


class Launch:
    """As a row of the table."""

    then = None

    def __init__(self, name):
        self.call = LAUNCHES[name]
        self.values = {name: VALUES[name] for name in inspect.signature(self.call).parameters}
        self.parameters = {name: Parameter(name, KINDS.get(name, "Any"), False, True) for name in self.values}

    def function(self):
        return self.call, None


ALL = {**ROWS, **{f"launch: {name}": Launch(name) for name in LAUNCHES}}


def test_handlers_whose_memory_is_freed():
    attack = Attack()
    attack.armed, memory = True, drv.mem_alloc(SIZE)
    handler = Handler(attack)
    with contextlib.suppress(drv.LogicError):
        kernel("copy")(handler, memory, COUNT, block=BLOCK)
    assert attack.done and attack.damage() == ""


# ---- assignments, whose destination is no parameter

COUNT_OF_NUMBERS = SIZE // 8


def set_every_second(array, host):
    array[:8:2].set(host)


#: Ways to write to an array of complex numbers.
ASSIGNMENTS = {
    "all": lambda a, value: a.__setitem__(..., value), "a slice": lambda a, value: a.__setitem__(slice(0, 4), value), "an element": lambda a, value: a.__setitem__(1, value),
    "every second": lambda a, value: a.__setitem__(slice(0, 8, 2), value), "set": lambda a, value: set_every_second(a, np.asarray(value, a.dtype)),
    "places": lambda a, value: a.__setitem__([0, 1, 2, 3], value), "a mask": lambda a, value: a.__setitem__(np.arange(COUNT_OF_NUMBERS) < 4, value),
    "some of many": lambda a, value: a.__setitem__((slice(None, None, 2), None), value), "real": lambda a, value: setattr(a, "real", value), "imag": lambda a, value: setattr(a, "imag", value),
    "flat": lambda a, value: setattr(a, "flat", value), "fill": lambda a, value: a.fill(value), "+=": lambda a, value: a.__iadd__(value), "put": lambda a, value: np.put(a, [0, 1, 2, 3], value),
    "copyto": lambda a, value: np.copyto(a, value, casting="unsafe"), "putmask": lambda a, value: np.putmask(a, a, value), "place": lambda a, value: np.place(a, a, value),
    "put_along_axis": lambda a, value: np.put_along_axis(a, [0, 1, 2, 3], value, 0), "at an index": lambda a, value: a.__setitem__(value, 5), "at indices": lambda a, value: a.__setitem__((value, None), [5]),
}
#: Values with code that ends the array.
ASSIGNED = {
    "__array__": lambda attack, memory: with_method("__array__", attack, np.ones(4, np.float32))(), "__float__": lambda attack, memory: with_method("__float__", attack, 1.0)(),
    "__complex__": lambda attack, memory: with_method("__complex__", attack, 1j)(), "__index__": lambda attack, memory: with_method("__index__", attack, 1)(),
    "a sequence": lambda attack, memory: HostileSequence(attack, [1, 2, 3, 4]), "__float__ in a list": lambda attack, memory: [1.0, 2.0, 3.0, with_method("__float__", attack, 1.0)()],
    "__array_interface__": lambda attack, memory: with_property("__array_interface__", attack, np.ones(4, np.float32).__array_interface__), **ADDRESSES,
    "an allocator": lambda attack, memory: with_allocator(attack, to_gpu(np.ones(4, np.float32))),
}


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_allocators_that_end_the_array(name):
    attack = Attack()
    array = with_allocator(attack, to_gpu(np.ones(COUNT_OF_NUMBERS, np.complex64)))
    attack.reachable.append(array)
    attack.armed = True
    with contextlib.suppress(Exception):
        ASSIGNMENTS[name](array, np.ones(4, np.complex64))
    assert attack.damage() == ""


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_assigned_values_that_end_the_array(name):
    complaints = {}
    for way, make in ASSIGNED.items():
        attack, memory, array = Attack(), drv.mem_alloc(SIZE), to_gpu(np.ones(COUNT_OF_NUMBERS, np.complex64))
        drv.memset_d8(memory, 0, SIZE)
        attack.reachable.append(array)
        value, attack.armed = make(attack, memory), True
        with contextlib.suppress(Exception):
            ASSIGNMENTS[name](array, value)
        if attack.damage():
            complaints[way] = attack.damage()
    assert complaints == {}


@pytest.mark.parametrize("name", ALL)
def test_code_that_ends_the_other_arguments(name):
    row, complaints = ALL[name], {}
    for parameter in row.parameters.values():
        if parameter.name not in row.values:
            continue
        several = any(isinstance(spec, Reads) and other != parameter.name for other, spec in row.values.items())
        for number, (way, make) in enumerate(ways(row, parameter).items()):
            for victim in itertools.islice(itertools.cycle(VICTIMS), number, number + 3 if several else number + 1):
                title = f"{name}({parameter.name}: {way}), which ends {victim}"
                wrong = named(title, lambda: complaint(title, row, parameter, make, victim))
                if wrong:
                    complaints[title] = wrong
    assert complaints == {}


def test_code_was_run():
    assert attacks > 1000
