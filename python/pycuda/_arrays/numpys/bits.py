"""Bits packed into bytes, along an axis."""

import operator

import numpy as np

from pycuda._arrays import reductions as _reductions
from pycuda._arrays.axes import normalise_axis
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.registry import implements

__all__ = []


def _shifts(bitorder, like):
    """The shift of each of eight bits."""
    if not isinstance(bitorder, str):
        raise TypeError(f"expected bitorder 'little' or 'big', given {bitorder!r}")
    if bitorder not in ("big", "little"):
        raise ValueError(f"'order' must be either 'little' or 'big', given bitorder={bitorder!r}")
    shifts = exact.arange(8, like, np.uint8)
    return shifts[::-1] if bitorder == "big" else shifts


def _at_the_end(a, axis):
    """The array with an axis at the end, and the number of the axis; for None, the elements in one dimension."""
    a, axis = (exact.flat(a), 0) if axis is None or not a.ndim else (a, normalise_axis(axis, a.ndim))
    return np.moveaxis(a, axis, -1), axis


@implements("packbits")
def _packbits(a, /, axis=None, bitorder="big"):
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    shifts = _shifts(bitorder, a)
    a, axis = _at_the_end(a, axis)
    length = -(-a.shape[-1] // 8)
    bits = exact.zeros((*a.shape[:-1], 8 * length), np.uint8, a)
    if a.size:
        bits[..., :a.shape[-1]] = exact.truth(a)
    packed = _reductions.sum(exact.left_shift(exact.shaped(bits, (*a.shape[:-1], length, 8)), shifts), dtype=np.uint8, axis=-1)
    return np.moveaxis(packed, -1, axis)


@implements("unpackbits")
def _unpackbits(a, /, axis=None, count=None, bitorder="big"):
    if a.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    shifts = _shifts(bitorder, a)
    a, axis = _at_the_end(a, axis)
    bits = exact.bitwise_and(exact.right_shift(a[..., None], shifts), 1)
    length = 8 * a.shape[-1]
    bits = exact.shaped(bits, (*a.shape[:-1], length))
    wanted = length if count is None else operator.index(count)
    if wanted < 0:
        if wanted < -length:
            raise ValueError(f"-count larger than number of elements, given count={count}")
        wanted += length
    result = bits[..., :wanted]
    if wanted > length:
        result = exact.zeros((*a.shape[:-1], wanted), np.uint8, a)
        if bits.size:
            result[..., :length] = bits
    return np.moveaxis(result, -1, axis)
