"""The Python side of Memcpy2D, Memcpy3D and Memcpy3DPeer, which are callable."""

__all__ = ["Memcpy2DMixin", "Memcpy3DMixin"]


def _is_stream(argument):
    return hasattr(argument, "__cuda_stream__")


class Memcpy2DMixin:
    def __call__(self, aligned=True):
        """Copy and wait; `aligned=False` takes any pitch within the device. With a stream instead: copy in its order."""
        if _is_stream(aligned):
            self._execute_async(aligned)
        else:
            self._execute(bool(aligned))


class Memcpy3DMixin:
    def __call__(self, stream=None):
        """Copy and wait. With a stream: copy in its order."""
        if stream is None:
            self._execute()
        elif _is_stream(stream):
            self._execute_async(stream)
        else:
            raise TypeError(f"expected a stream or None, not {type(stream).__name__}")
