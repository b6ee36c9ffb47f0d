"""``python -m pycuda --benchmark``: how long frequent calls take on this machine, on one line for a report."""

import platform
import statistics
import time

__all__ = ["line"]

_BURSTS, _CALLS, _ELEMENTS = 7, 200, 1024
_KERNEL = "__global__ void nothing(float *x, const float *y, const float *z, int n) {}"


def _microseconds(call, synchronize):
    """Return the median time of a call in bursts, without what the device does afterwards."""
    times = []
    for _ in range(_BURSTS + 1):  # the first one warms up
        start = time.perf_counter()
        for _ in range(_CALLS):
            call()
        times.append((time.perf_counter() - start) / _CALLS * 1e6)
        synchronize()
    return statistics.median(times[1:])


def line():
    """Measure a launch, a copy and an array operation on the first device; return the line."""
    import numpy as np

    import pycuda
    import pycuda.driver as drv
    from pycuda import gpuarray
    from pycuda.compiler import SourceModule
    from pycuda.tools import make_default_context

    drv.init()
    context = make_default_context()
    try:
        nothing = SourceModule(_KERNEL).get_function("nothing")
        a, b = (gpuarray.zeros(_ELEMENTS, np.float32) for _ in range(2))
        host, n = np.zeros(400, np.float32), np.int32(_ELEMENTS)
        found = [
            ("launch", _microseconds(lambda: nothing(a, a, b, n, block=(1, 1, 1)), context.synchronize)),
            (f"copy of {host.nbytes:,} bytes", _microseconds(lambda: drv.memcpy_htod(a.gpudata, host), context.synchronize)),
            (f"a + b of {_ELEMENTS:,} floats", _microseconds(lambda: a + b, context.synchronize))]
        device = context.get_device().name()
    finally:
        context.pop()
        context.detach()
    version = drv.get_driver_version()
    return (f"benchmark: {', '.join(f'{name} {microseconds:.2f} us' for name, microseconds in found)}; {device}, "
            f"CUDA {version // 1000}.{version % 1000 // 10}, Python {platform.python_version()}, pycuda {pycuda.VERSION_TEXT}")
