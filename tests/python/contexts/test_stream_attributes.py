"""Ids, devices and attributes of streams."""

import pycuda.driver as drv
import pytest


def test_id_and_device(device, context):
    one, other = drv.Stream(), drv.Stream()
    assert one.id != other.id
    assert drv.Stream.from_handle(one.handle).id == one.id
    assert one.device == device
    with one.capture(), pytest.raises(drv.LogicError, match="Stream.id"):
        one.id


def test_priority(context):
    least, greatest = drv.Context.get_stream_priority_range()
    stream = drv.Stream()
    assert stream.get_attribute("priority") == stream.priority == 0
    stream.set_attribute("priority", greatest)
    assert stream.get_attribute(drv.launch_attribute.PRIORITY) == stream.priority == greatest


def test_synchronization_policy(context):
    stream = drv.Stream()
    stream.set_attribute("synchronization_policy", drv.synchronization_policy.BLOCKING_SYNC)
    assert stream.get_attribute("synchronization_policy") == drv.synchronization_policy.BLOCKING_SYNC
    stream.synchronize()


def test_access_policy_window(device, context):
    stream, memory = drv.Stream(), drv.mem_alloc(4096)
    nbytes = min(4096, device.max_access_policy_window_size)
    stream.set_attribute("access_policy_window", (memory, nbytes, 0.5, drv.access_property.PERSISTING))
    assert stream.get_attribute("access_policy_window") == (
        int(memory), nbytes, 0.5, drv.access_property.PERSISTING, drv.access_property.STREAMING)
    stream.set_attribute("access_policy_window", (0, 0, 0, 0, 0))


def test_copy_attributes(context):
    one, other = drv.Stream(), drv.Stream()
    one.set_attribute("synchronization_policy", drv.synchronization_policy.YIELD)
    other.copy_attributes(one)
    assert other.get_attribute("synchronization_policy") == drv.synchronization_policy.YIELD
    with pytest.raises(TypeError):
        other.copy_attributes(None)


def test_wrong_attributes(context):
    stream = drv.Stream()
    for attribute in ("cooperative", "cluster_dimension"):
        with pytest.raises(drv.LogicError, match="attribute"):
            stream.get_attribute(attribute)
        with pytest.raises(drv.LogicError, match="attribute"):
            stream.set_attribute(attribute, 1)
    with pytest.raises(ValueError, match="no such"):
        stream.get_attribute("no such")
    with pytest.raises(TypeError):
        stream.get_attribute(None)
    with pytest.raises(TypeError, match="expected an integer"):
        stream.set_attribute("priority", "x")
    with pytest.raises(ValueError, match="ratio from 0 to 1"):
        stream.set_attribute("access_policy_window", (0, 0, 2.0))


def test_streams_of_an_ended_context(device):
    context = device.make_context()
    stream = drv.Stream()
    context.detach()
    for use in (lambda: stream.id, lambda: stream.device, lambda: stream.get_attribute("priority"),
                lambda: stream.set_attribute("priority", 0), lambda: stream.copy_attributes(stream), lambda: stream.write_value32(0, 0)):
        with pytest.raises(drv.LogicError):
            use()
