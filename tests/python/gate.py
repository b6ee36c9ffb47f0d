"""Work in a stream that does not begin before the test says so."""

import threading

import pycuda.driver as drv


class Gate:
    """A stream, and a host function in it that returns when the gate is opened. NVIDIA's driver loads no code behind it: close it late."""

    def __init__(self, stream=None):
        self.stream, self._opened = stream or drv.Stream(), threading.Event()

    def close(self):
        self.stream.add_callback(self._opened.wait)
        return self

    def open(self):
        self._opened.set()
        self.stream.synchronize()
