"""The standard's inspection functions."""

from pycuda.array_api import _dtypes
from pycuda.array_api._array import check_device, current_device

__all__ = ["__array_namespace_info__"]


class _Info:
    """The results of the inspection functions."""

    def capabilities(self):
        """Return which optional features are supported."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 32}

    def default_device(self):
        """Return the device of the current context."""
        return current_device()

    def devices(self):
        """Return the devices on which arrays can be created: that of the current context."""
        return (current_device(),)

    def default_dtypes(self, *, device=None):
        """Return the default dtypes of new arrays."""
        check_device(device)
        return {"real floating": _dtypes.float64, "complex floating": _dtypes.complex128, "integral": _dtypes.int64, "indexing": _dtypes.int64}

    def dtypes(self, *, device=None, kind=None):
        """Return the dtypes of one or several kinds, by name; all by default."""
        check_device(device)
        kinds = ("bool", "numeric") if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for each in kinds:
            if each not in _dtypes.KINDS:
                raise ValueError(f"expected a kind of {', '.join(map(repr, _dtypes.KINDS))}, given {each!r}")
        return {dtype.name: dtype for each in kinds for dtype in _dtypes.KINDS[each]}


def __array_namespace_info__():
    """Return an object with the inspection functions."""
    return _Info()
