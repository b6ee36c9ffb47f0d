"""What autoinit and autoprimaryctx share: the end of their contexts."""

import atexit
import os
import sys

import pycuda.driver as cuda
from pycuda._memoize import clear_context_caches

__all__ = ["pop_at_exit"]


def _wait_for_work():
    """Wait as the end of a context does, but for Ctrl-C, too. Print the failure of a kernel that the program has not been told of."""
    is_known = cuda.LaunchError._was_raised
    try:
        cuda.Context.synchronize()
    except cuda.LaunchError as error:
        if not is_known:
            print(f"pycuda: {error}", file=sys.stderr)
    except cuda.Error:
        pass  # such as an open capture


def pop_at_exit(namespace):
    """At exit pop namespace["context"], unless the program did, and release it and its caches."""
    owner = os.getpid()

    def finish():
        if os.getpid() != owner:
            return  # a forked process has no driver: its parent ends the context
        context = namespace["context"]
        namespace["context"] = None
        clear_context_caches()
        if context is not None and cuda.Context.get_current() == context:
            try:
                _wait_for_work()
            finally:
                context.pop()

    atexit.register(finish)
