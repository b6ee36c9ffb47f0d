"""Searches in ascending elements."""

import functools

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays.copies import in_c_order, packed_copy

__all__ = ["searchsorted"]


@functools.cache
def _kernel(dtype):
    """Where, in ascending numbers, each of others is to be put."""
    from pycuda.elementwise import ElementwiseKernel
    from pycuda.tools import dtype_to_ctype

    number = dtype_to_ctype(dtype)
    is_less = "a < b || (b != b && a == a)" if dtype.kind == "f" else "a < b"  # NaN comes last
    return ElementwiseKernel(
        f"long long *place, {number} *wanted, {number} *ordered, long long count, int right",
        "long long low = 0, high = count; while (low < high) { long long middle = low + (high - low) / 2; "
        "if (right ? !is_less(wanted[i], ordered[middle]) : is_less(ordered[middle], wanted[i])) low = middle + 1; else high = middle; } place[i] = low;",
        "searchsorted", preamble=f"__device__ bool is_less({number} a, {number} b) {{ return {is_less}; }}")


def searchsorted(ordered, wanted, side="left"):
    """The places, int64, at which elements go into others of the same dtype, which are ascending and of one axis."""
    if side not in ("left", "right"):
        raise ValueError(f"expected side 'left' or 'right', given {side!r}")
    if ordered.ndim != 1:
        raise ValueError(f"searchsorted: expected an array of one axis, given {ordered.ndim}")
    result = _operations.new_array(wanted.shape, np.int64)
    if not wanted.size:
        return result
    if not ordered.size:
        return result.fill(0)
    work = {np.dtype(np.bool_): np.dtype(np.uint8), np.dtype(np.float16): np.dtype(np.float32)}.get(ordered.dtype, ordered.dtype)
    ordered, wanted = (x if x.dtype == work else _operations.operate("copy", x, type=work) for x in (ordered, wanted))
    ordered = ordered if ordered.flags.c_contiguous else packed_copy(ordered)
    _kernel(work)(in_c_order(result), in_c_order(wanted), ordered, np.int64(ordered.size), np.int32(side == "right"))
    return result
