"""What a timeline costs: the time of a call that launches a kernel and of one that copies, for the host and until the device has done it, without a
timeline, with one that pairs of events measure, with one that CUPTI measures, and without one afterwards. Medians of 7 runs; writing the file is not
part of them. Then a timeline's rows: kernels and copies in two streams. ./dev bench trace runs it; for CUPTI it needs a GPU and libcupti.
"""

import json
import os
import statistics
import tempfile
import time

import pycuda.autoprimaryctx
import pycuda.driver as drv
from pycuda.tools import trace

CALLS, RUNS = 2000, 7
KERNELS = """
.version 8.0
.target sm_50
.address_size 64
.visible .entry nothing() { ret; }
.visible .entry spin(.param .u64 cycles) {
  .reg .u64 %now, %end, %cycles;
  .reg .pred %go_on;
  ld.param.u64 %cycles, [cycles];
  mov.u64 %now, %clock64;
  add.u64 %end, %now, %cycles;
again:
  mov.u64 %now, %clock64;
  setp.lt.u64 %go_on, %now, %end;
  @%go_on bra again;
  ret;
}
"""
module = drv.module_from_buffer(KERNELS.encode())
nothing, spin = module.get_function("nothing").prepare(""), module.get_function("spin").prepare("P")
stream, other = drv.Stream(), drv.Stream()
host, memory = drv.pagelocked_zeros(1 << 20, "u1"), drv.mem_alloc(1 << 20)
small = host[:64]


def launch():
    nothing.prepared_async_call((1, 1), (32, 1, 1), stream)


def copy():
    drv.memcpy_htod_async(memory, small, stream)


def time_calls(call):
    """Microseconds of a call: of the host, and until the device has done it."""
    stream.synchronize()
    begin = time.perf_counter()
    for _ in range(CALLS):
        call()
    queued = time.perf_counter()
    stream.synchronize()
    return (queued - begin) / CALLS * 1e6, (time.perf_counter() - begin) / CALLS * 1e6


def time_recorded(call, path):
    with trace(path):
        call()
        return time_calls(call)


def row(name, call, path=None):
    runs = [time_recorded(call, path) if path else time_calls(call) for _ in range(RUNS)]
    queued, done = (statistics.median(times) for times in zip(*runs))
    measured = "; device times: " + json.load(open(path))["otherData"]["device times"] if path else ""
    print(f"{name:<34} {queued:6.2f} µs queued, {done:6.2f} µs done{measured}")


def costs(path):
    for what, call in (("launch", launch), ("copy of 64 bytes", copy)):
        row(f"{what}, no timeline", call)
        os.environ["PYCUDA_TRACE_CUPTI"] = "0"
        row(f"{what}, pairs of events", call, path)
        del os.environ["PYCUDA_TRACE_CUPTI"]
        begin = time.perf_counter()
        with trace(path):
            launch()
        print(f"{'a short timeline':<34} {(time.perf_counter() - begin) * 1e3:6.1f} ms")
        row(f"{what}, CUPTI if it is there", call, path)
        row(f"{what}, no timeline any more", call)


def rows(path):
    with stream.capture() as graph_being_made:
        launch()
        drv.memset_d8_async(memory, 1, 100, stream)
    graph = graph_being_made.instantiate()
    with trace(path):
        for into in (stream, other):
            drv.memcpy_htod_async(memory, host, into)
            spin.prepared_async_call((1, 1), (1, 1, 1), into, 200_000)
            drv.memset_d8_async(memory, 1, 1 << 20, into)
        drv.memcpy_dtoh(host, memory)
        drv.Context.synchronize()
        graph.launch(stream)
    timeline = json.load(open(path))
    events = timeline["traceEvents"]
    lanes = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name" and event["pid"] == 2}
    print(timeline["otherData"])
    for event in sorted((event for event in events if event.get("cat") in ("device", "driver")), key=lambda event: event["ts"]):
        where = lanes[event["tid"]] if event["cat"] == "device" else "host"
        print(f"{event['ts']:10.1f} µs {event['dur']:9.2f} µs  {where:<24} {event['name']} {event['args'].get('bytes', '')}")


with tempfile.TemporaryDirectory() as folder:
    costs(os.path.join(folder, "run.json"))
    rows(os.path.join(folder, "run.json"))
