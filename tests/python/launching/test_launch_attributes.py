"""attributes= in every kind of launch: each row of the core's table, values of wrong types, and pairs of kernels that overlap."""

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule

KERNELS = """
extern "C" {
__global__ void add(int *x, int n) { atomicAdd(x + blockIdx.x * blockDim.x + threadIdx.x, n); }

__global__ void first(int *x, int *y) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    x[threadIdx.x] = threadIdx.x;
}
__global__ void second(const int *x, int *y) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    y[threadIdx.x] = 2 * x[threadIdx.x];
}
__global__ void ranks(unsigned *out) {
    unsigned rank, size;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    if (threadIdx.x == 0) out[blockIdx.x] = rank + 100 * size;
}
__global__ void meet(int *arrived) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x);
}
}
"""


@pytest.fixture(scope="module")
def kernels(module_context):
    if drv.Context.get_device().compute_capability() < (9, 0):
        pytest.skip("clusters and dependent launches need compute capability 9.0")
    return SourceModule(KERNELS, no_extern_c=True).get_function


@pytest.fixture
def memory(kernels):
    return drv.to_device(np.zeros(64, np.int32))


def contents(memory):
    return drv.from_device(memory, 64, np.int32)


def no_timing():
    return drv.Event(drv.event_flags.DISABLE_TIMING)


#: A valid value for each attribute; those that a launch outside a graph rejects are below.
VALUES = {
    "access_policy_window": lambda memory: (memory, 256, 0.5, drv.access_property.PERSISTING, drv.access_property.STREAMING),
    "cooperative": lambda memory: True,
    "cluster_dimension": lambda memory: (2, 1, 1),
    "cluster_scheduling_policy_preference": lambda memory: drv.cluster_scheduling_policy.SPREAD,
    "programmatic_stream_serialization": lambda memory: True,
    "programmatic_event": lambda memory: (no_timing(), False),
    "priority": lambda memory: 0,
    "mem_sync_domain_map": lambda memory: (0, 1),
    "mem_sync_domain": lambda memory: drv.launch_mem_sync_domain.REMOTE,
    "launch_completion_event": lambda memory: no_timing(),
    "preferred_shared_memory_carveout": lambda memory: 50,
    "nvlink_util_centric_scheduling": lambda memory: False,
}
REFUSED = {"synchronization_policy": drv.synchronization_policy.SPIN, "device_updatable_kernel_node": True}
#: (name, value, version that introduced it): later than the oldest driver that supports launch attributes
NEWER = [("portable_cluster_size_mode", 1, 13020), ("shared_memory_mode", 0, 13020)]
NEEDS = {"mem_sync_domain_map": 12000, "mem_sync_domain": 12000, "launch_completion_event": 12030, "preferred_shared_memory_carveout": 12050,
         "nvlink_util_centric_scheduling": 13000}


def calls(function, memory, attributes):
    """The same launch in every form."""
    where = {"block": (16, 1, 1), "grid": (4, 1)}
    function(memory, np.int32(1), **where, attributes=attributes)
    function(memory, np.int32(1), **where, stream=drv.Stream(), attributes=attributes)
    assert function(memory, np.int32(1), **where, time_kernel=True, attributes=attributes) > 0
    function.prepare("Pi").prepared_call((4, 1), (16, 1, 1), memory, 1, attributes=attributes)
    function.prepared_async_call((4, 1), (16, 1, 1), drv.Stream(), memory, 1, attributes=attributes)
    assert function.prepared_timed_call((4, 1), (16, 1, 1), memory, 1, attributes=attributes)() >= 0
    drv.Context.synchronize()
    return 6


@pytest.mark.parametrize("name", VALUES)
def test_every_attribute_in_every_form_of_launch(kernels, memory, name):
    if drv.get_driver_version() < NEEDS.get(name, 0):
        pytest.skip("a newer driver")
    value = VALUES[name](memory)
    count = calls(kernels("add"), memory, {name: value})
    count += calls(kernels("add"), memory, {getattr(drv.launch_attribute, name.upper()): value})
    assert (contents(memory) == count).all()


def test_preferred_clusters_are_multiples(kernels, memory):
    if drv.get_driver_version() < 12080:
        pytest.skip("a newer driver")
    attributes = {"cluster_dimension": 2, "preferred_cluster_dimension": (4, 1, 1)}
    try:
        kernels("add")(memory, np.int32(1), block=(16, 1, 1), grid=(4, 1), attributes=attributes)
    except drv.Error as error:  # a device that cannot mix cluster sizes
        assert drv.Context.get_device().compute_capability() < (10, 0) and "'preferred_cluster_dimension'" in str(error)
    else:
        assert (contents(memory) == 1).all()


@pytest.mark.parametrize("name", REFUSED)
def test_invalid_launch_parameters_are_named(kernels, memory, name):
    with pytest.raises(drv.Error, match=f"launch attribute '{name}'"):
        kernels("add")(memory, np.int32(1), block=(16, 1, 1), attributes={name: REFUSED[name]})


@pytest.mark.parametrize(("name", "value", "since"), NEWER)
def test_the_required_driver_version_is_named(kernels, memory, name, value, since):
    def launch():
        kernels("add")(memory, np.int32(1), block=(16, 1, 1), attributes={name: value})

    if drv.get_driver_version() >= since:
        launch()
    else:
        with pytest.raises(drv.RuntimeError, match=rf"'{name}' needs a driver of CUDA 13\.2 or newer, this one is of CUDA"):
            launch()


def test_every_name_has_a_case():
    named = {name.lower() for name in dir(drv.launch_attribute) if name.isupper()}
    assert named == {"ignore", "preferred_cluster_dimension", *VALUES, *REFUSED, *(row[0] for row in NEWER)}


@pytest.mark.parametrize(("attributes", "error", "message"), [
    ({"speed": 1}, ValueError, "no attribute 'speed'"),
    ({99: 1}, ValueError, "no attribute 99"),
    ({-1: 1}, ValueError, "no attribute -1"),
    ({2**70: 1}, ValueError, f"no attribute {2**70}"),
    ({None: 1}, TypeError, "named by a str or a launch_attribute, not NoneType"),
    ({"priority": "high"}, TypeError, "'priority': expected an integer, not str"),
    ({"priority": 1.5}, TypeError, "'priority': expected an integer, not float"),
    ({"priority": 2**40}, ValueError, "'priority': 1099511627776 is out of range"),
    ({"priority": (1, 2)}, TypeError, r"takes \(value\), given 2 values"),
    ({"priority": ()}, TypeError, r"takes \(value\), given 0 values"),
    ({"cluster_dimension": (1, -1)}, ValueError, "'cluster_dimension', y: -1 is out of range"),
    ({"launch_completion_event": 3}, TypeError, "expected an Event, not int"),
    ({"launch_completion_event": None}, TypeError, "expected an Event, not NoneType"),
    ({"access_policy_window": (0, 16, "all")}, TypeError, "expected a number, not str"),
    ({"access_policy_window": (0, 16, 1.5)}, ValueError, "expected a ratio from 0 to 1"),
    ({"access_policy_window": (0, 16, float("nan"))}, ValueError, "expected a ratio from 0 to 1"),
    ({"access_policy_window": ("x", 16)}, TypeError, "str"),
    ([("priority", 1)], TypeError, "attributes must be a mapping"),
    ("priority", TypeError, "attributes must be a mapping"),
    (3, TypeError, "attributes must be a mapping"),
])  # fmt: skip
def test_wrong_attributes(kernels, memory, attributes, error, message):
    add = kernels("add").prepare("Pi")
    with pytest.raises(error, match=message):
        add(memory, np.int32(1), block=(16, 1, 1), attributes=attributes)
    with pytest.raises(error, match=message):
        add.prepared_call((1, 1), (16, 1, 1), memory, 1, attributes=attributes)
    assert not contents(memory).any()


def test_no_attributes(kernels, memory):
    for attributes in (None, {}, {"cooperative": False}):
        assert calls(kernels("add"), memory, attributes) == 6
    assert (contents(memory) == 18).all()


def test_values_may_change_the_mapping(kernels, memory):
    attributes = {}

    class Sly:
        def __index__(self):
            attributes.clear()
            return 0

    attributes.update(priority=Sly(), mem_sync_domain=Sly(), cooperative=True)
    kernels("add")(memory, np.int32(1), block=(16, 1, 1), attributes=attributes)
    assert contents(memory)[:16].all()


def test_a_closed_event_is_rejected(kernels, memory):
    event = no_timing()
    context = drv.Device(0).make_context()
    try:
        foreign = no_timing()
    finally:
        context.pop()
        context.detach()
    kernels("add")(memory, np.int32(1), block=(16, 1, 1), attributes={"launch_completion_event": event})
    event.synchronize()
    with pytest.raises(drv.LogicError, match="event"):
        kernels("add")(memory, np.int32(1), block=(16, 1, 1), attributes={"launch_completion_event": foreign})


def test_clusters_and_cooperation_by_attribute(kernels, memory):
    kernels("ranks")(memory, block=(32, 1, 1), grid=(8, 1), attributes={"cluster_dimension": (4, 1, 1)})
    assert contents(memory)[:8].tolist() == [400, 401, 402, 403] * 2
    kernels("ranks")(memory, block=(32, 1, 1), grid=(8, 1), cluster=(2,), attributes={"cluster_dimension": 8})
    assert contents(memory)[:8].tolist() == [800 + i for i in range(8)]
    arrived = drv.to_device(np.zeros(1, np.int32))
    kernels("meet")(arrived, block=(1, 1, 1), grid=(3, 1), attributes={"cooperative": True})
    assert drv.from_device(arrived, 1, np.int32)[0] == 3


def test_a_dependent_kernel_reads_what_the_first_one_wrote(kernels):
    """Programmatic dependent launch: the second kernel may start before the first has ended, and waits for it inside."""
    x, y = drv.mem_alloc(256), drv.mem_alloc(256)
    stream = drv.Stream()
    for _ in range(100):
        drv.memset_d32_async(x, 0xFFFFFFFF, 64, stream)
        kernels("first")(x, y, block=(64, 1, 1), stream=stream)
        kernels("second")(x, y, block=(64, 1, 1), stream=stream, attributes={"programmatic_stream_serialization": True})
    stream.synchronize()
    assert (contents(y) == 2 * np.arange(64)).all()


def test_a_programmatic_event_orders_another_stream(kernels):
    x, y = drv.to_device(np.zeros(64, np.int32)), drv.mem_alloc(256)
    one, other, event = drv.Stream(), drv.Stream(), no_timing()
    kernels("first")(x, y, block=(64, 1, 1), stream=one, attributes={"programmatic_event": (event, True)})
    other.wait_for_event(event)
    kernels("second")(x, y, block=(64, 1, 1), stream=other)
    other.synchronize()
    one.synchronize()
    kernels("second")(x, y, block=(64, 1, 1), stream=other)
    other.synchronize()
    assert (contents(y) == 2 * np.arange(64)).all()


@pytest.mark.parametrize("number", [-1, 999, 65535, 2**31, 2**40, -(2**70), 2**70])
def test_unknown_attributes_are_named(kernels, memory, number):
    with pytest.raises(ValueError, match=f"a launch has no attribute {number}$"):
        kernels("add")(memory, np.int32(1), block=(1, 1, 1), attributes={number: 1})
