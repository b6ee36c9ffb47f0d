"""Tools around the driver: choosing a device and its limits, C types, memoisation per context, timelines, tests."""

import warnings

import numpy as np

import pycuda._arrays.vector_types  # noqa: F401  registers float4 and the other vector types
import pycuda.driver as cuda
from pycuda import _driver
from pycuda._c_arguments import Argument, ScalarArg, VectorArg, get_arg_type, parse_c_arg
from pycuda._debug_pool import DebugMemoryPool
from pycuda._device_data import DeviceData, OccupancyRecord
from pycuda._memoize import clear_context_caches, context_dependent_memoize, context_dependent_memoized_functions
from pycuda._observing import memory_report, record_allocations, trace
from pycuda._testing import init_cuda_context_fixture, mark_cuda_test
from pycuda.compyte import dtypes as _dtypes
from pycuda.compyte.dtypes import get_or_register_dtype, register_dtype
from pycuda.driver import (
    DeviceMemoryPool, PageLockedAllocator, PageLockedMemoryPool, PooledDeviceAllocation, PooledHostAllocation,
)

__all__ = [
    "Argument", "DebugMemoryPool", "DeviceData", "DeviceMemoryPool", "OccupancyRecord", "PageLockedAllocator", "PageLockedMemoryPool", "PooledDeviceAllocation",
    "PooledHostAllocation", "ScalarArg", "VectorArg", "bitlog2", "clear_context_caches", "context_dependent_memoize",
    "context_dependent_memoized_functions", "dtype_to_ctype", "get_arg_type", "get_default_device", "get_or_register_dtype",
    "init_cuda_context_fixture", "make_default_context", "mark_cuda_test", "memory_report", "parse_c_arg", "record_allocations", "register_dtype", "trace",
]

_FP_TEX_NAMES = {np.dtype(np.float32): "fp_tex_float", np.dtype(np.float64): "fp_tex_double",
                 np.dtype(np.complex64): "fp_tex_cfloat", np.dtype(np.complex128): "fp_tex_cdouble"}


def dtype_to_ctype(dtype, with_fp_tex_hack=False):
    """Return the C name of a dtype.

    Parameters
    ----------
    dtype : dtype
        The dtype.
    with_fp_tex_hack : bool, optional
        Whether to use the names of pycuda-helpers.hpp for floating-point and complex types that textures return.

    Returns
    -------
    str
        The C name.

    Raises
    ------
    ValueError
        The dtype has no registered C name.

    Examples
    --------
    >>> from pycuda.tools import dtype_to_ctype
    >>> dtype_to_ctype(np.float32)
    'float'
    """
    if with_fp_tex_hack and dtype is not None:
        name = _FP_TEX_NAMES.get(np.dtype(dtype))
        if name is not None:
            return name
    return _dtypes.dtype_to_ctype(dtype)


def bitlog2(n):
    """Return the largest k with 2**k <= n.

    Parameters
    ----------
    n : int
        A number from 0.

    Returns
    -------
    int
        The logarithm, rounded down; 0 for 0.

    Examples
    --------
    >>> from pycuda.tools import bitlog2
    >>> bitlog2(1000)
    9
    """
    return max(int(n).bit_length() - 1, 0)


def make_default_context(ctx_maker=None):
    """Create a context and make it current, on the device that the user chose or else on the first usable device.

    Call `pycuda.driver.init` first. The choice is ``CUDA_DEVICE`` in the environment, or the number in ~/.cuda_device or ~/.cuda-device.

    Parameters
    ----------
    ctx_maker : callable, optional
        Called with a device, returns a context; None: ``device.make_context()``.

    Returns
    -------
    Context
        The context.

    Raises
    ------
    RuntimeError
        No device gives a context; the message lists the reasons.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuCtxCreate.

    Examples
    --------
    >>> from pycuda.tools import make_default_context
    >>> context = make_default_context()
    >>> context.detach()
    """
    if ctx_maker is None:
        def ctx_maker(dev):
            return dev.make_context()

    count = _driver.devices_to_try()
    chosen = _driver.chosen_device()
    if chosen >= 0:
        return ctx_maker(cuda.Device(chosen))
    reasons = []
    for number in range(count):
        try:
            return ctx_maker(cuda.Device(number))
        except cuda.Error as error:
            reasons.append(f"device {number}: {error}")
    _driver.raise_no_default_context("; ".join(reasons))


def get_default_device(default=0):
    """Return the device that the user chose. Deprecated: use `make_default_context`.

    Parameters
    ----------
    default : int, optional
        Ordinal of the device to use if the user has not chosen one.

    Returns
    -------
    Device
        The device.
    """
    warnings.warn("get_default_device() is deprecated; use make_default_context() instead", DeprecationWarning, stacklevel=2)
    chosen = _driver.chosen_device()
    return cuda.Device(chosen if chosen >= 0 else default)
