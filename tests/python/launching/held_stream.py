"""Work in a stream that does not start until the test says so."""

import threading

import pycuda.driver as drv


class Held:
    """A stream that is blocked until it is opened."""

    def __init__(self):
        self.stream, self.gate = drv.Stream(), threading.Event()
        self.stream.add_callback(self.gate.wait)

    def open(self):
        self.gate.set()
        self.stream.synchronize()
