"""The exception family of pycuda.driver. The native module raises these classes."""

import builtins

__all__ = ["Error", "LogicError", "MemoryError", "LaunchError", "RuntimeError", "GraphUpdateError", "CompileError"]


class Error(Exception):
    """Base class of all errors of this package.

    ``str()`` reads "cuXxx failed: text", often with a detail.

    Attributes
    ----------
    code
        The driver's result code (a CUresult); 0 if no driver call failed.
    routine
        The driver call that failed, or the function that refused; empty if raised from Python.
    """

    #: The driver's result code (a CUresult); 0 if no driver call caused the error.
    code = 0
    #: The driver call that failed, or the function that rejected its arguments; empty if raised from Python.
    routine = ""


class LogicError(Error):
    """An error in the program that does not depend on the machine, such as using CUDA before ``init``."""


class MemoryError(Error):
    """Device memory or page-locked host memory ran out."""


class LaunchError(Error):
    """A kernel failed. Often a later call than the launch raises it."""

    _was_raised = False  # at the end of the process, it is printed if not

    def __init__(self, *args):
        super().__init__(*args)
        LaunchError._was_raised = True


class RuntimeError(Error, builtins.RuntimeError):
    """Something outside the program failed: no device, a missing file, an outdated driver. It is also Python's RuntimeError."""


class GraphUpdateError(LogicError):
    """An executable graph cannot become another graph, because they differ in more than parameters. The message names the node."""


class CompileError(Error):
    """A source did not compile, or no compiler was found.

    Parameters
    ----------
    msg : str
        What happened.
    command_line : list of str
        The compiler's command line.
    stdout : str, optional
        The compiler's output.
    stderr : str, optional
        The compiler's error output.
    """

    def __init__(self, msg, command_line, stdout=None, stderr=None):
        super().__init__(msg, command_line, stdout, stderr)
        self.msg = msg
        self.command_line = command_line
        self.stdout = stdout
        self.stderr = stderr

    def __str__(self):
        parts = [self.msg]
        if self.command_line:
            parts.append("[command: {}]".format(" ".join(map(str, self.command_line))))
        for label, text in (("stdout", self.stdout), ("stderr", self.stderr)):
            if text and text.strip():
                parts.append(f"[{label}:\n{text.strip()}]")
        return "\n".join(parts)


for _name in __all__:
    globals()[_name].__module__ = "pycuda.driver"
del _name
