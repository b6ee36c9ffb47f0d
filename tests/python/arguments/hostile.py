"""Code of the program that the library runs in the middle of a call: it ends everything that it can reach, and lets others have the memory."""

import contextlib
import functools

import numpy as np
import pycuda.driver as drv
from device_values import Holder
from pycuda import gpuarray
from pycuda.gpuarray import GPUArray
from table import SIZE

CANARY = 0x5A
OTHERS = 2


def end(value):
    """End an object, as far as the program can."""
    for part in (value, getattr(value, "gpudata", None), getattr(value, "base", None)):
        for method in ("free", "close", "clear", "stop_holding"):
            if callable(getattr(part, method, None)) and not isinstance(part, (drv.Context, type)):
                with contextlib.suppress(drv.Error, BufferError):
                    getattr(part, method)()
    if isinstance(value, GPUArray):
        with contextlib.suppress(AttributeError):
            value.gpudata = None
    elif isinstance(value, drv.VirtualMemory):
        with contextlib.suppress(drv.Error):
            value.resize(0)


class Attack:
    """Ends `reachable` when it is first called."""

    def __init__(self):
        self.reachable, self.others, self.done, self.armed = [], [], False, False

    def __call__(self):
        if not self.armed:
            return
        self.armed, self.done = False, True
        for value in self.reachable:
            end(value)
        for _ in range(OTHERS):
            memory = drv.mem_alloc(SIZE)
            drv.memset_d8(memory, CANARY, SIZE)
            self.others += [memory, gpuarray.empty(SIZE, np.uint8).fill(CANARY)]

    def damage(self):
        """What happened to others' memory; empty if nothing did."""
        try:
            drv.Context.synchronize()
        except drv.Error as error:
            return f"broke the context: {error}"
        for memory in self.others:
            found = bytearray(SIZE)
            drv.memcpy_dtoh(found, memory.ptr if isinstance(memory, GPUArray) else memory)
            if found != bytes([CANARY]) * SIZE:
                return "memory of others was written"
        return ""


# ---- how code gets into a value


def with_property(name, attack, result):
    def get(self):
        attack()
        return result

    return type("Hostile", (), {name: property(get)})()


def with_method(name, attack, result, bases=()):
    def method(self, *args):
        attack()
        return result

    return type("Hostile", bases, {name: method})


class HostileHolder(Holder):
    def __init__(self, attack, pointer):
        super().__init__(pointer)
        self.attack = attack

    def get_pointer(self):
        self.attack()
        return self.pointer


def array_over(gpudata):
    return GPUArray(SIZE, np.uint8, gpudata=gpudata)


def interface_of(memory):
    return {"shape": (SIZE,), "typestr": "|u1", "data": (int(memory), False), "version": 3, "strides": None}


#: Ways to give the address of `memory`.
ADDRESSES = {
    "get_pointer": lambda attack, memory: HostileHolder(attack, int(memory)),
    "get_pointer of memory": HostileHolder,
    "__index__": lambda attack, memory: with_method("__index__", attack, int(memory))(),
    "gpudata": lambda attack, memory: with_property("gpudata", attack, memory),
    "__cuda_array_interface__": lambda attack, memory: with_property("__cuda_array_interface__", attack, interface_of(memory)),
    "address in an interface": lambda attack, memory: type("Foreign", (), {"__cuda_array_interface__": {
        **interface_of(memory), "data": (with_method("__index__", attack, int(memory))(), False)}})(),
    "array over a holder": lambda attack, memory: array_over(HostileHolder(attack, int(memory))),
    "array over gpudata": lambda attack, memory: array_over(with_property("gpudata", attack, memory)),
}


class HostileSequence:
    def __init__(self, attack, items):
        self.attack, self.items = attack, items

    def __len__(self):
        self.attack()
        return len(self.items)

    def __getitem__(self, index):
        self.attack()
        return self.items[index]

    def __iter__(self):
        self.attack()
        return iter(self.items)


def ways_of(value):
    """{name: function of an attack} that give code a place in a value of another kind than an address."""
    if isinstance(value, bool):
        return {"__bool__": lambda attack: with_method("__bool__", attack, value)(), "__index__": lambda attack: with_method("__index__", attack, int(value))()}
    if isinstance(value, int):
        return {"__index__": lambda attack: with_method("__index__", attack, int(value))(),
                "__int__": lambda attack: with_method("__int__", attack, int(value), (int,))(value),
                "__float__": lambda attack: with_method("__float__", attack, float(value), (float,))(value)}
    if isinstance(value, float):
        return {"__float__": lambda attack: with_method("__float__", attack, value)()}
    if isinstance(value, (tuple, list)):
        inside = {f"{name} in a sequence": functools.partial(at_the_end, value, make) for name, make in (ways_of(value[-1]) if value else {}).items()}
        return {"a sequence": lambda attack: HostileSequence(attack, value), **inside}
    if isinstance(value, str):
        return {"__fspath__": lambda attack: with_method("__fspath__", attack, value)(), "__str__": lambda attack: with_method("__str__", attack, value, (str,))(value)}
    if isinstance(value, drv.Stream):
        return {"__cuda_stream__": lambda attack: keeping(value, with_method("__cuda_stream__", attack, (0, value.handle))())}
    if isinstance(value, GPUArray):
        return {"a holder": lambda attack: GPUArray(value.shape, value.dtype, gpudata=HostileHolder(attack, value.gpudata)),
                "an allocator": lambda attack: with_allocator(attack, value)}
    if isinstance(value, (type, np.dtype)):
        return {"dtype": lambda attack: with_property("dtype", attack, np.dtype(value))} if isinstance(value, np.dtype) or issubclass(value, np.generic) else {}
    if callable(value):
        return {"a function": lambda attack: lambda *args, **kwargs: (attack(), value(*args, **kwargs))[1]}
    return {}


def at_the_end(values, make, attack):
    """The values, the last one with code that ends the others."""
    attack.reachable += values[:-1]
    return type(values)([*values[:-1], make(attack)])


def keeping(owner, value):
    value.owner = owner
    return value


def with_allocator(attack, array):
    copy = array.copy()

    def allocate(nbytes):
        attack()
        return drv.mem_alloc(nbytes)

    copy.allocator = allocate
    return copy
