"""Timelines whose work CUPTI measures. A library of the tests stands for CUPTI and delivers records that the tests write; the last tests need the real one."""

import ctypes
import json
import os
import shutil
import sys
import threading
import time
from pathlib import Path

import pycuda
import pycuda.cpu
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule
from pycuda.tools import trace

FAKE = os.environ.get("PYCUDA_FAKE_CUPTI") or str(Path(pycuda.__file__).parents[2] / "tests/vendor/libfake_cupti.so")
CUPTI, DRIVER = ("cupti64_2025.3.0.dll", "nvcuda.dll") if sys.platform == "win32" else ("libcupti.so.13", "libcuda.so.1")
KERNEL, COPY, FILL, COPY_BETWEEN_CONTEXTS = 10, 1, 2, 22
HOST_TO_DEVICE = 1
OTHER_SUBSCRIBER = 39


class Fake:
    """The library, whose clock runs three times as fast as the timeline's."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.library.fake_now.restype = ctypes.c_uint64
        self.library.fake_take_calls.restype = ctypes.c_char_p

    def calls(self):
        return self.library.fake_take_calls().decode().split()

    def place(self, stream):
        """The arguments that put a record into the current context's stream."""
        handle = ctypes.c_void_p()
        current = self.library.fake_context_number(ctypes.c_void_p(drv.Context.get_current().handle))
        handle.value = stream.handle if stream else None
        return current, self.library.fake_stream_number(handle)

    def times(self, begin, microseconds):
        """Of work that begins at a time of the library's clock, as that clock shows them."""
        return ctypes.c_uint64(begin), ctypes.c_uint64(begin + 3000 * microseconds)

    def kernel(self, name, microseconds, stream=None, begin=None, place=None):
        begin = self.library.fake_now() if begin is None else begin
        self.library.fake_kernel(ctypes.c_char_p(name), *self.times(begin, microseconds), *(place or self.place(stream)))

    def memory(self, kind, nbytes, microseconds, stream=None, direction=0):
        self.library.fake_memory(kind, direction, ctypes.c_uint64(nbytes), *self.times(self.library.fake_now(), microseconds), *self.place(stream))


@pytest.fixture
def cupti(tmp_path, monkeypatch):
    """A library of this test's own, in its first state."""
    path = shutil.copy(FAKE, tmp_path / CUPTI)
    monkeypatch.setenv("PYCUDA_TRACE_CUPTI", str(path))
    monkeypatch.delenv("CUDA_INJECTION64_PATH", raising=False)
    return Fake(path)


def read(path):
    """What measured the work, and each span of the device with its lane's name."""
    timeline = json.loads(path.read_text(encoding="utf-8"))
    lanes = {event["tid"]: event["args"]["name"] for event in timeline["traceEvents"] if event["name"] == "thread_name" and event["pid"] == 2}
    work = [(event, lanes[event["tid"]]) for event in timeline["traceEvents"] if event.get("cat") == "device"]
    return timeline["otherData"]["device times"], work


def record_a_fill(path):
    """What measured a fill, and the names of the device's spans."""
    with trace(path):
        drv.memset_d8_async(drv.mem_alloc(1000), 1, 1000)
    measured, work = read(path)
    return measured, [span["name"] for span, _ in work]


def test_records_become_rows_of_their_streams(context, cupti, tmp_path):
    stream, memory = drv.Stream(), drv.mem_alloc(1000)
    with trace(tmp_path / "run.json"):
        drv.memset_d8_async(memory, 0, 1000, stream)
        drv.memset_d8(memory, 0, 1000)
        cupti.kernel(b"twice", 50, stream)
        cupti.memory(FILL, 1000, 5)
        cupti.memory(COPY, 4000, 7, stream, HOST_TO_DEVICE)
        cupti.memory(COPY_BETWEEN_CONTEXTS, 8000, 9, stream, 10)
    measured, work = read(tmp_path / "run.json")
    assert measured == "CUPTI 13.0"
    named = f"stream {stream.handle:#x}"
    assert [(span["name"], lane, span["args"]) for span, lane in work] == [
        ("twice", named, {}), ("fill", "default stream", {"bytes": 1000}), ("copy host to device", named, {"bytes": 4000}),
        ("copy between devices", named, {"bytes": 8000})], "and no pairs of events beside them"
    assert [round(span["dur"]) for span, _ in work] == pytest.approx([50, 5, 7, 9], abs=1), "the timeline's clock"


def test_times_are_those_of_the_timeline(context, cupti, tmp_path):
    with trace(tmp_path / "run.json"):
        drv.memset_d8(drv.mem_alloc(1000), 0, 1000)
        cupti.kernel(b"between", 1)
        drv.mem_alloc(10).free()
    spans = [event for event in json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["traceEvents"] if event["ph"] == "X"]
    fill = next(span for span in spans if span["name"].startswith("cuMemsetD8"))
    kernel = next(span for span in spans if span["name"] == "between")
    allocation = [span for span in spans if span["name"].startswith("cuMemAlloc")][-1]
    assert fill["ts"] + fill["dur"] <= kernel["ts"] + 5 and kernel["ts"] <= allocation["ts"] + 5


def test_streams_of_others_have_numbers(context, cupti, tmp_path):
    with trace(tmp_path / "run.json"):
        cupti.kernel(b"of_another_library", 1, place=(99, 1234))
    assert [(span["name"], lane) for span, lane in read(tmp_path / "run.json")[1]] == [("of_another_library", "stream number 1234")]


def test_contexts_and_streams_may_end_meanwhile(device, cupti, tmp_path):
    with trace(tmp_path / "run.json"):
        for name in (b"first", b"second"):
            context = device.make_context()
            stream = drv.Stream()
            drv.memset_d8_async(drv.mem_alloc(1000), 1, 1000, stream)
            cupti.kernel(name, 1, stream)
            del stream
            context.detach()
    work = read(tmp_path / "run.json")[1]
    assert [span["name"] for span, _ in work] == ["first", "second"] and all(lane.startswith("stream 0x") for _, lane in work)


def test_many_records_fill_buffers(context, cupti, tmp_path):
    with trace(tmp_path / "run.json"):
        drv.memset_d8(drv.mem_alloc(1000), 0, 1000)
        for _ in range(10_000):
            cupti.kernel(b"small", 1)
        cupti.library.fake_lose(3)
    measured, work = read(tmp_path / "run.json")
    assert (measured, len(work)) == ("CUPTI 13.0; 3 records lost", 10_000)


def test_a_buffer_that_is_completed_late_is_discarded(context, cupti, tmp_path):
    def record(name, late):
        with trace(tmp_path / "run.json"):
            drv.memset_d8(drv.mem_alloc(1000), 0, 1000)
            cupti.library.fake_hold_buffers(late)
            cupti.kernel(name, 1)
        time.sleep(0.01)  # more than what clocks may differ
        return [span["name"] for span, _ in read(tmp_path / "run.json")[1]]

    assert record(b"early", late=1) == []
    assert record(b"next", late=0) == ["next"], "the first timeline's record comes in the second's, which must not show it"
    assert record(b"last", late=1) == []
    cupti.library.fake_deliver()  # while no timeline is recorded
    assert record(b"after", late=0) == ["after"]


def test_two_timelines_one_after_the_other(context, cupti, tmp_path):
    for name in (b"first", b"second"):
        with trace(tmp_path / "run.json"):
            drv.memset_d8(drv.mem_alloc(1000), 0, 1000)
            cupti.kernel(name, 1)
        measured, work = read(tmp_path / "run.json")
        assert (measured, [(span["name"], lane) for span, lane in work]) == ("CUPTI 13.0", [(name.decode(), "default stream")])
        calls = cupti.calls()
        assert calls[:2] == ["subscribe", "register"] and calls[-1] == "unsubscribe" and calls.count("enable") == calls.count("disable") == 4


def test_incomplete_records_are_left_out(context, cupti, tmp_path):
    with trace(tmp_path / "run.json"):
        drv.memset_d8(drv.mem_alloc(1000), 0, 1000)
        cupti.library.fake_kernel(b"running", ctypes.c_uint64(0), ctypes.c_uint64(0), *cupti.place(None))
    assert read(tmp_path / "run.json")[1] == []


def test_a_cupti_that_another_tool_uses_is_left_alone(context, cupti, tmp_path, monkeypatch):
    cupti.library.fake_refuse_subscriber(OTHER_SUBSCRIBER)
    assert record_a_fill(tmp_path / "run.json") == ("pairs of events; CUPTI: used by another tool", ["cuMemsetD8Async"])
    assert cupti.calls() == ["subscribe"]
    cupti.library.fake_refuse_subscriber(15)
    assert record_a_fill(tmp_path / "run.json")[0] == "pairs of events; CUPTI: cuptiSubscribe returned status 15"
    assert cupti.calls() == ["subscribe"]
    cupti.library.fake_refuse_subscriber(0)
    monkeypatch.setenv("CUDA_INJECTION64_PATH", "/opt/profiler.so")
    measured, names = record_a_fill(tmp_path / "run.json")
    assert "CUDA_INJECTION64_PATH" in measured and names == ["cuMemsetD8Async"] and cupti.calls() == []


def test_a_cupti_that_refuses_is_left_again(context, cupti, tmp_path):
    cupti.library.fake_refuse_kind(FILL)
    assert record_a_fill(tmp_path / "run.json") == ("pairs of events; CUPTI: cuptiActivityEnable returned status 21", ["cuMemsetD8Async"])
    assert cupti.calls()[-1] == "unsubscribe"


@pytest.mark.parametrize(("number", "version"), ((17, None), (18, "11.8 to 12.1"), (19, "12"), (28, "12"), (29, None), (129999, None), (130000, "13.0"),
                                                 (130501, "13.5"), (130600, None), (140000, None)))
def test_only_versions_with_known_records_are_used(context, cupti, tmp_path, number, version):
    cupti.library.fake_set_version(number)
    expected = (f"CUPTI {version}", []) if version else (f"pairs of events; CUPTI: unknown version {number}", ["cuMemsetD8Async"])
    assert record_a_fill(tmp_path / "run.json") == expected


def test_without_cupti_pairs_of_events_measure(context, tmp_path, monkeypatch):
    def measured_with(value):
        monkeypatch.setenv("PYCUDA_TRACE_CUPTI", value)
        measured, names = record_a_fill(tmp_path / "run.json")
        assert names == ["cuMemsetD8Async"]
        return measured

    assert measured_with("0") == "pairs of events; CUPTI: switched off by PYCUDA_TRACE_CUPTI"
    assert measured_with(str(tmp_path / CUPTI)).startswith("pairs of events; CUPTI: ")
    (tmp_path / CUPTI).write_bytes(b"")
    assert measured_with(str(tmp_path / CUPTI)).startswith("pairs of events; CUPTI: ")
    assert "does not have the function cupti" in measured_with(f"{pycuda.cpu.library_folder()}/{DRIVER}")


def test_the_cpu_device_needs_no_cupti(context, is_cpu_device, tmp_path, monkeypatch):
    if not is_cpu_device:
        pytest.skip("for the CPU device")
    monkeypatch.delenv("PYCUDA_TRACE_CUPTI", raising=False)
    assert record_a_fill(tmp_path / "run.json") == ("pairs of events; CUPTI: not for the CPU device", ["cuMemsetD8Async"])


def test_the_end_waits_for_functions_of_the_host(context, cupti, tmp_path):
    """Which need the GIL."""
    stream, called = drv.Stream(), []
    with trace(tmp_path / "run.json"):
        drv.memset_d8_async(drv.mem_alloc(1000), 0, 1000, stream)
        stream.add_callback(lambda: (time.sleep(0.1), called.append(1)))
    assert called == [1] and read(tmp_path / "run.json")[0] == "CUPTI 13.0"


def test_timelines_may_begin_and_end_while_threads_work(context, cupti, tmp_path):
    memory, done = drv.mem_alloc(1000), threading.Event()

    def work():
        context.push()
        while not done.is_set():
            drv.memset_d8_async(memory, 0, 1000, drv.Stream())
        drv.Context.pop()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            with trace(tmp_path / "run.json"):
                drv.memset_d8(memory, 0, 1000)
                cupti.kernel(b"between", 1)
            measured, work_shown = read(tmp_path / "run.json")
            assert (measured, [(span["name"], lane) for span, lane in work_shown]) == ("CUPTI 13.0", [("between", "default stream")])
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_a_capture_goes_on(context, cupti, tmp_path):
    stream, memory = drv.Stream(), drv.mem_alloc(1000)
    stream.begin_capture()
    with trace(tmp_path / "run.json"):
        drv.memset_d8_async(memory, 0, 1000, stream)
    graph = stream.end_capture()
    assert graph is not None and read(tmp_path / "run.json")[0] == "CUPTI 13.0"


WHOLE_PROGRAM = """
import ctypes
import pycuda.autoinit
import pycuda.driver as drv
drv.memset_d8_async(drv.mem_alloc(1000), 1, 1000)
"""


@pytest.mark.parametrize("folder", ("bin" if sys.platform == "win32" else "lib", "extras/CUPTI/lib64", None))
def test_a_driver_finds_cupti_in_a_toolkit(run_python, tmp_path, folder):
    """With the CPU device in the place of a driver. The timeline begins before the driver is initialised, and ends at exit."""
    (tmp_path / "toolkit").mkdir()
    if folder:
        (tmp_path / "toolkit" / folder).mkdir(parents=True)
        shutil.copy(FAKE, tmp_path / "toolkit" / folder / CUPTI)
    path = tmp_path / "whole.json"
    done = run_python(WHOLE_PROGRAM, **{**pycuda.cpu.environment(), "PYCUDA_DRIVER": "cuda", "PYCUDA_TRACE": str(path),
                                        "PYCUDA_TOOLKIT": str(tmp_path / "toolkit"), "PYCUDA_TRACE_CUPTI": None, "CUDA_INJECTION64_PATH": None})
    assert done.returncode == 0, done.stderr
    measured, work = read(path)
    assert measured == "CUPTI 13.0" if folder else measured.startswith("pairs of events; CUPTI: ")  # the system's own cannot use this driver
    assert len(work) == (0 if folder else 1)


LATE_BUFFER = """
import contextlib, ctypes, os
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.tools import trace
fake = ctypes.CDLL(os.environ["PYCUDA_TRACE_CUPTI"])
with contextlib.nullcontext() if "PYCUDA_TRACE" in os.environ else trace(os.environ["TIMELINE"]):
    drv.memset_d8_async(drv.mem_alloc(1000), 1, 1000)
    fake.fake_hold_buffers(1)
    fake.fake_kernel(b"late", ctypes.c_uint64(1), ctypes.c_uint64(2), 1, 1)
"""


@pytest.mark.parametrize("whole_program", (False, True))
def test_a_buffer_may_be_completed_while_the_process_ends(run_python, tmp_path, whole_program):
    path = tmp_path / "run.json"
    done = run_python(LATE_BUFFER, PYCUDA_TRACE_CUPTI=FAKE, PYCUDA_TRACE=str(path) if whole_program else None, TIMELINE=str(path),
                      CUDA_INJECTION64_PATH=None)
    assert (done.returncode, read(path)) == (0, ("CUPTI 13.0", [])), done.stderr


SPIN = """
__global__ void spin(long long cycles) {
    const long long begin = clock64();
    while (clock64() - begin < cycles) {}
}
"""


def test_cupti_measures_what_events_measure(context, is_cpu_device, tmp_path, monkeypatch):
    """With the real one."""
    monkeypatch.delenv("PYCUDA_TRACE_CUPTI", raising=False)
    spin, nbytes = SourceModule(SPIN).get_function("spin").prepare("q"), 1 << 20
    streams, memory, host = [drv.Stream(), drv.Stream()], drv.mem_alloc(nbytes), drv.pagelocked_empty(nbytes, "u1")
    events = [drv.Event(), drv.Event()]
    with trace(tmp_path / "run.json"):
        for stream in streams:
            spin.prepared_async_call((1, 1), (1, 1, 1), stream, 100)
            drv.memset_d8_async(memory, 1, nbytes, stream)
            drv.memcpy_dtoh_async(host, memory, stream)
        drv.Context.synchronize()
        events[0].record(streams[0])
        spin.prepared_async_call((1, 1), (1, 1, 1), streams[0], 2_000_000)
        events[1].record(streams[0]).synchronize()
    measured, work = read(tmp_path / "run.json")
    if measured.endswith(("CUPTI: not found", "CUPTI: used by another tool", "CUPTI: not for the CPU device")):
        pytest.skip(measured)
    assert measured.startswith("CUPTI 1")
    for stream in streams:
        rows = [span for span, lane in work if lane == f"stream {stream.handle:#x}"][:3]
        assert "spin" in rows[0]["name"] and [span["name"] for span in rows[1:]] == ["fill", "copy device to host"]
        assert [span["args"].get("bytes") for span in rows] == [None, nbytes, nbytes]
    calls = [event for event in json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["traceEvents"] if event.get("cat") == "driver"]
    launch = [call for call in calls if call["name"].startswith("cuLaunchKernel")][-1]
    waiting = [call for call in calls if call["name"].startswith("cuEventSynchronize")][-1]
    longest = max((span for span, _ in work), key=lambda span: span["dur"])
    between_events = events[0].time_till(events[1]) * 1000  # includes the turns of other processes
    assert 0.9 * longest["dur"] <= between_events and longest["dur"] >= 2_000_000 / 2_500  # no GPU counts more cycles in a µs
    accuracy = 50  # µs between the clocks of the host and of the device
    assert launch["ts"] - accuracy <= longest["ts"] and longest["ts"] + longest["dur"] <= waiting["ts"] + waiting["dur"] + accuracy
