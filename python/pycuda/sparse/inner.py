"""Inner products whose results are copied to the host while the device continues."""

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.tools import context_dependent_memoize

__all__ = ["AsyncInnerProduct", "get_stream"]


@context_dependent_memoize
def _idle_streams():
    return []


def get_stream():
    """Return a stream of the current context: an idle one of an `AsyncInnerProduct`, else a new one.

    Returns
    -------
    Stream
        The stream.
    """
    idle = _idle_streams()
    return idle.pop() if idle else drv.Stream(drv.stream_flags.NON_BLOCKING)


class AsyncInnerProduct:
    """The sum of products of two vectors, without conjugation, copied to the host asynchronously.

    Keep the object until the result has arrived. `gpu_result` is the same sum as a 0-d array on the device.

    Parameters
    ----------
    a : GPUArray
        The first vector.
    b : GPUArray
        The second vector.
    pagelocked_allocator : callable
        Called with shape and dtype, returns page-locked memory, such as `pagelocked_empty`.
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
        """Return the sum, or None if it has not arrived. Never waits.

        Returns
        -------
        number
            The sum, or None.
        """
        if not self._done:
            if not self._stream.is_done():
                return None
            self._done = True
            self._idle.append(self._stream)
            self._stream = None
        return self._host[()]

    def wait(self):
        """Wait for the sum and return it.

        Returns
        -------
        number
            The sum.
        """
        if not self._done:
            self._stream.synchronize()
        return self.get_host_result()
