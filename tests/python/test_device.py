import gc
import re

import pycuda.driver as drv
import pytest


def test_count():
    assert drv.Device.count() >= 1


def test_identity(device):
    assert device.name()
    assert drv.Device(device.pci_bus_id()) == device
    assert str(device.name()) in repr(device)


def test_compute_capability(device):
    major, minor = device.compute_capability()
    assert (major, minor) == (device.compute_capability_major, device.compute_capability_minor)
    assert major >= 5


def test_total_memory(device):
    assert isinstance(device.total_memory(), int)
    assert device.total_memory() > 1 << 28


def test_attributes(device):
    attributes = device.get_attributes()
    assert isinstance(attributes, dict)
    assert attributes[drv.device_attribute.WARP_SIZE] == 32
    assert all(isinstance(key, drv.device_attribute) for key in attributes)
    for attribute, value in attributes.items():
        if attribute not in (drv.device_attribute.CLOCK_RATE, drv.device_attribute.MEMORY_CLOCK_RATE):
            assert device.get_attribute(attribute) == value


def test_attributes_by_name(device):
    assert device.warp_size == device.get_attribute(drv.device_attribute.WARP_SIZE)
    assert device.max_threads_per_block >= 512
    assert "clock_rate" in dir(device)
    with pytest.raises(AttributeError, match="frobnicate"):
        device.frobnicate
    assert device.WARP_SIZE == device.warp_size


def test_equality_and_hash(device):
    assert device == drv.Device(0)
    assert not device != drv.Device(0)
    assert hash(device) == hash(drv.Device(0))
    assert device != 0
    assert {device: 1}[drv.Device(0)] == 1


@pytest.mark.parametrize("number", [-1, 4096])
def test_no_such_device(number):
    with pytest.raises(drv.LogicError, match=str(number)):
        drv.Device(number)


def test_no_such_bus():
    with pytest.raises(drv.LogicError):
        drv.Device("no such bus")


def test_wrong_argument_type():
    with pytest.raises(TypeError):
        drv.Device(1.5)
    with pytest.raises(TypeError):
        drv.Device()


def test_several_devices(run_python):
    done = run_python("""
import pycuda.driver as drv
drv.init()
first, second = drv.Device(0), drv.Device(1)
print(drv.Device.count(), first == second, len({first, second}), first.can_access_peer(second))
""", PYCUDA_DRIVER="cpu", PYCUDA_CPU_DEVICES="2")
    assert done.stdout.split()[:3] == ["2", "False", "2"], done.stderr


def test_attributes_say_what_they_mean():
    for cls, constants, prefix in ((drv.Device, drv.device_attribute, "CU_DEVICE_ATTRIBUTE_"), (drv.Function, drv.function_attribute, "CU_FUNC_ATTRIBUTE_")):
        for name in constants.__members__:
            doc = getattr(cls, name).__doc__
            assert f" (``{prefix}" in doc and not doc[0].islower(), name


def test_uuid(device):
    assert re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", device.uuid())
    assert len({drv.Device(n).uuid() for n in range(drv.Device.count())}) == drv.Device.count()


def test_linear_texture_width(device):
    one, four = (device.max_linear_texture_width(drv.array_format.FLOAT, n) for n in (1, 4))
    assert 0 < four <= one
    with pytest.raises(drv.LogicError, match="3 channels"):
        device.max_linear_texture_width(drv.array_format.FLOAT, 3)


def test_links(device):
    with pytest.raises(drv.LogicError, match="from device 0 to device 0"):
        device.get_p2p_attribute(drv.device_p2p_attribute.ACCESS_SUPPORTED, device)
    if drv.Device.count() > 1:
        peer = drv.Device(1)
        assert device.get_p2p_attribute(drv.device_p2p_attribute.ACCESS_SUPPORTED, peer) == device.can_access_peer(peer)
        with pytest.raises(drv.LogicError, match="attribute 77"):
            device.get_p2p_attribute(77, peer)
        if drv.get_driver_version() >= 13000 and device.can_access_peer(peer):
            assert device.get_p2p_atomic_capabilities(drv.atomic_operation.INTEGER_ADD, peer) & drv.atomic_capability.SCALAR_32


def test_atomic_operations_on_host_memory(device):
    if drv.get_driver_version() < 13000:
        with pytest.raises(drv.RuntimeError, match="CUDA 13.0"):
            device.get_host_atomic_capabilities(drv.atomic_operation.CAS)
        return
    exchange = device.get_host_atomic_capabilities(drv.atomic_operation.CAS)
    if device.host_native_atomic_supported:
        assert exchange & drv.atomic_capability.SCALAR_32
    with pytest.raises(drv.LogicError, match="operation 77"):
        device.get_host_atomic_capabilities(77)


def test_memory_of_graphs(device, context):
    attributes = drv.graph_mem_attribute
    graph = drv.Graph()
    node = graph.mem_alloc(1 << 20)
    graph.mem_free(node, after=node)
    run = graph.instantiate()
    run.launch()
    context.synchronize()
    assert device.get_graph_memory(attributes.RESERVED_MEM_HIGH) >= 1 << 20
    del node, run, graph
    gc.collect()
    device.trim_graph_memory()
    device.reset_graph_memory(attributes.RESERVED_MEM_HIGH)
    assert device.get_graph_memory(attributes.RESERVED_MEM_HIGH) == device.get_graph_memory(attributes.RESERVED_MEM_CURRENT)
    with pytest.raises(drv.LogicError, match="only the maxima"):
        device.reset_graph_memory(attributes.USED_MEM_CURRENT)
    with pytest.raises(drv.LogicError, match="attribute 77"):
        device.get_graph_memory(77)
