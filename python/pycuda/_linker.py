"""pycuda.driver.Linker."""

import os as _os

from pycuda import _driver


class Linker:
    """Link relocatable device code into a module, in the context current at creation.

    `pycuda.compiler.DynamicModule` also compiles.

    Parameters
    ----------
    message_handler : callable, optional
        Called by `link_module` with (success, info, error): what the linker reported.
    options : iterable of pairs, optional
        Pairs of `jit_option` and value.
    log_verbose : bool, optional
        Whether to ask the linker for its full log.

    Raises
    ------
    TypeError
        `message_handler` cannot be called.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuLinkCreate.
    """

    def __init__(self, message_handler=None, options=None, log_verbose=False):
        if message_handler is not None and not callable(message_handler):
            raise TypeError(f"message_handler must be callable or None, not {type(message_handler).__name__}")
        self._message_handler = message_handler
        self._core = _driver._make_linker(list(options or []), bool(log_verbose))

    def add_data(self, data, input_type, name="unknown"):
        """Add code from memory.

        Parameters
        ----------
        data : buffer or str
            PTX, cubin, fatbin, object or library.
        input_type : int
            A `jit_input_type`.
        name : str, optional
            Name for messages.

        Raises
        ------
        LogicError
            The module is linked already.
        """
        self._unlinked().add_data(data, input_type, name)

    def add_file(self, filename, input_type):
        """Add code from a file.

        Parameters
        ----------
        filename : str or PathLike[str]
            Path of the file.
        input_type : int
            A `jit_input_type`.

        Raises
        ------
        LogicError
            The module is linked already.
        """
        self._unlinked().add_file(_os.fspath(filename), input_type)

    def link_module(self):
        """Link everything and load the result. Nothing can be added afterwards.

        Returns
        -------
        Module
            The module.

        Raises
        ------
        LogicError
            The linker rejects the code, or the module is linked already.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLinkAddData, cuLinkAddFile, cuLinkComplete, cuModuleLoadDataEx.
        """
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
