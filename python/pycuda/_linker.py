"""pycuda.driver.Linker."""

import os as _os

from pycuda import _driver


class Linker:
    """Links relocatable device code into a module; :class:`pycuda.compiler.DynamicModule` also compiles.

    message_handler -- called as message_handler(linked, info, errors) by :meth:`link_module`, with what the linker said
    options -- list of (:class:`pycuda.driver.jit_option`, value) pairs
    log_verbose -- ask the linker for its full log

    It works in the context that is current when it is created.
    """

    def __init__(self, message_handler=None, options=None, log_verbose=False):
        if message_handler is not None and not callable(message_handler):
            raise TypeError(f"message_handler must be callable or None, not {type(message_handler).__name__}")
        self._message_handler = message_handler
        self._core = _driver._make_linker(list(options or []), bool(log_verbose))

    def add_data(self, data, input_type, name="unknown"):
        """Adds code from memory. `input_type`: a :class:`pycuda.driver.jit_input_type`; `name` is for messages."""
        self._unlinked().add_data(data, input_type, name)

    def add_file(self, filename, input_type):
        """Adds a file. `input_type`: a :class:`pycuda.driver.jit_input_type`."""
        self._unlinked().add_file(_os.fspath(filename), input_type)

    def link_module(self):
        """Links all and returns the :class:`pycuda.driver.Module`. Nothing can be added or linked after."""
        core = self._unlinked()
        linked = False
        try:
            image = core.complete()
            linked = True
        finally:
            if self._message_handler is not None:
                self._message_handler(linked, core._info_log(), core._error_log())
        module = _driver.module_from_buffer(image)
        self._core = None
        return module

    def _unlinked(self):
        if self._core is None:
            raise _driver.LogicError("Linker failed: the module is already linked; create another one to add or link more")
        return self._core
