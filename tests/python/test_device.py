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
