"""IPython's cell magic ``%%cuda``."""

import re

__all__ = ["register"]

_KERNEL = re.compile(r"__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(")
_OPTIONS = re.compile(r"\s*(-\S+)")


def _require_context():
    from pycuda.driver import Context, init

    init()
    if Context.get_current() is None:
        import pycuda.autoinit  # noqa: F401


def _time(expression, namespace):
    """Evaluate a launch and return the milliseconds that the device took."""
    from pycuda.driver import Event

    start, end = Event(), Event()
    start.record()
    eval(expression, namespace)
    end.record().synchronize()
    return start.time_till(end)


def cuda(line, cell, namespace):
    """Compile CUDA C++, make its kernels available in the notebook, and run and time a call.

    Usage: ``%%cuda [OPTION...] [CALL]``. Options of the compiler come first, such as ``-lineinfo``. The call is any Python expression, such as
    ``twice(drv.InOut(x), block=(256, 1, 1))``; it sees the names of the notebook and the new kernels. Its time on the device is printed.
    """
    from pycuda.compiler import SourceModule

    _require_context()
    options = []
    while option := _OPTIONS.match(line):
        options.append(option[1])
        line = line[option.end():]
    module = SourceModule(cell, options=options or None)
    for name in dict.fromkeys(_KERNEL.findall(cell)):
        namespace[name] = module.get_function(name)
    if line.strip():
        print(f"{line.strip()}: {_time(line.strip(), namespace):.3f} ms")


def register(ipython):
    """Add the magic to an IPython shell."""

    def magic(line, cell):
        cuda(line, cell, ipython.user_ns)

    magic.__doc__ = cuda.__doc__  # what %%cuda? shows
    ipython.register_magic_function(magic, "cell", "cuda")
