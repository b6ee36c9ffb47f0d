"""Work in a stream that does not begin until the test allows it."""

import faulthandler
import sys
import threading

import pycuda.driver as drv


class Gate:
    """A stream, and a host function in it that returns when the gate is opened, or after a minute: a test whose thread waits for the stream
    then fails, and does not hang. NVIDIA's driver loads no code behind it: close it late."""

    def __init__(self, stream=None):
        self.stream, self._opened = stream or drv.Stream(), threading.Event()

    def close(self):
        self.stream.add_callback(self._wait)
        return self

    def _wait(self):
        if not self._opened.wait(60):  # some thread waits for the held stream: which one, and where?
            faulthandler.dump_traceback(sys.__stderr__)

    def open(self):
        self._opened.set()
        self.stream.synchronize()
