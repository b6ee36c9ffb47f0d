"""The C functions that replace SWIG's calls: they must differ in nothing but speed."""

import gc
import inspect
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pycuda.driver as drv
import pytest

FUNCTIONS = {
    "mem_alloc": "(bytes)",
    "memcpy_htod": "(dest, src)",
    "memcpy_dtoh": "(dest, src)",
    "memcpy_dtod": "(dest, src, size)",
    "memcpy_htod_async": "(dest, src, stream=None)",
    "memcpy_dtoh_async": "(dest, src, stream=None)",
    "memcpy_dtod_async": "(dest, src, size, stream=None)",
    "memset_d8": "(dest, data, count)",
    "memset_d32": "(dest, data, count)",
    "memset_d8_async": "(dest, data, count, stream=None)",
    "memset_d32_async": "(dest, data, count, stream=None)",
}

METHODS = {
    "DeviceAllocation.free": ([], "cuMemFree"),
    "Event.record": (["stream"], "cuEventRecord"),
    "Stream.wait_for_event": (["event"], "cuStreamWaitEvent"),
    "Stream.synchronize": ([], "cuStreamSynchronize"),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_have_signature_and_documentation(name):
    class_name, method_name = name.split(".")
    method = getattr(getattr(drv, class_name), method_name)
    parameters, call = METHODS[name]
    assert list(inspect.signature(method).parameters) == ["self", *parameters]
    assert f"Driver call: {call}" in inspect.getdoc(method)


def test_methods_reject_wrong_arguments(context):
    event, stream, memory = drv.Event(), drv.Stream(), drv.mem_alloc(16)
    with pytest.raises(TypeError, match="Event, not int"):
        stream.wait_for_event(1)
    with pytest.raises(TypeError, match=r"wait_for_event\(\) missing 1 required positional argument: 'event'"):
        stream.wait_for_event()
    with pytest.raises(TypeError, match=r"record\(\) got an unexpected keyword argument 'streams'"):
        event.record(streams=stream)
    with pytest.raises(TypeError, match=r"free\(\) takes 1 positional argument but 2 were given"):
        memory.free(1)
    with pytest.raises(TypeError, match="stream must be a Stream"):
        event.record(event)
    assert stream.wait_for_event(event=event.record(stream)) is None
    assert stream.synchronize() is None and event.query()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature_documentation_and_pickles(name):
    function = getattr(drv, name)
    assert str(inspect.signature(function)) == FUNCTIONS[name]
    assert "Driver call: cuMem" in inspect.getdoc(function)
    assert function.__module__ == "pycuda._driver"
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_calls_raise_the_errors_of_python_functions(context, name):
    function = getattr(drv, name)
    parameters = inspect.signature(function).parameters
    with pytest.raises(TypeError, match=rf"{name}\(\) missing"):
        function()
    with pytest.raises(TypeError, match=rf"{name}\(\) takes .* positional argument"):
        function(*[1] * (len(parameters) + 1))
    with pytest.raises(TypeError, match=rf"{name}\(\) got an unexpected keyword argument 'unknown'"):
        function(*[1] * len(parameters), unknown=1)
    first = next(iter(parameters))
    with pytest.raises(TypeError, match=rf"{name}\(\) got multiple values for argument '{first}'"):
        function(1, **{first: 1})


def test_keywords_in_any_order(context):
    memory, source, dest, stream = drv.mem_alloc(bytes=16), np.arange(4, dtype=np.int32), np.zeros(4, np.int32), drv.Stream()
    keyword = "".join(["str", "eam"])  # not interned
    drv.memcpy_htod_async(src=source, **{keyword: stream}, dest=memory)
    drv.memcpy_dtoh_async(dest, stream=stream, src=memory)
    stream.synchronize()
    assert list(dest) == [0, 1, 2, 3]
    assert drv.Event().record(stream=stream).synchronize().query()


def test_without_docstrings():
    """python -OO"""
    program = "import pycuda.driver as drv, inspect; print(inspect.signature(drv.memcpy_htod), drv.memcpy_htod.__doc__ or 'none')"
    printed = subprocess.run([sys.executable, "-OO", "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed == "(dest, src) none\n"


def bytes_of(view):
    return bytes(memoryview(view.tobytes("A")))


def arrays():
    locked = drv.pagelocked_zeros((4, 6), np.float32)
    locked[...] = np.arange(24).reshape(4, 6)
    plain = locked.copy()
    yield from (locked, locked[1:3], locked[1:][1:], locked.reshape(2, 12)[1], locked.T, plain, plain[2:], np.asfortranarray(plain))
    yield from (plain.astype(np.float16), plain.astype(">f4"), plain.astype("V4"), plain.astype(bool), plain[:0], np.float32(5).reshape(()))
    yield np.arange(3).astype("M8[s]").view()
    yield np.zeros(3, [("a", "i4"), ("b", "f8")])


def test_every_layout_and_element_type_of_arrays(context):
    stream = drv.Stream()
    for array in arrays():
        memory = drv.mem_alloc(max(array.nbytes, 1))
        for copy_in, copy_out in ((drv.memcpy_htod, drv.memcpy_dtoh),
                                  (lambda *each: drv.memcpy_htod_async(*each, stream), lambda *each: drv.memcpy_dtoh_async(*each, stream))):
            result = np.array(array, order="A")
            result[...] = np.zeros_like(array)
            copy_in(memory, array)
            copy_out(result, memory)
            stream.synchronize()
            assert bytes_of(result) == bytes_of(array), array.dtype


def test_arrays_that_copies_reject(context):
    memory, plain = drv.mem_alloc(64), np.arange(8, dtype=np.float32)
    read_only = plain.copy()
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="strided"):
        drv.memcpy_htod(memory, plain[::2])
    with pytest.raises(ValueError, match="strided"):
        drv.memcpy_dtoh(plain[::-1], memory)
    with pytest.raises(ValueError, match="read-only"):
        drv.memcpy_dtoh(read_only, memory)
    with pytest.raises(TypeError, match="Python objects"):
        drv.memcpy_htod(memory, plain.astype(object))
    drv.memcpy_htod(memory, read_only)


def test_freed_memory_and_closed_contexts_are_reported(context):
    memory, source = drv.mem_alloc(16), np.zeros(4, np.float32)
    memory.free()
    for call in (memory.free, lambda: drv.memcpy_htod(memory, source), lambda: drv.memset_d8_async(memory, 0, 4), lambda: int(memory)):
        with pytest.raises(drv.LogicError, match="device allocation was freed"):
            call()


def test_an_allocation_is_an_ordinary_object(context):
    memory = drv.mem_alloc(16)
    assert type(memory) is drv.DeviceAllocation and memory.thisown
    assert memory.this is memory.this and memory.thisown
    assert int(memory) and "16 bytes" in repr(memory)
    with pytest.raises(AttributeError, match="No constructor"):
        drv.DeviceAllocation()
    live = drv._driver._live_handles("device allocation")
    memory.me, watch = memory, weakref.ref(memory)
    del memory
    gc.collect()
    assert watch() is None
    assert drv._driver._live_handles("device allocation") == live - 1


def test_memory_is_freed_once_with_or_without_a_swig_object(context):
    live = drv._driver._live_handles("device allocation")
    first, second, third = (drv.mem_alloc(16) for _ in range(3))
    first.this  # noqa: B018  (creates SWIG's object)
    second.free()
    third.this, _ = third.this, third.free()
    del first, second, third
    gc.collect()
    assert drv._driver._live_handles("device allocation") == live


def test_subclasses_override_methods(context):
    class Marked(drv.Event):
        def record(self, stream=None):
            self.marked = True
            return super().record(stream)

    event = Marked()
    assert event.record() is event and event.marked and event.synchronize().query()
