import pycuda.driver as drv
import pytest


def test_record_and_synchronize_return_self(context):
    event = drv.Event()
    assert event.record() is event
    assert event.synchronize() is event
    assert event.record(stream=drv.Stream()) is event
    assert event.synchronize().query() is True


def test_times(context):
    start, end = drv.Event(), drv.Event(drv.event_flags.BLOCKING_SYNC)
    start.record()
    drv.memset_d8(drv.mem_alloc(1 << 22), 1, 1 << 22)
    end.record().synchronize()
    milliseconds = end.time_since(start)
    assert 0 < milliseconds < 60000
    assert start.time_till(end) == milliseconds
    assert start.time_since(end) == -milliseconds


def test_not_recorded(context):
    with pytest.raises(drv.LogicError):
        drv.Event().time_since(drv.Event().record().synchronize())


def test_without_timing(context):
    start, end = (drv.Event(drv.event_flags.DISABLE_TIMING).record() for _ in range(2))
    end.synchronize()
    with pytest.raises(drv.LogicError):
        end.time_since(start)


def test_wrong_types(context):
    with pytest.raises(TypeError):
        drv.Event().record(5)
    with pytest.raises(TypeError):
        drv.Event().time_since(5)
