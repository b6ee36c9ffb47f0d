"""What autoinit and autoprimaryctx share: the end of their contexts."""

import atexit
import contextlib
import os

import pycuda.driver as cuda
from pycuda._memoize import clear_context_caches

__all__ = ["pop_at_exit"]


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
                with contextlib.suppress(cuda.Error):
                    cuda.Context.synchronize()  # ending the context waits too, but Ctrl-C cannot interrupt that
            finally:
                context.pop()

    atexit.register(finish)
