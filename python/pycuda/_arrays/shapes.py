"""Arrays of other shapes: broadcast, repeated, moved."""

import numpy as np

from pycuda._arrays import operations as _operations

__all__ = ["broadcast_to"]


def broadcast_to(a, shape):
    """A view of the array in a shape that it broadcasts to. ValueError where it does not."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if np.broadcast_shapes(a.shape, shape) != shape:
        raise ValueError(f"an array of shape {a.shape} does not broadcast to {shape}")
    if shape == a.shape:
        return a
    added = len(shape) - a.ndim
    strides = [0] * added + [0 if length == 1 != wanted else stride for length, wanted, stride in zip(a.shape, shape[added:], a.strides)]
    return _operations.strided(a, shape, strides, a.dtype)
