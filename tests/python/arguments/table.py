"""The rows of the table, and the functions that run a cell.

A row is a public callable with a valid call of it:

    row("driver.memcpy_htod", dest=Writes("src"), src=Reads())

A parameter that takes memory is given `Reads()`, memory of 64 known bytes, or `Writes(what)`, memory that must hold `what` afterwards: bytes, the
name of the parameter whose bytes it receives, or a function of a dict of all bytes. A callable is called for a value, anew for each cell; other
values, and NumPy's types, are passed as they are. A name that is not a parameter is passed to `then(result, given)` only, which completes a call whose
effect shows later.

The kinds of each parameter come from the stubs. `but={"src": {"some bytes": TypeError}}` says where this parameter treats a kind differently from
others do; None says that it works, and `...` that it means something else there.
"""

import functools
import re
import sys
import types

import device_values
import host_values
import refused_addresses  # noqa: F401  fills the list of device addresses
import numpy as np
import pycuda.driver as drv
from device_values import DEVICE
from host_values import HOST
from surface import SURFACE, public

ROWS = {}
SIZE = 64  # bytes of every memory, unless the row says otherwise
NOISE = re.compile(r"std::|pycuda::|(?<!pycuda-)swig|argument \d+ of type|prototype|overloaded|void \*|char const", re.IGNORECASE)
#: The exceptions with which a wrong value may be rejected.
REFUSALS = (TypeError, ValueError, OverflowError, IndexError, NotImplementedError, drv.Error)


class Reads:
    """`default`: the kind for the row's own call, if not every kind works there."""

    def __init__(self, nbytes=SIZE, default=None):
        self.nbytes, self.default = nbytes, default

    def default_kind(self, parameter):
        if self.default:
            return DEVICE[self.default]
        in_host_memory = parameter is None or not is_memory(parameter) or "host" in parameter.kind
        return HOST["array of bytes"] if in_host_memory else DEVICE["device allocation"]


class Writes(Reads):
    def __init__(self, what, nbytes=SIZE, default=None):
        super().__init__(nbytes, default)
        self.what = what

    def expected(self, contents):
        if callable(self.what):
            return self.what(contents)
        return self.what if isinstance(self.what, bytes) else contents[self.what]


class Row:
    def __init__(self, name, on, gives, then, but, wrong, fails, takes, values):
        self.name, self.on, self.gives, self.then, self.but, self.wrong = name, on, gives, then, but, wrong
        self.fails, self.values = fails, values
        self.parameters = {
            parameter.name: parameter._replace(annotation=takes.get(parameter.name, parameter.annotation)) for parameter in SURFACE[name]}

    def function(self):
        """The function to call, and the object created for this cell if it is a method, else None."""
        if self.on is None:
            return public(self.name), None
        owner, attribute = self.on(), self.name.rpartition(".")[2]
        if "=" in self.parameters:
            return functools.partial(setattr, owner, attribute), owner
        return getattr(owner, attribute), owner


def row(name, /, *, on=None, gives=None, then=None, but=None, wrong=None, fails=None, takes=None, **values):
    """`on` creates the object of a method; `gives` names the parameter whose bytes the result must have; `wrong` lists wrong values of parameters whose
    kind the stubs do not give; `fails` is the error of the driver although the arguments are valid; `takes` gives annotations where the stubs have Any.
    """
    assert name not in ROWS, f"two rows of {name}"
    ROWS[name] = Row(name, on, gives, then, but or {}, wrong or {}, fails, takes or {}, values)


def named(name, function):
    """Calls the function in a frame with this name, which faulthandler prints if the process crashes in it."""
    def frame():
        return function()

    return types.FunctionType(frame.__code__.replace(co_name=name), globals(), closure=frame.__closure__)()


# ---- memory


class Memory:
    """The value that is passed for a parameter that takes memory, and how to read its bytes afterwards."""

    def __init__(self, kind, content):
        self.content = content
        made = kind.make(content)
        if kind in DEVICE.all and kind.raises is None:
            self.value, address = made
            self.read = lambda: device_values.peek(address, len(content))
        else:
            self.value = made
            self.read = (lambda: host_values.peek(made)) if kind in HOST.all and kind.raises is None else lambda: content


def pattern(name, nbytes):
    return bytes((7 * i + sum(name.encode())) % 251 for i in range(nbytes))


def is_memory(parameter):
    return parameter.kind in ("device address", "host source", "host destination", "source anywhere", "destination anywhere")


def kinds_of(parameter):
    """Every kind of values for a parameter that takes memory."""
    if parameter.kind == "device address":
        return DEVICE.all
    if parameter.kind.startswith("host"):
        return HOST.all
    works = {kind.name for kinds in (DEVICE, HOST) for kind in kinds if kind.raises is None}
    addresses = {"an int"}
    both = [kind for kind in [*DEVICE, *HOST] if kind.raises is None or kind.name not in works and kind.name not in HOST_OF_DEVICE]
    return list({kind.name: kind for kind in both if kind.name not in addresses or kind in DEVICE.all}.values())


#: Kinds rejected as an address that the list of host memory has under another name, or the reverse.
HOST_OF_DEVICE = {"array in host memory", "array of one address", "device memory", "array on the device"}


def outcome(row, parameter, kind):
    """The exception with which this parameter rejects a kind; None if it works."""
    special = row.but.get(parameter.name, {})
    if kind.name in special:
        return special[kind.name]
    if kind.read_only and "destination" in parameter.kind:
        return ValueError
    return kind.raises or row.fails


# ---- cells


def arguments_of(row, given):
    """Positional and keyword arguments: those after an omitted one are passed by keyword."""
    positional, keywords, complete = [], {}, True
    for name, parameter in row.parameters.items():
        if name not in given:
            complete = False
        elif name.startswith("*"):
            positional.extend(given[name])
        elif parameter.keyword or not complete:
            keywords[name] = given[name]
        else:
            positional.append(given[name])
    return positional, keywords


def is_maker(spec):
    return callable(spec) and not (isinstance(spec, type) and issubclass(spec, np.generic))


def prepare(row, chosen):
    """The memories, and all values by name; `chosen`: parameters with another kind or value."""
    memories, given = {}, {}
    for name, spec in row.values.items():
        choice = chosen.get(name)
        if isinstance(spec, Reads) and not isinstance(choice, Value):
            content = bytes([0xEE]) * spec.nbytes if isinstance(spec, Writes) else pattern(name, spec.nbytes)
            memories[name] = Memory(choice or spec.default_kind(row.parameters.get(name)), content)
            given[name] = memories[name].value
        elif choice is None:
            given[name] = spec() if is_maker(spec) else spec
    given.update((name, choice.make()) for name, choice in chosen.items() if isinstance(choice, Value))
    return memories, given


class Value:
    """A value instead of that of the row."""

    def __init__(self, make):
        self.make = make


def run(row, given):
    """Calls the row's function, and its `then`, which also receives the object of a method as `self`."""
    positional, keywords = arguments_of(row, given)
    function, owner = row.function()
    result = function(*positional, **keywords)
    return row.then(result, types.SimpleNamespace(**given, self=owner)) if row.then else result


def call(row, chosen):
    """Runs a cell that must work; AssertionError if the bytes are wrong."""
    memories, given = prepare(row, chosen)
    result = run(row, given)
    drv.Context.synchronize()
    contents = {name: memory.content for name, memory in memories.items()}
    for name, memory in memories.items():
        spec = row.values[name]
        expected = spec.expected(contents) if isinstance(spec, Writes) else memory.content
        assert memory.read() == expected, f"{name} has the wrong bytes"
    if row.gives:
        got = device_values.peek(result, SIZE) if isinstance(result, drv.DeviceAllocation) else host_values.peek(result)
        assert got == contents[row.gives], "the result has the wrong bytes"


def refusal(row, chosen):
    """The exception that a cell raises, or None; memory must be unchanged."""
    memories, given = prepare(row, chosen)
    try:
        run(row, given)
    except Exception as error:
        drv.Context.synchronize()
        for name, memory in memories.items():
            assert memory.read() == memory.content, f"{name} was written although {type(error).__name__} was raised"
        return error
    drv.Context.synchronize()
    return None


def is_missing(error):
    """Whether a GPU's driver is too old for the call; or, under wine, whether there is no nvcc, or the CPU device has neither virtual memory nor
    memory for other processes."""
    if sys.platform == "win32" and isinstance(error, OSError):
        return str(error).startswith("nvcc was not found")
    if drv.driver_info().is_cpu_device:
        return isinstance(error, drv.LogicError) and any(f"{call} failed: operation not supported" in str(error) for call in ("cuMemCreate", "cuIpcGetMemHandle"))
    return isinstance(error, drv.RuntimeError) and "the driver in use lacks it" in str(error)


def complaint_about(error, wanted):
    """What is wrong with an exception; empty if nothing is wrong."""
    if error is None:
        return "was taken"
    if is_missing(error):
        return ""
    if not isinstance(error, wanted):
        return f"raised {type(error).__name__}: {error}"
    is_compilers = isinstance(error, drv.CompileError)  # its text is the compiler's
    return f"says {str(error)!r}" if NOISE.search(str(error)) and not is_compilers else ""


def check_cell(row, parameter, kind):
    """Runs a cell of a parameter that takes memory. Returns what is wrong; empty if nothing is."""
    wanted = outcome(row, parameter, kind)
    if wanted is ...:
        return ""
    title = f"{row.name}({parameter.name}={kind.name})"
    chosen = {parameter.name: kind}
    try:
        if wanted is not None:
            return complaint_about(named(title, lambda: refusal(row, chosen)), wanted)
        named(title, lambda: call(row, chosen))
        return ""
    except Exception as error:  # run every cell, even after a failure
        return "" if is_missing(error) else f"raised {type(error).__name__}: {error}"


def check_value(row, parameter, wrong):
    """The same for a wrong value of a parameter of another kind."""
    title = f"{row.name}({parameter.name}={wrong.name})"
    try:
        error = named(title, lambda: refusal(row, {parameter.name: Value(wrong.make)}))
    except Exception as unexpected:
        return "" if is_missing(unexpected) else f"raised {type(unexpected).__name__}: {unexpected}"
    if error is None and wrong.may_be_taken:
        return ""
    return complaint_about(error, wrong.raises or REFUSALS)
