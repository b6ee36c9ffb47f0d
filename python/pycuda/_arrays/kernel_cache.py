"""Kernels that belong to objects and are built once in each context that they are used in."""

import weakref

import pycuda.driver as cuda

__all__ = ["PerContext"]

_all = weakref.WeakSet()


class PerContext:
    """What `build()` gives, built at the first `get()` in each context and forgotten when that context is."""

    def __init__(self, build):
        self._build = build
        self._built = {}
        _all.add(self)

    def get(self):
        context = cuda.Context.get_current()
        try:
            return self._built[context]
        except KeyError:
            result = self._built[context] = self._build()
            return result

    def clear(self):
        """Forgets all, and lets contexts go."""
        self._built.clear()


def clear_all():
    """Forgets what every object has built."""
    for cache in list(_all):
        cache.clear()
