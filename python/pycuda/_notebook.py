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
    """Compile a cell, put its kernels into the namespace, and run and time the call on its first line, if there is one."""
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
    ipython.register_magic_function(lambda line, cell: cuda(line, cell, ipython.user_ns), "cell", "cuda")
