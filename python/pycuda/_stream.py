"""The Python side of Stream and Event: blocks of code, and waiting in asyncio."""

import asyncio
import contextlib

from pycuda import _native

__all__ = ["StreamMixin", "EventMixin"]

#: Seconds between checks of work that may have failed: after a fault the driver calls no callbacks.
_LOOK = 1.0


def _wake(loop, reached):
    with contextlib.suppress(RuntimeError):  # the event loop was closed
        loop.call_soon_threadsafe(reached.set)


async def _until_done(stream, is_done):
    """Returns when `stream` has completed its present work. Raises what is_done() raises if that failed."""
    if is_done():
        return
    loop, reached = asyncio.get_running_loop(), asyncio.Event()
    stream.add_callback(lambda: _wake(loop, reached))
    while not reached.is_set():
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(reached.wait(), _LOOK)
        is_done()


class StreamMixin:
    def __cuda_stream__(self):
        """Version and handle, for other libraries."""
        return 0, self.handle

    def get_attribute(self, attribute):
        """Return an attribute of the stream.

        Parameters
        ----------
        attribute : str or launch_attribute
            "access_policy_window", "synchronization_policy", "priority", "mem_sync_domain_map" or "mem_sync_domain".

        Returns
        -------
        int or tuple
            Its value, as for `set_attribute`; the address of a window is an int.

        Raises
        ------
        LogicError
            Streams do not have this attribute.

        Notes
        -----
        Driver call: cuStreamGetAttribute.
        """
        from pycuda import _driver

        return _driver._stream_attribute(self, attribute)

    def set_attribute(self, attribute, value):
        """Set an attribute of the stream for all work that is queued from now on.

        Parameters
        ----------
        attribute : str or launch_attribute
            "access_policy_window", "synchronization_policy", "priority", "mem_sync_domain_map" or "mem_sync_domain".
        value : object
            Its value, as in the attributes of a launch; a tuple if it has several parts. The program keeps the memory of a window.

        Raises
        ------
        LogicError
            Streams do not have this attribute, or the driver refuses the value.
        TypeError
            The value has a wrong type or number of parts.

        Notes
        -----
        Driver call: cuStreamSetAttribute.
        """
        from pycuda import _driver

        _driver._set_stream_attribute(self, attribute, value)

    def __enter__(self):
        """Make it the stream of this thread's array operations, and of their memory. It waits for the work now queued on the one in use before.

        If that one is being captured, this stream takes part in the capture until the end of the block.
        """
        _native.begin_stream_use(self)
        return self

    def __exit__(self, *exception):
        """Wait for the stream; in a capture, the stream in use before waits for it."""
        _native.end_stream_use(self)
        if not _native.is_any_capture_open() or not self.is_capturing():
            self.synchronize()

    def _begin(self, mode, to):
        """Begin a capture, and return its graph."""
        from pycuda import _driver

        if isinstance(mode, str):
            name = mode
            mode = getattr(_driver.capture_mode, name.upper(), None)
            if mode is None:
                raise ValueError(f"a capture's mode is 'thread_local', 'global' or 'relaxed', not {name!r}")
        if to is None:
            return self._begin_capture(mode)
        if not isinstance(to, _driver.Graph):
            raise TypeError(f"a capture adds to a Graph or, with None, to a new one, not to {type(to).__name__}")
        self._begin_capture_to(to, mode)
        return to

    @contextlib.contextmanager
    def capture(self, mode="thread_local", to=None):
        """Capture the stream for a block of code: its work becomes a graph.

        The stream is also that of the array operations in the block.

        Parameters
        ----------
        mode : str or capture_mode, optional
            Which other calls are refused meanwhile: "thread_local", "global" or "relaxed".
        to : Graph, optional
            The graph to add to, such as the body of a condition; None: a new one.

        Returns
        -------
        context manager
            Its value is the graph, which can be used after the block.

        Raises
        ------
        LogicError
            The stream cannot be captured, or a call made the capture invalid.

        Notes
        -----
        Driver call: cuStreamBeginCapture, cuStreamEndCapture; for a graph that has nodes, cuStreamBeginCaptureToGraph.
        """
        from pycuda import _driver

        _native.follow_stream_in_use(self)  # now: no node of a graph can wait for work outside
        graph = self._begin(mode, to)
        try:
            _native.begin_stream_use(self)
            try:
                yield graph
            finally:
                _native.end_stream_use(self)
        except BaseException:
            with contextlib.suppress(_driver.LogicError):  # the pending exception says more
                self.end_capture()
            raise
        self.end_capture()

    def begin_capture(self, mode="thread_local", to=None):
        """Begin a capture, which `end_capture` ends: work that is queued becomes a graph.

        Other streams take part when they wait for an event of this one, and must be joined by another event before the end.

        Parameters
        ----------
        mode : str or capture_mode, optional
            Which other calls are refused meanwhile: "thread_local", "global" or "relaxed".
        to : Graph, optional
            The graph to add to, such as the body of a condition; None: a new one.

        Raises
        ------
        LogicError
            The stream cannot be captured.

        Notes
        -----
        Driver call: cuStreamBeginCapture; for a graph that has nodes, cuStreamBeginCaptureToGraph.
        """
        self._begin(mode, to)

    def __await__(self):
        """Wait in asyncio until everything queued so far is done."""
        return _until_done(self, self.is_done).__await__()


class EventMixin:
    def __await__(self):
        """Wait in asyncio until the event is reached. Gives the event."""
        return self._until_reached().__await__()

    async def _until_reached(self):
        from pycuda import _driver

        if not self.query():
            stream = _driver.Stream(_driver.stream_flags.NON_BLOCKING)
            stream.wait_for_event(self)
            await _until_done(stream, self.query)
        return self
