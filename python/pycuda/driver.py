"""Use CUDA devices from Python.

Everything of the native module under its public name, and what is easier said in Python: NumPy arrays to and from the device,
and kernel arguments that copy themselves.
"""

import warnings as _warnings

import numpy as _np

from pycuda import _dlpack, _driver  # noqa: F401  (the first gives memory its __dlpack__)
from pycuda._driver import *  # noqa: F401,F403
from pycuda._driver import (  # star-imports leave these out, or they are used below
    CompileError, Error, LaunchError, LogicError, MemoryError, RuntimeError,  # noqa: F401
    mem_alloc, memcpy_dtoh, memcpy_htod,
)
from pycuda._host_memory import *  # noqa: F401,F403

#: A deprecated name.
HostAllocation = _driver.PagelockedHostAllocation

#: True after set_debugging(): the compiler layer then keeps its output and adds debug information.
CUDA_DEBUGGING = False


def set_debugging(flag=True):
    """Switch compilation for debuggers on or off."""
    global CUDA_DEBUGGING
    CUDA_DEBUGGING = flag


def init(flags=0):
    """Initialize CUDA. Must come before everything else here; see also pycuda.autoinit.

    Without a usable GPU the CPU device takes its place and says so in one UserWarning (PYCUDA_DRIVER=cuda|cpu picks for good).
    """
    _driver.init(flags)
    notice = _driver.take_fallback_notice()
    if notice:
        _warnings.warn(notice, UserWarning, stacklevel=2)


# ---- kernel arguments that copy themselves


class ArgumentHandler:
    """A kernel argument with a device copy of `array`. Subclasses say what is copied before and after the kernel."""

    def __init__(self, array):
        self.array = array
        self.dev_alloc = None

    def get_device_alloc(self):
        """The device memory that the kernel is given: from the context's pool, kept while it is large enough."""
        nbytes = _nbytes(self.array)
        if not _driver._can_hold(self.dev_alloc, nbytes):
            self.dev_alloc = _driver._pooled(nbytes)
        return self.dev_alloc

    def pre_call(self, stream):
        """Called before the launch."""

    def post_call(self, stream):
        """Called after the launch."""


# A launch does what these methods do without calling them; subclasses do.


class In(ArgumentHandler):
    """Copied to the device before the kernel.

    On a stream, memory that is page-locked, registered or managed is read when the stream gets there: change it after that.
    """

    def pre_call(self, stream):
        _driver._copy_in(self.get_device_alloc(), self.array, stream)


class Out(ArgumentHandler):
    """Copied from the device after the kernel; on a stream, done when the stream is."""

    def post_call(self, stream):
        _driver._copy_out(self.array, self.get_device_alloc(), stream)


class InOut(In, Out):
    """Copied to the device before the kernel and back after it."""


_driver._native.register_argument_handlers((ArgumentHandler, In, Out, InOut))


# ---- NumPy


def mem_alloc_like(ary):
    """Device memory of the size of `ary`."""
    return mem_alloc(_nbytes(ary))


def _nbytes(buffer):
    nbytes = getattr(buffer, "nbytes", None)
    return memoryview(buffer).nbytes if nbytes is None else nbytes


def to_device(buffer):
    """A DeviceAllocation with a copy of `buffer`."""
    result = mem_alloc(_nbytes(buffer))
    memcpy_htod(result, buffer)
    return result


def from_device(devptr, shape, dtype, order="C"):
    """A new numpy.ndarray of this shape, dtype and order with the data at `devptr`."""
    result = _np.empty(shape, dtype, order)
    memcpy_dtoh(result, devptr)
    return result


def from_device_like(devptr, other_ary):
    """A new numpy.ndarray like `other_ary` with the data at `devptr`."""
    result = _np.empty_like(other_ary)
    memcpy_dtoh(result, devptr)
    return result


# After the functions above: star-imports of pycuda.driver have these too.
from pycuda._texture_arrays import (  # noqa: E402,F401
    bind_array_to_texref, dtype_to_array_format, gpuarray_to_array, make_multichannel_2d_array, matrix_to_array,
    matrix_to_texref, np_to_array,
)
