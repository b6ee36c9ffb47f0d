"""Source lines of the program, in timelines and in reports of its allocations."""

import gc
import json
import sys
import threading

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool, memory_report, record_allocations, trace


@pytest.fixture
def recorded(context):
    record_allocations()
    yield
    record_allocations(False)


def here():
    """The caller's line, in the format of places."""
    frame = sys._getframe(1)
    return f"{__file__}:{frame.f_lineno} in {frame.f_code.co_name}"


def calls(path):
    events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    return [(event["name"], event["args"].get("place")) for event in events if event.get("cat") == "driver"]


def test_a_timeline_has_the_source_lines_of_calls(context, tmp_path):
    a, memory = gpuarray.zeros(1000, np.float32), drv.mem_alloc(4000)
    with trace(tmp_path / "run.json"):
        _, plain = memory.free(), here()  # releases the GIL
        a, operation = a + 1, here()  # keeps the GIL, on the fast path
        _, method = a.get(), here()  # called through frames of the package
    found = calls(tmp_path / "run.json")
    assert ("cuMemFree", plain) in found
    assert ("cuLaunchKernel", operation) in found
    assert any(name.startswith("cuMemcpyDtoH") and place == method for name, place in found)
    assert not [place for _, place in found if place is None or "/pycuda/" in place.replace(__file__, "")]


def test_each_thread_has_its_own_place(context, tmp_path):
    def allocate():
        context.push()
        for _ in range(20):
            drv.mem_alloc(100).free()
        drv.Context.pop()

    with trace(tmp_path / "run.json"):
        threads = [threading.Thread(target=allocate) for _ in range(3)]
        for thread in threads:
            thread.start()
        drv.mem_alloc(100)
        for thread in threads:
            thread.join()
    places = {place.rpartition(" ")[2] for name, place in calls(tmp_path / "run.json") if name == "cuMemAlloc"}
    assert places == {"allocate", "test_each_thread_has_its_own_place"}


class Texture:
    def __init__(self):
        self.array = drv.np_to_array(np.zeros((4, 8), np.float32), "C")
        self.texture = drv.TextureObject(self.array)


# A call that creates an object, and the kind and size that a report has for it.
KINDS = {
    "linear memory": (lambda: drv.mem_alloc(500), "device allocation", 500),
    "pitched memory": (lambda: drv.mem_alloc_pitch(64, 10, 4), "device allocation", None),
    "managed memory": (lambda: drv.managed_zeros(100, np.float32, mem_flags=drv.mem_attach_flags.GLOBAL), "managed allocation", 400),
    "page-locked memory": (lambda: drv.pagelocked_zeros(100, np.float32), "page-locked allocation", 400),
    "registered memory": (lambda: drv.register_host_memory(drv.aligned_zeros(4096, np.uint8)), "registered host memory", 4096),
    "an array": (lambda: gpuarray.empty(100, np.float32), "pooled device allocation", 400),
    "a pool's memory": (lambda: DeviceMemoryPool().allocate(100), "pooled device allocation", 100),
    "a CUDA array": (lambda: drv.np_to_array(np.zeros((4, 8), np.float32), "C"), "array", 128),
    "a texture": (Texture, "texture object", 0),
    "a stream": (drv.Stream, "stream", 0),
    "a module": (lambda: SourceModule("__global__ void nothing() {}"), "module", 0),
}


@pytest.mark.parametrize("what", KINDS)
def test_a_report_has_each_kind_by_place(what, recorded):
    make, kind, size = KINDS[what]
    objects = [make() for _ in range(2)]
    row = next(row for row in memory_report().allocations if row.kind == kind)
    assert row.count == len(objects) and f"{__file__}:" in row.place, row
    assert row.bytes == 2 * size if size is not None else row.bytes >= 2 * 640
    assert f"{row.bytes:,}  {kind} (2), {row.place}" in str(memory_report())
    del objects
    assert kind not in {row.kind for row in memory_report().allocations}


def test_stream_ordered_memory_and_physical_memory(recorded, device):
    if not device.get_attribute(drv.device_attribute.MEMORY_POOLS_SUPPORTED):
        pytest.skip("the device has no memory pools")
    stream = drv.Stream()
    memory = drv.mem_alloc_async(500, stream)
    physical = drv.PhysicalMemory(1 << 21)
    found = {row.kind: row.bytes for row in memory_report().allocations}
    assert found == {"stream-ordered allocation": 500, "physical memory": physical.size, "stream": 0}
    memory.free_async(stream)
    del physical
    assert {row.kind for row in memory_report().allocations} == {"stream"}


def test_the_largest_comes_first(recorded):
    small = [drv.mem_alloc(10) for _ in range(5)]
    large = drv.mem_alloc(10000)
    assert [row.bytes for row in memory_report().allocations] == [10000, 50]
    del small, large


def test_memory_is_reported_until_its_last_user_ends(recorded):
    memory = drv.mem_alloc(500)
    array = gpuarray.zeros(10, np.float32)
    view = array[2:]
    del array
    assert {row.kind for row in memory_report().allocations} == {"device allocation", "pooled device allocation"}
    with pytest.raises(drv.LogicError):
        memory.free()
        memory.free()
    del view
    assert memory_report().allocations == []


def test_the_end_of_a_context_ends_its_allocations(recorded, device):
    kept = drv.mem_alloc(500)
    other = device.make_context()
    memory, array = drv.mem_alloc(600), gpuarray.empty(100, np.float32)
    assert {row.bytes for row in memory_report().allocations} == {400, 500, 600}
    other.detach()
    assert {row.bytes for row in memory_report().allocations} == {500}
    del memory, array, kept
    assert memory_report().allocations == []


def test_only_allocations_during_recording_count(context):
    before = drv.mem_alloc(500)
    assert memory_report().allocations == []
    record_allocations()
    during = drv.mem_alloc(600)
    assert [row.bytes for row in memory_report().allocations] == [600]
    record_allocations()  # a second call has no effect
    record_allocations(False)
    assert memory_report().allocations == []
    record_allocations()
    before.free()
    during.free()
    assert memory_report().allocations == []
    record_allocations(False)


def test_a_timeline_and_a_recording_are_independent(recorded, tmp_path):
    with trace(tmp_path / "run.json"):
        first = drv.mem_alloc(500)
    second = drv.mem_alloc(600)
    assert len(memory_report().allocations) == 2
    with trace(tmp_path / "run.json"):
        record_allocations(False)
        first.free()
    assert [name for name, _ in calls(tmp_path / "run.json") if name == "cuMemFree"] == ["cuMemFree"]
    del second


def test_no_collection_runs_in_the_middle_of_a_call(recorded):
    """Looking up a place creates frame objects, and in older versions of Python any new object may start a collection."""

    class Cycle:
        def __init__(self):
            self.memory, self.own = gpuarray.empty(10, np.float32), self

    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(300):
            Cycle()
    finally:
        gc.set_threshold(*threshold)
    assert gc.isenabled()
    gc.collect()
    assert memory_report().allocations == []


def test_code_without_a_file_has_a_place(recorded):
    namespace = {"drv": drv}
    exec(compile("memory = drv.mem_alloc(500)", "<typed>", "exec"), namespace)
    assert memory_report().allocations[0].place == "<typed>:1 in <module>"
    namespace.clear()


def test_the_environment_records_from_the_start(run_python):
    program = "import pycuda.autoinit, pycuda.driver as drv\nfrom pycuda.tools import memory_report\nm = drv.mem_alloc(500)\nprint(memory_report().allocations)"
    for value, expected in (("1", "place='<string>:3 in <module>'"), ("0", "[]"), ("", "[]")):
        result = run_python(program, PYCUDA_RECORD_ALLOCATIONS=value)
        assert result.returncode == 0 and expected in result.stdout, result.stderr + result.stdout


def test_a_timeline_may_have_the_suffix_pftrace(run_python, tmp_path):
    path = tmp_path / "run.pftrace"
    result = run_python("import pycuda.autoinit, pycuda.driver as drv\nm = drv.mem_alloc(500)", PYCUDA_TRACE=str(path))
    assert result.returncode == 0 and "[pycuda]" not in result.stderr, result.stderr
    assert ("cuMemAlloc", "<string>:2 in <module>") in calls(path)


BAD_ACCESS = """
import numpy as np, pycuda.autoinit, pycuda.driver as drv, pycuda.gpuarray as gpuarray, sys
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool
pool = DeviceMemoryPool()
write = SourceModule("__global__ void write(int *p) {{ *p = 1; }}").get_function("write")
memory = {make}
address = int(memory)
{end}
try:
    write(np.uintp(address + {offset}), block=(1, 1, 1))
    drv.Context.synchronize()
except drv.LaunchError as error:
    print(error)
"""
MAKERS = {"linear memory": "drv.mem_alloc(4000)", "an array": "gpuarray.empty(1000, np.int32).gpudata", "a pool's memory": "pool.allocate(4000)"}
ENDS = {"free": ("memory.free()", 0), "del": ("del memory", 0), "alive": ("", 4000)}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("what", MAKERS)
def test_a_bad_access_is_reported_with_the_lines_that_allocated_and_freed_the_memory(run_python, what, end):
    statement, offset = ENDS[end]
    code = BAD_ACCESS.format(make=MAKERS[what], end=statement, offset=offset)
    recorded = run_python(code, PYCUDA_DRIVER="cpu", PYCUDA_RECORD_ALLOCATIONS="1")
    expected = "of 4000 bytes, allocated at <string>:7 in <module>" + ("" if end == "alive" else " and freed at <string>:9 in <module>") + ";"
    assert expected in recorded.stdout, recorded.stdout + recorded.stderr
    assert "<string>" not in run_python(code, PYCUDA_DRIVER="cpu", PYCUDA_RECORD_ALLOCATIONS="0").stdout
