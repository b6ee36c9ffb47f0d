"""Kernels of objects, built once in each context in which they are used."""

import weakref

import pycuda.driver as cuda

__all__ = ["PerContext"]

_all = {}  # id → weak reference; a dict can be copied while other threads add to it


class PerContext:
    """The result of `build()`, which is called at the first `get()` in each context and dropped with the context."""

    def __init__(self, build):
        self._build = build
        self._built = {}
        key = id(self)
        _all[key] = weakref.ref(self, lambda _: _all.pop(key, None))

    def get(self):
        context = cuda.Context.get_current()
        try:
            return self._built[context]
        except KeyError:
            pass  # what the compiler rejects is not raised while this is handled
        return self._built.setdefault(context, self._build())

    def clear(self):
        """Forget all kernels, and release their contexts."""
        self._built.clear()


def clear_all():
    """Drops the kernels of all objects."""
    for reference in list(_all.values()):
        if (cache := reference()) is not None:
            cache.clear()
