"""Timelines of what a program does, and what it keeps in memory."""

import atexit
import contextlib
import os

from pycuda import _driver

__all__ = ["memory_report", "trace"]

# As the core names the kinds of its handles.
_KINDS = ("context", "stream", "event", "module", "array", "mipmapped array", "texture object", "surface object", "device allocation",
          "pooled memory", "managed allocation", "stream-ordered allocation", "IPC memory handle", "page-locked allocation",
          "registered host memory", "registered OpenGL object", "OpenGL mapping")


@contextlib.contextmanager
def trace(path):
    """Record a timeline of a block of code.

    The file shows driver calls and compilations by thread, kernels, copies and fills by stream, and how much memory the device and each pool use.
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
    """Record until the process ends, if PYCUDA_TRACE names a file."""
    path = _driver.trace_file()
    if path:
        _driver.start_trace()
        atexit.register(_driver.stop_trace, path)


class MemoryReport:
    """What is alive: `objects` (numbers by kind), and of the current context `pool` and `device` (bytes); ``print`` it for a table."""

    def __init__(self, objects, pool, device):
        self.objects, self.pool, self.device = objects, pool, device

    def __str__(self):
        lines = [f"{count:>9,}  {kind}" for kind, count in self.objects.items()]
        lines += [f"{count:>14,}  bytes: {name}" for name, count in (self.pool | self.device).items()]
        return "\n".join(lines) or "nothing is alive"

    __repr__ = __str__


def memory_report():
    """Report which objects are alive, and what the current context's memory holds.

    Returns
    -------
    MemoryReport
        `objects`: numbers of live objects by kind, largest first. `pool`: bytes that the pool of arrays holds and that are in use.
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
    counts = {kind: _driver._live_handles(kind) for kind in _KINDS}
    objects = dict(sorted(((kind, count) for kind, count in counts.items() if count), key=lambda item: -item[1]))
    if _driver.Context.get_current() is None:
        return MemoryReport(objects, {}, {})
    pool = _driver.DeviceMemoryPool.of_current_context()
    free, total = _driver.mem_get_info()
    return MemoryReport(objects, {"in use by arrays": pool.active_bytes, "held by their pool": pool.managed_bytes},
                        {"in use on the device": total - free, "of the device": total})
