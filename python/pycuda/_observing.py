"""Timelines of a program's driver calls, and reports of its memory."""

import atexit
import contextlib
import dataclasses
import os

from pycuda import _driver

__all__ = ["memory_report", "record_allocations", "trace"]


@contextlib.contextmanager
def trace(path):
    """Record a timeline of a block of code.

    The file shows driver calls, each with the line of the program that made it, and compilations by thread, kernels, copies and fills by stream,
    and how much memory the device and each pool use.
    On the CPU device it also shows each worker thread. Open it with https://ui.perfetto.dev or chrome://tracing. ``PYCUDA_TRACE=run.json`` records a whole program.

    Parameters
    ----------
    path : str or path
        File to write, in the Chrome trace format.

    Returns
    -------
    context manager
        Records inside the block, waits for the recorded work, and writes the file.

    Raises
    ------
    LogicError
        A timeline is being recorded already.
    RuntimeError
        The file cannot be written.

    Examples
    --------
    >>> import json, os, tempfile
    >>> from pycuda.tools import trace
    >>> path = os.path.join(tempfile.mkdtemp(), "run.json")
    >>> with trace(path):
    ...     _ = gpuarray.zeros(1000, np.float32) + 1
    >>> events = json.load(open(path))["traceEvents"]
    >>> any(event["name"].startswith("cuLaunchKernel") for event in events)
    True
    """
    _driver.start_trace()
    try:
        yield
    finally:
        _driver.stop_trace(os.fspath(path))


def record_whole_program():
    """Record what the environment requests, until the process ends: a timeline, if PYCUDA_TRACE names a file, and allocations."""
    if os.environ.get("PYCUDA_RECORD_ALLOCATIONS", "0") not in ("", "0"):
        record_allocations()
    path = _driver.trace_file()
    if path:
        _driver.start_trace()
        atexit.register(_driver.stop_trace, path)


def record_allocations(on=True):
    """Record which line of the program allocates memory, for `memory_report`.

    Arrays, page-locked memory, CUDA arrays, textures, modules and streams are recorded too. The CPU device's reports of bad accesses then say which
    lines allocated and freed the memory. ``PYCUDA_RECORD_ALLOCATIONS=1`` records from the start. While it is on, an allocation, and its end, take
    one to two microseconds longer.

    Parameters
    ----------
    on : bool, optional
        False to stop, and to forget what was recorded.

    Examples
    --------
    >>> from pycuda.tools import memory_report, record_allocations
    >>> record_allocations()
    >>> a = gpuarray.zeros(1000, np.float32)
    >>> largest = memory_report().allocations[0]
    >>> largest.bytes
    4000
    >>> record_allocations(False)
    """
    _driver._record_allocations(on)


@dataclasses.dataclass(frozen=True)
class Allocations:
    """Live objects of one kind that one line of the program created."""

    kind: str
    place: str
    count: int
    bytes: int


class MemoryReport:
    """What is alive: `objects` (numbers by kind), `allocations` (recorded ones, by kind and place), and of the current context `pool` and
    `device` (bytes); ``print`` it for a table.
    """

    def __init__(self, objects, allocations, pool, device):
        self.objects, self.allocations, self.pool, self.device = objects, allocations, pool, device

    def __str__(self):
        parts = {
            "live objects": [(count, kind) for kind, count in self.objects.items()],
            "bytes of memory": [(count, name) for name, count in (self.pool | self.device).items()],
            "bytes by line of the program": [(row.bytes, f"{row.kind} ({row.count:,}), {row.place or 'unknown place'}") for row in self.allocations],
        }
        texts = ("\n".join([title, *(f"{count:>16,}  {name}" for count, name in rows)]) for title, rows in parts.items() if rows)
        return "\n".join(texts) or "no live objects"

    __repr__ = __str__


def memory_report():
    """Report which objects are alive, and what the current context's memory holds.

    Returns
    -------
    MemoryReport
        `objects`: numbers of live objects by kind, largest first. `allocations`: what was allocated since `record_allocations` and is alive,
        each with its `kind`, `place`, `count` and `bytes`, largest first. `pool`: bytes that the pool of arrays holds and that are in use.
        `device`: used and total bytes of the device. Without a current context the last two are empty.

    Raises
    ------
    LogicError
        CUDA is not initialised.

    Examples
    --------
    >>> from pycuda.tools import memory_report
    >>> a = gpuarray.zeros(1000, np.float32)
    >>> memory_report().pool["in use by arrays"] >= 4000
    True
    """
    objects = {kind: count for kind, _, count, _ in _driver._live_objects(False)}
    allocations = [Allocations(*row) for row in _driver._live_objects(True)]
    if _driver.Context.get_current() is None:
        return MemoryReport(objects, allocations, {}, {})
    pool = _driver.DeviceMemoryPool.of_current_context()
    free, total = _driver.mem_get_info()
    return MemoryReport(objects, allocations, {"in use by arrays": pool.active_bytes, "held by their pool": pool.managed_bytes},
                        {"in use on the device": total - free, "of the device": total})
