"""The calls that programs are made of: how Python writes each, what it reads and writes, in what order it comes, what it computes.

Memory holds 32-bit integers. An operand is a letter with its access (`r` reads, `w` writes all of it, `rw` both, `new` makes a variable)
and what may stand there: `kernel`, an argument of a launch; `pointer`, a device address; `array`, a GPUArray; `host`, a NumPy array.
"""

from typing import NamedTuple

import numpy as np

#: On the stream {s}; on the default stream; on the default stream, and the host waits for it; nothing is queued at all.
ON_STREAM, ON_DEFAULT, WAITS, NOWHERE = "stream", "default", "waits", "nowhere"


class Call(NamedTuple):
    text: str
    operands: dict  # letter -> (access, what)
    where: str
    effect: object  # (n, v, values of what is read by letter) -> what is written


def _operands(text):
    return {word[0]: tuple(word[2:].split(":")) for word in text.split()}


def _call(text, operands, where, effect):
    return Call(text, _operands(operands), where, effect)


_RAMP = np.arange(1 << 14, dtype=np.int32)


def _ramp(n, v, values):
    return _RAMP[:n] + np.int32(v)


def _add(n, v, values):
    return values["y"] * np.int32(3) + values["x"]


def _copied(letter):
    return lambda n, v, values: values[letter].copy()


def _filled(n, v, values):
    return np.full(n, v, np.int32)


def _bytes(n, v, values):
    return np.full(4 * n, v % 128, np.uint8).view(np.int32)


def _shorts(n, v, values):
    return np.full(2 * n, v % 32768, np.uint16).view(np.int32)


def _launches(name, pointers, numbers, operands, effect):
    """A launch in each possible form; only plain calls need the types of numbers."""
    typed = ", ".join([*pointers, *(f"i32({number})" for number in numbers)])
    untyped = ", ".join([*pointers, *numbers])
    as_pointers = operands.replace("kernel", "pointer")
    return {
        f"launch_{name}": _call(f"{name}({typed}, block=BLOCK, stream={{s}})", operands, ON_STREAM, effect),
        f"launch_{name}_default": _call(f"{name}({typed}, block=BLOCK)", operands, ON_DEFAULT, effect),
        f"prepared_{name}": _call(f"{name}.prepared_call(GRID, BLOCK, {untyped})", as_pointers, ON_DEFAULT, effect),
        f"prepared_async_{name}": _call(f"{name}.prepared_async_call(GRID, BLOCK, {{s}}, {untyped})", as_pointers, ON_STREAM, effect),
    }


LAUNCHES = {
    **_launches("put", ["{y}"], ["{n}", "{v}"], "y:w:kernel", _ramp),
    **_launches("add", ["{y}", "{x}"], ["{n}"], "y:rw:kernel x:r:kernel", _add),
    "launch_in": _call("add({y}, drv.In({h}), i32({n}), block=BLOCK, stream={s})", "y:rw:kernel h:r:host", ON_STREAM,
                       lambda n, v, values: values["y"] * np.int32(3) + values["h"]),
    "launch_out": _call("add_one(drv.Out({h}), {x}, i32({n}), block=BLOCK, stream={s})", "h:w:host x:r:kernel", ON_STREAM,
                        lambda n, v, values: values["x"] + np.int32(1)),
    "launch_in_out": _call("add(drv.InOut({h}), {x}, i32({n}), block=BLOCK, stream={s})", "h:rw:host x:r:kernel", ON_STREAM,
                           lambda n, v, values: values["h"] * np.int32(3) + values["x"]),
    "launch_out_default": _call("add_one(drv.Out({h}), {x}, i32({n}), block=BLOCK)", "h:w:host x:r:kernel", WAITS,
                                lambda n, v, values: values["x"] + np.int32(1)),
}

FILLS = {
    f"memset_{name}{suffix}": _call(f"drv.memset_{name}{suffix}({{y}}, {arguments}{stream})", "y:w:pointer", where, effect)
    for name, arguments, effect in (("d32", "{v}, {n}", _filled), ("d8", "{v} % 128, 4 * {n}", _bytes),
                                    ("d16", "{v} % 32768, 2 * {n}", _shorts), ("d2d32", "16, {v}, 4, {n} // 4", _filled))
    for suffix, stream, where in (("", "", ON_DEFAULT), ("_async", ", {s}", ON_STREAM))
}

COPIES = {
    "memcpy_htod": _call("drv.memcpy_htod({y}, {h})", "y:w:pointer h:r:host", ON_DEFAULT, _copied("h")),
    "memcpy_htod_async": _call("drv.memcpy_htod_async({y}, {h}, {s})", "y:w:pointer h:r:host", ON_STREAM, _copied("h")),
    "memcpy_dtoh": _call("drv.memcpy_dtoh({h}, {x})", "h:w:host x:r:pointer", WAITS, _copied("x")),
    "memcpy_dtoh_async": _call("drv.memcpy_dtoh_async({h}, {x}, {s})", "h:w:host x:r:pointer", ON_STREAM, _copied("x")),
    "memcpy_dtod": _call("drv.memcpy_dtod({y}, {x}, 4 * {n})", "y:w:pointer x:r:pointer", ON_DEFAULT, _copied("x")),
    "memcpy_dtod_async": _call("drv.memcpy_dtod_async({y}, {x}, 4 * {n}, {s})", "y:w:pointer x:r:pointer", ON_STREAM, _copied("x")),
    "memcpy_peer": _call("drv.memcpy_peer({y}, {x}, 4 * {n})", "y:w:pointer x:r:pointer", ON_DEFAULT, _copied("x")),
    "memcpy_peer_async": _call("drv.memcpy_peer_async({y}, {x}, 4 * {n}, stream={s})", "y:w:pointer x:r:pointer", ON_STREAM, _copied("x")),
    **{f"memcpy_{dimensions}d_{way}": _call(
        f"copy_{dimensions}d({{n}}, {{s}}, {source}={{{x}}}, {dest}={{{y}}})", f"{y}:w:{to} {x}:r:{frm}", ON_STREAM, _copied(x))
       for dimensions in (2, 3)
       for way, source, x, frm, dest, y, to in (("htod", "src_host", "h", "host", "dst_device", "y", "pointer"),
                                                ("dtoh", "src_device", "x", "pointer", "dst_host", "h", "host"),
                                                ("dtod", "src_device", "x", "pointer", "dst_device", "y", "pointer"))},
}


def _result(text, operands, where, effect):
    return _call(f"{{c}} = {text}", f"c:new:array {operands}".strip(), where, effect)


ARRAYS = {
    "fill": _call("{y}.fill({v}, stream={s})", "y:w:array", ON_STREAM, _filled),
    "set": _call("{y}.set({h})", "y:w:array h:r:host", ON_DEFAULT, _copied("h")),
    "set_async": _call("{y}.set_async({h}, stream={s})", "y:w:array h:r:host", ON_STREAM, _copied("h")),
    "get": _call("{x}.get({h})", "h:w:host x:r:array", WAITS, _copied("x")),
    "get_async": _call("{x}.get_async({s}, {h})", "h:w:host x:r:array", ON_STREAM, _copied("x")),
    "get_async_new": _call("{c} = {x}.get_async({s})", "c:new:host x:r:array", ON_STREAM, _copied("x")),
    "iadd": _call("{y} += {x}", "y:rw:array x:r:array", ON_DEFAULT, lambda n, v, values: values["y"] + values["x"]),
    "minimum_into": _call("gpuarray.minimum({x}, {v}, out={y}, stream={s})", "y:w:array x:r:array", ON_STREAM,
                          lambda n, v, values: np.minimum(values["x"], np.int32(v))),
    "plus": _result("{x} + {z}", "x:r:array z:r:array", ON_DEFAULT, lambda n, v, values: values["x"] + values["z"]),
    "plus_number": _result("{x} + {v}", "x:r:array", ON_DEFAULT, lambda n, v, values: values["x"] + np.int32(v)),
    "copy": _result("{x}.copy()", "x:r:array", ON_DEFAULT, _copied("x")),
    "maximum": _result("gpuarray.maximum({x}, {z}, stream={s})", "x:r:array z:r:array", ON_STREAM,
                       lambda n, v, values: np.maximum(values["x"], values["z"])),
    "reverse": _result("{x}.reverse(stream={s})", "x:r:array", ON_STREAM, lambda n, v, values: values["x"][::-1].copy()),
    "cumsum": _result("gpuarray.cumsum({x}, dtype=np.int32, stream={s})", "x:r:array", ON_STREAM,
                      lambda n, v, values: np.cumsum(values["x"], dtype=np.int32)),
    "sum": _result("gpuarray.sum({x}.reshape(1, {n}), dtype=np.int32, axis=1, stream={s})", "x:r:array", ON_STREAM,
                   lambda n, v, values: np.sum(values["x"], dtype=np.int32, keepdims=True)),
    "chain": _result("({x} + {z}) * 3 - {x}", "x:r:array z:r:array", ON_DEFAULT,
                     lambda n, v, values: (values["x"] + values["z"]) * np.int32(3) - values["x"]),
    "elementwise": _call("twice({y}, {x}, stream={s})", "y:w:array x:r:array", ON_STREAM, lambda n, v, values: values["x"] * np.int32(2)),
    "to_gpu": _result("gpuarray.to_gpu({h})", "h:r:host", ON_DEFAULT, _copied("h")),
    "to_gpu_async": _result("gpuarray.to_gpu_async({h}, stream={s})", "h:r:host", ON_STREAM, _copied("h")),
    "fill_by_number": _call("gpuarray.GPUArray({n}, np.int32, gpudata={y}).fill({v}, stream={s})", "y:w:pointer", ON_STREAM, _filled),
}

#: Calls that name memory without using it: they order no later use.
NOTHINGS = {
    "copy_nothing": _call("drv.memcpy_dtod({y}, {x}, 0)", "y:r:pointer x:r:pointer", NOWHERE, None),
    "fill_nothing": _call("drv.memset_d32({y}, {v}, 0)", "y:r:pointer", NOWHERE, None),
    "refused": _call("refused(put, {y}, i32({n}), i32({v}), block=(4096, 1, 1))", "y:r:kernel", NOWHERE, None),
    "refused_on_stream": _call("refused(put, {y}, i32({n}), i32({v}), block=(4096, 1, 1), stream={s})", "y:r:kernel", NOWHERE, None),
}

#: Operations on arrays that captures record although they get no stream. Their results are memory of the graph.
OPERATIONS_OF_CAPTURES = {"iadd", "plus", "plus_number", "copy", "chain", "maximum", "reverse", "cumsum"}


def may_be_captured(call):
    """Whether a graph can contain it: on the captured stream, with memory that the graph keeps alive."""
    row = CALLS[call]
    makes_memory = any(access == "new" for access, _ in row.operands.values())
    refused = call in ("launch_in", "launch_out", "launch_in_out", "memcpy_peer_async")
    return call in OPERATIONS_OF_CAPTURES or (row.where == ON_STREAM and not makes_memory and not refused)


def _node(add, **updates):
    return add, updates


#: The calls that nodes are made of: how Python adds one, and for each operand or number how it updates that.
NODES = {
    "launch_put": _node("kernel(put, ({y}, i32({n}), i32({v})), block=BLOCK)", all="args=({y}, i32({n}), i32({v}))"),
    "launch_add": _node("kernel(add, ({y}, {x}, i32({n})), block=BLOCK)", all="args=({y}, {x}, i32({n}))"),
    "memset_d32_async": _node("memset({y}, {v}, {n}, width=4)", all="dest={y}, value={v}, count={n}", y="dest={y}", v="value={v}"),
    "memset_d16_async": _node("memset({y}, {v} % 32768, 2 * {n}, width=2)", all="dest={y}, value={v} % 32768, count=2 * {n}", y="dest={y}", v="value={v} % 32768"),
    "memcpy_dtod_async": _node("memcpy({y}, {x}, 4 * {n})", all="dest={y}, src={x}, size=4 * {n}", y="dest={y}", x="src={x}"),
    "memcpy_htod_async": _node("memcpy({y}, {h}, 4 * {n})", all="dest={y}, src={h}, size=4 * {n}", y="dest={y}", h="src={h}"),
    "memcpy_dtoh_async": _node("memcpy({h}, {x}, 4 * {n})", all="dest={h}, src={x}, size=4 * {n}", h="dest={h}", x="src={x}"),
}


CALLS = {**LAUNCHES, **FILLS, **COPIES, **ARRAYS, **NOTHINGS}


class Kind(NamedTuple):
    """A kind of memory: how Python allocates it, and in which forms its address is passed to a call."""

    text: str  # {n} elements; {s} where a stream may be given
    routes: dict  # name -> text; of launches a route that gives a number needs a type


_BLOCK = {
    "object": "{x}",
    "number": "int({x})",
    "holder": "Holder({x})",
    "block_holder": "BlockHolder({x})",
    "gpudata": "HasGpudata({x})",
    "interface": "Interface({x})",
}
_LOGGED = {name: text for name, text in _BLOCK.items() if name != "interface"}
_ARRAY = {
    "object": "{x}",
    "block": "{x}.gpudata",
    "ptr": "{x}.ptr",
    "number": "int({x}.gpudata)",
    "holder": "Holder({x}.gpudata)",
    "block_holder": "BlockHolder({x}.gpudata)",
    "interface": "Interface({x})",
    "dlpack": "gpuarray.from_dlpack({x})",
}
#: Routes that pass a Python int.
NUMBERS = {"number", "ptr"}
#: Routes that pass an object that has the memory, which a graph keeps.
KEPT_BY_GRAPHS = {"object", "block", "holder", "block_holder", "gpudata", "interface", "dlpack"}
#: Memory that belongs to no context: an update of a copy cannot replace it by memory of a context, nor the other way round.
OF_NO_CONTEXT = {"mem_alloc_async", "virtual"}

DEVICE_KINDS = {
    "pool": Kind("pool.allocate(4 * {n})", _BLOCK),
    "pool_stream": Kind("pool.allocate(4 * {n}, {s})", _BLOCK),
    "default": Kind("default_pool.allocate(4 * {n})", _BLOCK),
    "debug": Kind("debug_pool.allocate(4 * {n})", _LOGGED),
    "array": Kind("gpuarray.empty({n}, np.int32)", _ARRAY),
    "array_of_pool": Kind("gpuarray.empty({n}, np.int32, allocator=pool.allocate)", _ARRAY),
    "mem_alloc": Kind("drv.mem_alloc(4 * {n})", _BLOCK),
    "mem_alloc_async": Kind("drv.mem_alloc_async(4 * {n}, {s})", _BLOCK),
    "foreign": Kind("Foreign({n})", {"object": "{x}"}),
    "virtual": Kind("drv.VirtualMemory(4 * {n}, 1 << 26)", _LOGGED),
    "careless": Kind("careless_pool.allocate(4 * {n})", {"object": "{x}"}),  # wrong on purpose: for the model's own test
    "managed": Kind("drv.managed_empty({n}, np.int32, mem_flags=drv.mem_attach_flags.GLOBAL)", {"object": "{x}.base"}),
}
HOST_KINDS = {
    "numpy": Kind("np.empty({n}, np.int32)", {"object": "{x}"}),
    "pagelocked": Kind("drv.pagelocked_empty({n}, np.int32)", {"object": "{x}"}),
    "registered": Kind("drv.register_host_memory(drv.aligned_empty({n}, np.int32))", {"object": "{x}"}),
    "host_pool": Kind("host_pool.allocate({n}, np.int32)", {"object": "{x}"}),
}
#: Memory owned elsewhere: a part of an array, and an address that the program keeps as a number.
ALIASES = {
    "view": Kind("", {"object": "{x}", "ptr": "{x}.ptr"}),
    "address": Kind("", {"number": "{x}"}),
}
KINDS = {**DEVICE_KINDS, **HOST_KINDS, **ALIASES}
IS_ARRAY = {"array", "array_of_pool", "view"}


def operand_text(what, kind, route, name):
    text = KINDS[kind].routes[route].format(x=name)
    return f"np.intp({text})" if what == "kernel" and route in NUMBERS else text


def may_stand(what, kind):
    if what == "array":
        return kind in IS_ARRAY
    return (kind in HOST_KINDS) == (what == "host")
