"""The Python side of CoreDumps, and of functions that the driver calls."""

__all__ = ["CoreDumpsMixin", "DriverCallbackMixin"]


def _setting(name, text):
    return property(lambda self: getattr(self, f"_{name}")(), lambda self, value: getattr(self, f"_set_{name}")(value), doc=text)


class CoreDumpsMixin:
    enabled = _setting("enabled", "Whether a kernel that fails causes a core dump.")
    file = _setting("file", "Path of the file that core dumps are written to.")
    flags = _setting("flags", "What core dumps contain, and what happens after them: values of `core_dump_flag`, combined (CUDA 12.5).")
    user_trigger = _setting("user_trigger", "Whether writing to `pipe` causes a core dump. Only the process's can be set.")
    pipe = _setting("pipe", "Path of the pipe. Only the process's can be set.")

    def __enter__(self):
        """Return the settings, which the end of the block restores."""
        return self

    def __exit__(self, *exception):
        self.restore()

    @staticmethod
    def on_start(listener):
        """Call a function before the driver collects data for a core dump.

        Parameters
        ----------
        listener : callable
            Called with the process's id and the device's ordinal, on a thread of the driver, which waits for it.

        Returns
        -------
        DriverCallback
            The function is called as long as this object lives, unless it is unregistered.

        Raises
        ------
        RuntimeError
            The driver is older than CUDA 13.2's.

        Notes
        -----
        Driver call: cuCoredumpRegisterStartCallback.
        """
        from pycuda import _driver

        return _driver._on_core_dump(listener, False)

    @staticmethod
    def on_complete(listener):
        """Call a function when a core dump is written.

        Parameters
        ----------
        listener : callable
            Called with the process's id and the device's ordinal, on a thread of the driver, which waits for it.

        Returns
        -------
        DriverCallback
            The function is called as long as this object lives, unless it is unregistered.

        Raises
        ------
        RuntimeError
            The driver is older than CUDA 13.2's.

        Notes
        -----
        Driver call: cuCoredumpRegisterCompleteCallback.
        """
        from pycuda import _driver

        return _driver._on_core_dump(listener, True)


class DriverCallbackMixin:
    def __enter__(self):
        """Return the object; the end of the block unregisters the function."""
        return self

    def __exit__(self, *exception):
        if self.is_registered:
            self.unregister()
