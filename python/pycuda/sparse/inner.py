"""Inner products whose results come to the host while the device goes on."""

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.tools import context_dependent_memoize

__all__ = ["AsyncInnerProduct", "get_stream"]


@context_dependent_memoize
def _idle_streams():
    return []


def get_stream():
    """A stream of the current context: one that an AsyncInnerProduct has done with, else a new one."""
    idle = _idle_streams()
    return idle.pop() if idle else drv.Stream(drv.stream_flags.NON_BLOCKING)


class AsyncInnerProduct:
    """The sum of products of two vectors, without conjugation, on its way to the host. Keep it until the result is there.

    pagelocked_allocator: given shape and dtype, gives page-locked memory, pagelocked_empty for one.
    gpu_result: the same as a 0-d array on the device.
    """

    def __init__(self, a, b, pagelocked_allocator):
        self.gpu_result = gpuarray.dot(a, b)
        self._host = pagelocked_allocator((), self.gpu_result.dtype)
        self._done = False
        computed = drv.Event(drv.event_flags.DISABLE_TIMING).record()
        self._idle = _idle_streams()
        self._stream = get_stream()
        self._stream.wait_for_event(computed)
        self.gpu_result.get_async(self._stream, self._host)

    def get_host_result(self):
        """The product, or None while it is not there yet. Never waits."""
        if not self._done:
            if not self._stream.is_done():
                return None
            self._done = True
            self._idle.append(self._stream)
            self._stream = None
        return self._host[()]

    def wait(self):
        """The product, when it is there."""
        if not self._done:
            self._stream.synchronize()
        return self.get_host_result()
