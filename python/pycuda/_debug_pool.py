"""A memory pool that reports requests."""

import sys
import threading
import traceback

from pycuda import _driver

__all__ = ["DebugMemoryPool"]


class DebugMemoryPool(_driver.DeviceMemoryPool):
    """A `DeviceMemoryPool` that reports each allocation: what was requested, where, and what is alive.

    Parameters
    ----------
    interactive : bool, optional
        Whether to ask for a name of each new place that allocates, and to wait for Enter at each allocation.
    logfile : object, optional
        File object to write to; None: standard output.
    """

    def __init__(self, interactive=True, logfile=None):
        super().__init__()
        self.interactive = interactive
        self.logfile = logfile
        self.names = {}
        self.live = _Live()

    def describe(self, stack, size):
        """Return the text for an allocation.

        Parameters
        ----------
        stack : tuple of tuples
            Tuples (file, line, function), the innermost last.
        size : int
            Size in bytes.

        Returns
        -------
        str
            The text.
        """
        if stack not in self.names:
            text = " <- ".join(f"{function} ({file}:{line})" for file, line, function in reversed(stack))
            if self.interactive:
                print(f"new allocation of {size} bytes: {text}", file=self._out)
                text = input("its name (Enter keeps the above): ") or text
            self.names[stack] = text
        return f"{self.names[stack]}: {size} bytes"

    @property
    def _out(self):
        return sys.stdout if self.logfile is None else self.logfile

    def allocate(self, size):
        """Allocate memory and report it.

        Parameters
        ----------
        size : int
            Size in bytes.

        Returns
        -------
        object
            The memory.

        Raises
        ------
        MemoryError
            @too_little_memory
        """
        stack = tuple((frame.filename, frame.lineno, frame.name) for frame in traceback.extract_stack()[:-1])
        description = self.describe(stack[-4:], size)
        memory = _LoggedAllocation(super().allocate(size), self.live, description)
        free, total = _driver.mem_get_info()
        print(f"allocated {size} bytes; {free} of {total} are free on the device; the pool has {self.active_blocks} active and "
              f"{self.held_blocks} held blocks", file=self._out)
        for text, count in self.live.most_common():
            print(f"  {count} x {text}", file=self._out)
        if self.interactive:
            input("Press Enter to continue: ")
        return memory


class _Live:
    """How many allocations of each description there are. The collector may end some at any moment, on any thread."""

    def __init__(self):
        self._counts, self._lock = {}, threading.RLock()

    def add(self, description, number):
        with self._lock:
            self._counts[description] = self._counts.get(description, 0) + number

    def most_common(self):
        """The live blocks by place, the most frequent first."""
        return sorted(((text, count) for text, count in self._counts.copy().items() if count), key=lambda item: -item[1])


class _LoggedAllocation(_driver.PointerHolderBase):
    """A pooled allocation that is counted while it lives."""

    def __init__(self, memory, live, description):
        super().__init__()
        self._memory, self._live, self._description = memory, live, description
        live.add(description, 1)

    def get_pointer(self):
        return int(self._memory)

    def __len__(self):
        return len(self._memory)

    def free(self):
        """Give the memory back to the pool now."""
        self._memory.free()
        self._forget()

    def _forget(self):
        if self._description is not None:
            self._live.add(self._description, -1)
            self._description = None

    def __del__(self):
        self._forget()
