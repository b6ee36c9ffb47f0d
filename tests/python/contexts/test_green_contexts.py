"""Green contexts: splitting SMs, streams that run on some of them, and conversion to contexts."""

import gc
import json
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import _driver, gpuarray
from pycuda.compiler import SourceModule

FILL = "__global__ void fill(int *x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value; }"


@pytest.fixture(autouse=True)
def supported():
    if drv.get_driver_version() < 12050:
        pytest.skip("no green contexts before CUDA 12.5")


@pytest.fixture
def all_sms(device):
    return drv.SMResource(device)


@pytest.fixture
def green(primary, all_sms):
    return drv.GreenContext(all_sms.split(1, groups=1)[0])


def live():
    gc.collect()
    return _driver._live_handles("green context"), _driver._live_handles("stream")


def test_resources_are_split(device, all_sms):
    assert all_sms.device == device and all_sms.sm_count == device.multiprocessor_count
    assert all_sms.sm_count >= all_sms.min_partition_size
    parts = all_sms.split(1)
    groups = [part for part in parts if part.sm_count == parts[0].sm_count]
    assert groups == parts[:len(groups)] and len(parts) <= len(groups) + 1
    assert groups[0].sm_count >= all_sms.min_partition_size and groups[0].sm_count % max(1, all_sms.coscheduled_alignment) == 0
    assert sum(part.sm_count for part in parts) == all_sms.sm_count and all(part.sm_count for part in parts)
    one, *rest = all_sms.split(1, groups=1)
    assert len(rest) <= 1 and one.sm_count + sum(part.sm_count for part in rest) == all_sms.sm_count
    assert [part.sm_count for part in all_sms.split(all_sms.sm_count)] == [all_sms.sm_count]


def test_invalid_splits(all_sms):
    with pytest.raises(drv.LogicError, match="SMs"):
        all_sms.split(all_sms.sm_count + 1)
    with pytest.raises(drv.LogicError, match="but .* give"):
        all_sms.split(1, groups=all_sms.sm_count + 1)
    group, *_ = all_sms.split(1, groups=1)
    with pytest.raises(drv.LogicError, match="make a green context of it"):
        group.split(1)


def test_a_group_is_split_again_through_a_green_context(primary, all_sms):
    green = drv.GreenContext(all_sms.split(1, groups=1)[0])
    resource = green.sm_resource
    assert resource.sm_count == all_sms.split(1, groups=1)[0].sm_count
    assert resource.split(1)[0].sm_count == resource.sm_count or resource.sm_count > 1
    inner = drv.GreenContext(resource.split(1)[0])
    assert inner.id != green.id and inner.handle != green.handle


def test_streams_work_with_all_of_the_primary_context(green, primary):
    stream = green.create_stream()
    assert stream.flags == drv.stream_flags.NON_BLOCKING and stream.priority == 0
    fill = SourceModule(FILL).get_function("fill")
    memory = drv.mem_alloc(4 * 512)
    fill(memory, np.int32(7), block=(128, 1, 1), grid=(4, 1), stream=stream)
    host = drv.pagelocked_empty(512, np.int32)
    drv.memcpy_dtoh_async(host, memory, stream)
    stream.synchronize()
    assert (host == 7).all()
    with stream:
        a = gpuarray.arange(1000, dtype=np.float32)
        total = gpuarray.sum(a * 2 + 1)
    assert total.get() == 1000 * 1000
    with stream.capture() as graph:
        fill(memory, np.int32(8), block=(128, 1, 1), grid=(4, 1), stream=stream)
    graph.instantiate().launch(stream)
    stream.synchronize()
    assert (drv.from_device(memory, 512, np.int32) == 8).all()


def test_priorities(green):
    least, greatest = drv.Context.get_stream_priority_range()
    assert green.create_stream(greatest).priority == greatest
    assert green.create_stream(priority=greatest - 100).priority == greatest


def test_streams_keep_the_green_context(primary, all_sms):
    before = live()
    stream = drv.GreenContext(all_sms.split(1, groups=1)[0]).create_stream()
    assert live() == (before[0] + 1, before[1] + 1)
    memory = drv.mem_alloc(4000)
    drv.memset_d8_async(memory, 3, 4000, stream)
    stream.synchronize()
    assert (drv.from_device(memory, 4000, np.uint8) == 3).all()
    del stream
    assert live() == before


def test_released_with_queued_work(primary, all_sms):
    """Queued work is completed, whatever the program releases meanwhile."""
    before = live()
    memory, event = drv.mem_alloc(4 * 512), drv.Event()
    fill = SourceModule(FILL).get_function("fill")
    for _ in range(20):
        stream = drv.GreenContext(all_sms).create_stream()
        fill(memory, np.int32(5), block=(128, 1, 1), grid=(4, 1), stream=stream)
        event.record(stream)
        del stream
    event.synchronize()
    drv.Context.synchronize()
    assert (drv.from_device(memory, 512, np.int32) == 5).all()
    assert live() == before


def test_the_primary_context_must_be_current(context, all_sms):
    with pytest.raises(drv.LogicError, match="primary context"):
        drv.GreenContext(all_sms)
    drv.Context.pop()
    with pytest.raises(drv.LogicError, match="primary context"):
        drv.GreenContext(all_sms)
    context.push()


def test_invalid_resources_of_a_green_context(primary, all_sms):
    with pytest.raises(ValueError, match="at least one"):
        drv.GreenContext([])
    for wrong in (None, 5, [1], "SMs"):
        with pytest.raises(TypeError, match="SMResource"):
            drv.GreenContext(wrong)
    part = all_sms.split(1, groups=1)[0]
    for twice in ([all_sms, all_sms], [part, part], [all_sms, part], [part, all_sms.split(1)[0], part]):
        with pytest.raises(ValueError, match="different SMs"):
            drv.GreenContext(twice)


def test_groups_of_one_split_combined(primary, all_sms):
    parts = all_sms.split(1)
    assert drv.GreenContext(parts).sm_resource.sm_count == all_sms.sm_count
    assert drv.GreenContext(tuple(parts)).create_stream().is_done()


def test_converted_to_a_context(green, primary):
    context = green.as_context()
    assert context == green.as_context() and context != primary
    context.push()
    assert drv.Context.get_current() == context
    assert drv.Context.get_device() == drv.Device(0)
    memory = drv.mem_alloc(4 * 512)
    fill = SourceModule(FILL).get_function("fill")
    fill(memory, np.int32(6), block=(128, 1, 1), grid=(4, 1))
    own = drv.Stream()
    drv.memset_d32_async(int(memory) + 4, 1, 1, own)
    drv.Context.synchronize()
    assert drv.from_device(memory, 3, np.int32).tolist() in ([6, 1, 6], [6, 6, 6])
    assert (gpuarray.arange(10, dtype=np.int32) + 1).get().tolist() == list(range(1, 11))
    drv.Context.pop()
    assert drv.Context.get_current() == primary
    assert drv.from_device(memory, 1, np.int32)[0] == 6  # memory is shared with the primary context


SLOW = """__global__ void slow(unsigned *x, int turns)
{ unsigned v = x[threadIdx.x]; for (int i = 0; i < turns; ++i) v = v * 1664525u + 1013904223u; x[threadIdx.x] = v + 1 - v; }"""


def test_default_streams_are_ordered_across_context_changes(green, primary):
    """Memory used on one default stream is immediately used on the other."""
    slow = SourceModule(SLOW).get_function("slow")
    memory, context = drv.to_device(np.zeros(32, np.uint32)), green.as_context()
    for value in range(20):
        slow(memory, np.int32(20000), block=(32, 1, 1))
        context.push()
        drv.memset_d32_async(memory, value, 32)
        drv.Context.pop()
        host = drv.pagelocked_empty(32, np.uint32)
        drv.memcpy_dtoh_async(host, memory)
        drv.Stream.from_handle(0).synchronize()
        assert (host == value).all()


def test_a_converted_context_keeps_the_green_one(primary, all_sms):
    before = live()
    context = drv.GreenContext(all_sms).as_context()
    context.push()
    stream, memory = drv.Stream(), drv.mem_alloc(100)
    context.detach()  # has no effect
    del context
    assert live() == (before[0] + 1, before[1] + 1)
    drv.memset_d8_async(memory, 4, 100, stream)
    stream.synchronize()
    drv.Context.pop()
    assert live() == (before[0] + 1, before[1] + 1)
    assert (drv.from_device(memory, 100, np.uint8) == 4).all()
    del stream, memory
    assert live() == before


def test_left_on_the_stack_of_an_ended_thread(primary, all_sms):
    before = live()
    done = []

    def work():
        primary.push()
        green = drv.GreenContext(all_sms)
        green.as_context().push()
        done.append(drv.mem_alloc(10).free())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [None]
    deadline = time.monotonic() + 10  # Python does not wait until a thread has ended completely
    while live() != before and time.monotonic() < deadline:
        primary.push()  # releases what ended threads left behind
        drv.Context.pop()
    assert live() == before


def test_events_of_all_streams(green):
    streams = [green.create_stream() for _ in range(3)]
    memory = drv.mem_alloc(3 << 16)
    for k, stream in enumerate(streams):
        drv.memset_d8_async(int(memory) + (k << 16), 9, 1 << 16, stream)
    event = drv.Event()
    green.record_event(event)
    event.synchronize()
    assert (drv.from_device(memory, 3 << 16, np.uint8) == 9).all()
    other = drv.Stream()
    drv.memset_d8_async(memory, 1, 3 << 16, other)
    event.record(other)
    green.wait_for_event(event)
    later = green.create_stream()
    for k, stream in enumerate([*streams, later]):
        drv.memset_d8_async(int(memory) + k, 2, 1, stream)
    green.synchronize()
    assert drv.from_device(memory, 5, np.uint8).tolist() == [2, 2, 2, 2, 1]


def test_captures_must_end_before_queries_of_all_streams(green):
    stream, event = green.create_stream(), drv.Event()
    stream.begin_capture()
    for call in (green.synchronize, lambda: green.record_event(event), lambda: green.wait_for_event(event)):
        with pytest.raises(drv.LogicError, match="capture"):
            call()
    stream.end_capture()
    green.synchronize()


def test_in_many_threads(primary, all_sms):
    """Several threads create, use and release contexts concurrently."""
    fill, errors = SourceModule(FILL).get_function("fill"), []

    def work(value):
        try:
            primary.push()
            for _ in range(10):
                green = drv.GreenContext(all_sms.split(1, groups=1)[0])
                stream, memory = green.create_stream(), drv.mem_alloc(4 * 128)
                del green
                fill(memory, np.int32(value), block=(128, 1, 1), stream=stream)
                host = drv.pagelocked_empty(128, np.int32)
                drv.memcpy_dtoh_async(host, memory, stream)
                stream.synchronize()
                assert (host == value).all()
            drv.Context.pop()
        except BaseException as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=work, args=(value,)) for value in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


WORKERS = """
import json, sys
import numpy as np
import pycuda.driver as drv
drv.init()
drv.Device(0).retain_primary_context().push()
from pycuda.compiler import SourceModule
from pycuda.tools import trace
spin = SourceModule('''__global__ void spin(unsigned *x, int turns)
{ unsigned v = threadIdx.x; for (int i = 0; i < turns; ++i) v = v * 1664525u + 1013904223u; x[threadIdx.x] = v; }''').get_function("spin")
sms = drv.SMResource(drv.Device(0))
green = drv.GreenContext(sms.split(1, groups=1)[0])
memory = drv.mem_alloc(400)
def workers(stream):
    with trace(sys.argv[1]):
        spin(memory, np.int32(20000), block=(32, 1, 1), grid=(200, 1), stream=stream)
        stream.synchronize()
    return len({span["tid"] for span in json.load(open(sys.argv[1]))["traceEvents"] if span.get("cat") == "worker"})
print(json.dumps([sms.sm_count, green.sm_resource.sm_count, workers(drv.Stream()), workers(green.create_stream())]))
"""


def test_the_cpu_device_uses_a_share_of_its_threads(tmp_path):
    if not drv.driver_info().is_cpu_device:
        pytest.skip("SMs are the GPU's")
    run = subprocess.run([sys.executable, "-c", WORKERS, str(tmp_path / "run.json")], env={**os.environ, "PYCUDA_CPU_THREADS": "8"},
                         capture_output=True, text=True, timeout=200)
    assert run.returncode == 0, run.stderr
    all_sms, part, everywhere, in_part = json.loads(run.stdout.splitlines()[-1])
    # One more: after 20 ms the waiting thread leaves the kernel to the stream's worker.
    assert 1 <= in_part <= max(1, 8 * part // all_sms) + 1 and 1 <= everywhere <= 8 + 1


EXIT = """
import pycuda.driver as drv
drv.init()
primary = drv.Device(0).retain_primary_context()
primary.push()
green = drv.GreenContext(drv.SMResource(drv.Device(0)))
stream, converted = green.create_stream(), green.as_context()
memory = drv.mem_alloc(1 << 20)
drv.memset_d8_async(memory, 1, 1 << 20, stream)
%s
print("end")
"""


@pytest.mark.parametrize("last", ["", "del green", "converted.push()", "primary.detach()", "del primary; drv.Context.pop()"])
def test_processes_end_with_green_contexts(last):
    run = subprocess.run([sys.executable, "-c", EXIT % last], capture_output=True, text=True, timeout=200)
    assert (run.returncode, run.stdout.strip()) == (0, "end"), run.stderr


def test_resource_of_a_context(primary, device):
    everything = drv.SMResource(device)
    assert drv.SMResource.of_context(primary).sm_count == everything.sm_count
    part = everything.split(1, groups=1)[0]
    converted = drv.GreenContext(part).as_context()
    assert drv.SMResource.of_context(converted).sm_count == part.sm_count
    ended = device.make_context()
    ended.detach()
    with pytest.raises(drv.LogicError):
        drv.SMResource.of_context(ended)


@pytest.fixture
def groups(is_cpu_device):
    if drv.get_driver_version() < 13010 and not is_cpu_device:
        pytest.skip("no groups of different sizes before CUDA 13.1")


def test_groups_of_different_sizes(primary, all_sms, groups):
    if all_sms.sm_count < 4:
        pytest.skip("too few SMs")
    two, rest = all_sms.split_into(drv.SMGroups().add(2).add(0, backfill=True))
    assert (two.sm_count, rest.sm_count) == (2, all_sms.sm_count - 2)
    first, second, *_ = all_sms.split_into(drv.SMGroups().add(2, coscheduled=2).add(2))
    green = drv.GreenContext([first, second])
    assert green.sm_resource.sm_count == 4
    with pytest.raises(drv.LogicError):
        first.split_into(drv.SMGroups().add(2))


def test_groups_that_cannot_be(all_sms, groups, is_cpu_device):
    with pytest.raises(ValueError, match="at least one group"):
        all_sms.split_into(drv.SMGroups())
    for wanted in (drv.SMGroups().add(all_sms.sm_count + 2), drv.SMGroups().add(3, coscheduled=2), drv.SMGroups().add(2, coscheduled=64),
                   drv.SMGroups().add(0, backfill=True).add(2)):
        with pytest.raises(drv.Error, match="from .* SM"):
            all_sms.split_into(wanted)


def test_an_older_driver_says_which_version_has_groups(all_sms, is_cpu_device):
    if drv.get_driver_version() >= 13010 or is_cpu_device:
        pytest.skip("the driver has them")
    with pytest.raises(drv.RuntimeError, match="13.1"):
        all_sms.split_into(drv.SMGroups().add(2))


def test_resource_of_a_stream(green, all_sms, groups):
    assert drv.SMResource.of_stream(green.create_stream()).sm_count == green.sm_resource.sm_count
    stream = drv.Stream()
    assert drv.SMResource.of_stream(stream).sm_count == all_sms.sm_count
    with pytest.raises(TypeError):
        drv.SMResource.of_stream(None)
