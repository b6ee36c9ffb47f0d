import gc

import pycuda.driver as drv
import pytest


def test_stream(context):
    stream = drv.Stream()
    assert stream.synchronize() is None
    assert stream.is_done() is True
    assert isinstance(stream.handle, int) and stream.handle != 0
    assert drv.Stream(flags=drv.stream_flags.NON_BLOCKING).is_done()


def test_wait_for_event(context):
    first, second = drv.Stream(), drv.Stream()
    event = drv.Event().record(first)
    second.wait_for_event(event)
    second.synchronize()
    assert event.query()


def test_needs_a_context():
    with pytest.raises(drv.LogicError):
        drv.Stream()


def test_bad_flags(context):
    with pytest.raises(drv.LogicError):
        drv.Stream(99)
    with pytest.raises(TypeError):
        drv.Stream("fast")


def test_subclass(context):
    class Named(drv.Stream):
        def __init__(self, name):
            super().__init__()
            self.name = name

    stream = Named("copies")
    drv.memset_d8_async(drv.mem_alloc(16), 1, 16, stream)
    stream.synchronize()
    assert stream.name == "copies"


def test_subclass_that_forgets_the_base_class(context):
    class Forgetful(drv.Stream):
        def __init__(self):
            pass

    with pytest.raises(TypeError, match="Forgetful.*__init__"):
        drv.memset_d8_async(drv.mem_alloc(16), 1, 16, Forgetful())


def test_cycles_are_collected(context):
    stream = drv.Stream()
    stream.me = stream
    del stream
    gc.collect()  # the leak fixture counts
