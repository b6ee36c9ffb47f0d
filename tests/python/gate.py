"""Work in a stream that does not begin until the test allows it."""

import faulthandler
import sys
import threading

import pycuda.driver as drv


class Gate:
    """A stream, and a host function in it that returns when the gate is opened, or after a minute: a test whose thread waits for the stream
    then fails, and does not hang. NVIDIA's driver loads no code behind it: close it late. If memory is freed meanwhile, on any thread, other
    threads' calls may wait for the gate too: a test that cannot exclude that lets the gate open by itself after `patience` seconds."""

    def __init__(self, stream=None, patience=None):
        self.stream, self._opened, self._patience = stream or drv.Stream(), threading.Event(), patience

    def close(self):
        self.stream.add_callback(self._wait)
        return self

    def _wait(self):
        if not self._opened.wait(self._patience or 60) and not self._patience:  # some thread waits for the held stream: which one, and where?
            faulthandler.dump_traceback(sys.__stderr__)

    def open(self):
        self._opened.set()
        self.stream.synchronize()
