"""How many blocks and clusters of a kernel run at a time."""

import pycuda.driver as drv
import pytest
from kernels import SCALE


@pytest.fixture
def scale(context):
    return drv.module_from_buffer(SCALE).get_function("scale")


def test_flags(scale):
    override = drv.occupancy_flags.DISABLE_CACHING_OVERRIDE
    assert scale.max_active_blocks_per_multiprocessor(128, 0, override) == scale.max_active_blocks_per_multiprocessor(128)
    assert scale.max_potential_block_size(flags=override) == scale.max_potential_block_size()
    with pytest.raises(drv.LogicError, match="kernel 'scale', blocks of 128 threads"):
        scale.max_active_blocks_per_multiprocessor(128, flags=1 << 20)
    with pytest.raises(drv.LogicError):
        scale.max_potential_block_size(flags=1 << 20)


def test_shared_memory_that_blocks_leave(scale):
    one, two = (scale.available_dynamic_shared(n, 256) for n in (1, 2))
    assert 0 < two <= one
    assert scale.max_active_blocks_per_multiprocessor(256, two) >= 2
    most = scale.max_active_blocks_per_multiprocessor(256)
    with pytest.raises(drv.LogicError, match=f"blocks of 256 threads, {most + 1} on a multiprocessor"):
        scale.available_dynamic_shared(most + 1, 256)
    with pytest.raises(drv.LogicError):
        scale.available_dynamic_shared(0, 256)


def test_clusters(device, scale):
    if not device.cluster_launch:
        pytest.skip("the device has no clusters")
    largest = scale.max_potential_cluster_size((128, 1, 1))
    assert largest >= 8
    one, several = (scale.max_active_clusters((128, 1, 1), cluster=(n, 1, 1)) for n in (1, 8))
    assert one >= several >= 1
    assert scale.max_active_clusters(block=(128, 1, 1), cluster=(2, 1, 1), grid=(64, 1, 1), shared=1024) >= 1
    assert scale.max_active_clusters((128, 1, 1), attributes={"cluster_dimension": (2, 1, 1)}, grid=(2, 1)) >= 1


@pytest.mark.parametrize("wrong, error", [
    ({"block": (128, 1, 1), "cluster": (3, 1, 1), "grid": (4, 1, 1)}, drv.Error),  # no multiple
    ({"block": "x"}, TypeError),
    ({"block": (128, 1, 1), "shared": -1}, ValueError),
    ({"block": (128, 1, 1), "attributes": {"no such": 1}}, ValueError),
    ({"block": (128, 1, 1), "attributes": 3}, TypeError)])
def test_wrong_launches(scale, wrong, error):
    with pytest.raises(error):
        scale.max_active_clusters(**wrong)


def test_a_closed_module(context):
    module = drv.module_from_buffer(SCALE)
    kept = module.get_function("scale")
    context.synchronize()
    other = drv.Device(0).make_context()
    lost = drv.module_from_buffer(SCALE).get_function("scale")
    other.detach()
    assert kept.available_dynamic_shared(1, 64) > 0
    for ask in (lambda: lost.available_dynamic_shared(1, 64), lambda: lost.max_active_clusters((1, 1, 1), (1, 1, 1)),
                lambda: lost.max_potential_cluster_size((1, 1, 1))):
        with pytest.raises(drv.LogicError):
            ask()
