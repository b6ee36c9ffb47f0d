"""pycuda.tools.trace and PYCUDA_TRACE=file.json: timelines in the Chrome trace format."""

import json
import sys
import threading

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule
from pycuda.tools import memory_report, trace

DOUBLE = "__global__ void twice(int *x) { x[threadIdx.x] *= 2; }"
PROGRAM = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule
x = np.arange(4, dtype=np.int32)
SourceModule("__global__ void twice(int *x) { x[threadIdx.x] *= 2; }").get_function("twice")(drv.InOut(x), block=(4, 1, 1))
assert x.tolist() == [0, 2, 4, 6]
"""


def spans(path, kind=None):
    """The timeline's spans, each checked in the way that Perfetto's importer reads it."""
    text = path.read_text(encoding="utf-8")
    assert text.startswith('{"'), "Perfetto recognises the format by this, whatever the file's name"
    events = json.loads(text)["traceEvents"]
    assert {event["ph"] for event in events} <= {"X", "M", "C"}
    found = [event for event in events if event["ph"] == "X"]
    assert all(event["ts"] >= 0 and event["dur"] >= 0 and event["name"] and event["pid"] in (1, 2, 3) for event in found)
    lanes = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    assert {(event["pid"], event["tid"]) for event in found} <= lanes, "a lane without a name"
    return [event for event in found if kind in (None, event["cat"])]


def test_calls_and_work_are_shown(context, tmp_path):
    path = tmp_path / "run.json"
    x = np.arange(4, dtype=np.int32)
    stream = drv.Stream()
    with trace(path):
        twice = SourceModule(DOUBLE).get_function("twice")
        twice(drv.InOut(x), block=(4, 1, 1))
        memory = drv.mem_alloc(4000)
        drv.memset_d8_async(memory, 0, 4000, stream)
    drv.mem_alloc(100)  # no longer recorded
    calls = spans(path, "driver")
    names = [call["name"] for call in calls]
    assert "cuModuleGetFunction" in names and "cuLaunchKernel" in names and names.count("cuMemAlloc") <= 2
    assert "cuEventElapsedTime" not in names, "the recorder's own calls must not be in the timeline"
    launch = next(call for call in calls if call["name"] == "cuLaunchKernel")
    assert launch["args"]["result"] == "CUDA_SUCCESS" and launch["args"]["arguments"]
    work = spans(path, "device")
    measured = json.loads(path.read_text(encoding="utf-8"))["otherData"]["device times"]
    assert {"twice", "fill" if measured.startswith("CUPTI ") else "cuMemsetD8Async"} <= {span["name"] for span in work}
    kernel = next(span for span in work if span["name"] == "twice")
    assert kernel["ts"] + kernel["dur"] >= launch["ts"]
    assert len({span["tid"] for span in work}) == 2, "a lane for each stream"
    assert [span["name"] for span in spans(path, "library")] == ["compile"]


def test_compilations_show_cache_hits_and_misses(context, tmp_path, monkeypatch):
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "run.json"
    with trace(str(path)):
        for _ in range(2):
            SourceModule(DOUBLE)
    assert [span["args"]["note"] for span in spans(path, "library")] == ["compiled", "cache hit"]


def test_timelines_have_counters_of_memory_and_pools(context, tmp_path):
    path = tmp_path / "run.json"
    pool = drv.DeviceMemoryPool()
    with trace(path):
        block = pool.allocate(1 << 20)
        block.free()
        pool.free_held()
    counters = [event for event in json.loads(path.read_text(encoding="utf-8"))["traceEvents"] if event["ph"] == "C"]
    allocated, freed = (event["args"]["used"] for event in counters if event["name"] == "device memory")
    pools = [event["args"] for event in counters if event["name"].startswith("device pool")]
    assert pools[0]["used"] == 1 << 20 and pools[1] == {"used": 0, "held": pools[0]["used"] + pools[0]["held"]}
    assert pools[1]["held"] >= 1 << 20
    if drv.driver_info().is_cpu_device:  # on a GPU, other processes use memory too
        assert allocated - freed >= pools[1]["held"]
    assert all(earlier["ts"] <= later["ts"] for earlier, later in zip(counters, counters[1:]))


def test_the_cpu_device_shows_its_workers(context, device, tmp_path):
    path = tmp_path / "run.json"
    x = np.zeros(1 << 16, np.int32)
    with trace(path):
        SourceModule("__global__ void count(int *x) { x[blockIdx.x * 256 + threadIdx.x] += 1; }").get_function("count")(
            drv.InOut(x), block=(256, 1, 1), grid=(256, 1))
    shares = spans(path, "worker")
    if drv.driver_info().is_cpu_device:
        kernel = next(span for span in spans(path, "device") if span["name"] == "count")
        assert shares and {share["name"] for share in shares} == {"count"}
        assert all(kernel["ts"] - 1 <= share["ts"] and share["ts"] + share["dur"] <= kernel["ts"] + kernel["dur"] + 1 for share in shares)
    else:
        assert not shares


def test_contexts_may_end_meanwhile(device, tmp_path):
    path = tmp_path / "run.json"
    with trace(path):
        for _ in range(2):
            context = device.make_context()
            drv.memset_d8_async(drv.mem_alloc(1000), 1, 1000)
            context.detach()
    assert len(spans(path, "device")) == 2


def test_every_thread_has_a_lane(context, tmp_path):
    path = tmp_path / "run.json"

    def work():
        context.push()
        drv.mem_alloc(100).free()
        drv.Context.pop()

    with trace(path):
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len({call["tid"] for call in spans(path, "driver") if call["name"] == "cuMemAlloc"}) == 3


def test_one_timeline_at_a_time(context, tmp_path):
    with trace(tmp_path / "run.json"):
        with pytest.raises(drv.LogicError, match="is being recorded"):
            with trace(tmp_path / "other.json"):
                pass
        drv.mem_alloc(100).free()
    assert spans(tmp_path / "run.json") and not (tmp_path / "other.json").exists()


def test_a_file_that_cannot_be_written(context, tmp_path):
    with pytest.raises(drv.RuntimeError, match="no.such.folder"):
        with trace(tmp_path / "no/such/folder/run.json"):
            pass
    with trace(tmp_path / "run.json"):
        pass
    assert json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["traceEvents"]


@pytest.mark.parametrize("name", [b"\x80", b"caf\xe9", "caf\u00e9".encode(), b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", "\U0001f600".encode(), b"\xc0\x80", b'a"b\\\x01'])
def test_names_need_not_be_text(context, tmp_path, name):
    """The file is UTF-8 all the same: each invalid byte of a name becomes U+FFFD."""
    name = name.decode(errors="surrogateescape")
    each = 3 if sys.platform == "win32" else 1  # Python encodes half a surrogate there, which names of files may have
    shown = "".join("\ufffd" * each if "\udc80" <= letter <= "\udcff" else letter for letter in name).replace("\x01", " ")
    module = SourceModule("__global__ void nothing() {}")
    with trace(tmp_path / "run.json"), pytest.raises(drv.LogicError):
        module.get_function(name)
    asked = [span["args"]["arguments"] for span in spans(tmp_path / "run.json", "driver") if span["name"] == "cuModuleGetFunction"]
    assert asked[0].endswith(f'"{shown}"')


def test_the_with_block_may_raise(context, tmp_path):
    with pytest.raises(ZeroDivisionError):
        with trace(tmp_path / "run.json"):
            drv.mem_alloc(100).free()
            1 / 0
    assert spans(tmp_path / "run.json", "driver")


def test_the_environment_records_a_whole_program(run_python, tmp_path):
    path = tmp_path / "whole.json"
    result = run_python(PROGRAM, PYCUDA_TRACE=str(path))
    assert result.returncode == 0 and "[pycuda]" not in result.stderr, result.stderr
    assert "twice" in {span["name"] for span in spans(path, "device")}
    assert {"cuInit", "cuCtxCreate"} <= {span["name"].split("_")[0] for span in spans(path, "driver")}


def test_memory_report(context):
    empty = memory_report().objects.get("device allocation", 0)
    memory = [drv.mem_alloc(1000) for _ in range(3)]
    report = memory_report()
    assert report.objects["device allocation"] == empty + len(memory)
    assert report.device["in use on the device"] <= report.device["of the device"]
    assert "device allocation" in str(report)
    context.pop()
    try:
        assert memory_report().pool == {}
    finally:
        context.push()


def test_notebooks_show_arrays_devices_and_kernels(context, device):
    from pycuda import gpuarray

    shown = gpuarray.arange(3, dtype=np.float32)._repr_html_()
    assert "float32" in shown and "[0., 1., 2.]" in shown
    assert str(device.multiprocessor_count) in device._repr_html_()
    twice = SourceModule(DOUBLE).get_function("twice")
    shown = twice._repr_html_()
    assert "twice" in shown and shown.count("<rect") == twice.max_threads_per_block // 32
    context.pop()
    try:
        assert "<rect" not in twice._repr_html_()
    finally:
        context.push()


def test_the_cell_magic_compiles_calls_and_times(context, capsys):
    shell = pytest.importorskip("IPython").core.interactiveshell.InteractiveShell()
    shell.run_line_magic("load_ext", "pycuda")
    assert "Usage: ``%%cuda" in shell.find_cell_magic("cuda").__doc__
    shell.user_ns.update(drv=drv, x=np.arange(4, dtype=np.int32))
    shell.run_cell_magic("cuda", "-DFACTOR=3 scale(drv.InOut(x), block=(4, 1, 1))", "__global__ void scale(int *x) { x[threadIdx.x] *= FACTOR; }")
    assert shell.user_ns["x"].tolist() == [0, 3, 6, 9] and shell.user_ns["scale"].name == "scale"
    printed = capsys.readouterr().out
    assert printed.startswith("scale(drv.InOut(x), block=(4, 1, 1)): ") and printed.endswith(" ms\n")
    shell.run_cell_magic("cuda", "", "__global__ void __launch_bounds__(64) first() {}\n__global__ void second(int n) {}")
    assert shell.user_ns["first"].name == "first" and shell.user_ns["second"].name == "second"
    with pytest.raises(drv.CompileError):
        shell.run_cell_magic("cuda", "", "__global__ void broken( {}")
    shell.user_ns.clear()  # shells live until the process ends
