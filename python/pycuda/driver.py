"""Use CUDA devices from Python.

Exports the native module's public names, and adds what is easier to write in Python: NumPy arrays to and from the device, and kernel
arguments that copy themselves.
"""

import warnings as _warnings

import numpy as _np

from pycuda import _driver
from pycuda._dlpack import give_memory_its_exports as _give_memory_its_exports
from pycuda._driver import *  # noqa: F401,F403
from pycuda._driver import (  # star-imports leave these out, or they are used below
    CompileError, Error, LaunchError, LogicError, MemoryError, RuntimeError,  # noqa: F401
    mem_alloc, memcpy_dtoh, memcpy_htod,
)
from pycuda._host_memory import *  # noqa: F401,F403
from pycuda._linker import Linker  # noqa: F401
from pycuda._observing import record_whole_program as _record_whole_program

_record_whole_program()
_give_memory_its_exports()

#: Deprecated names.
HostAllocation = _driver.PagelockedHostAllocation
py_memcpy_htoa = _driver.memcpy_htoa
py_memcpy_atoh = _driver.memcpy_atoh

#: True after set_debugging(): the compiler layer then keeps its output and adds debug information.
CUDA_DEBUGGING = False


def set_debugging(flag=True):
    """Switch debugging on or off: `pycuda.compiler` then adds debug information and keeps its output.

    Parameters
    ----------
    flag : bool, optional
        True to switch it on.
    """
    global CUDA_DEBUGGING
    CUDA_DEBUGGING = flag


def init(flags=0):
    """Initialise CUDA.

    Call it first, or import `pycuda.autoinit`. Without a usable GPU it selects the CPU device, with one UserWarning. ``PYCUDA_DRIVER=cuda`` or
    ``cpu`` selects the driver explicitly. A second call is a no-op. If it fails, nothing changes and the next call tries again.

    Parameters
    ----------
    flags : int, optional
        Reserved; must be 0.

    Raises
    ------
    RuntimeError
        ``PYCUDA_DRIVER=cuda`` and the driver cannot be used; the message names what is missing.
    LogicError
        ``PYCUDA_DRIVER`` has an unknown value.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuInit.

    Examples
    --------
    >>> drv.init()
    """
    _driver.init(flags)
    notice = _driver.take_fallback_notice()
    if notice:
        _warnings.warn(notice, UserWarning, stacklevel=2)


# ---- kernel arguments that copy themselves


class ArgumentHandler(_driver._native.ArgumentHandlerBase):
    """A kernel argument with a device copy of a host array. Subclasses define what is copied.

    Parameters
    ----------
    array : object
        A C- or Fortran-contiguous buffer.
    """

    def __getstate__(self):
        return {**self.__dict__, "array": self.array, "dev_alloc": self.dev_alloc}

    def __setstate__(self, state):
        for name, value in state.items():
            setattr(self, name, value)

    def get_device_alloc(self):
        """Return the device memory that the kernel gets, from the context's pool.

        Returns
        -------
        object
            The memory, kept while it is large enough.

        Raises
        ------
        MemoryError
            @too_little_memory
        """
        nbytes = _nbytes(self.array)
        if not _driver._can_hold(self.dev_alloc, nbytes):
            self.dev_alloc = _driver._pooled(nbytes)
        return self.dev_alloc

    def pre_call(self, stream):
        """Copy what the kernel reads. Called before the launch.

        Parameters
        ----------
        stream : Stream
            The launch's stream.
        """

    def post_call(self, stream):
        """Copy what the kernel wrote. Called after the launch.

        Parameters
        ----------
        stream : Stream
            The launch's stream.
        """


# Launches do the work of these methods without calling them; those with subclasses call them.


class In(ArgumentHandler):
    """Copy a host array to the device before the kernel runs.

    On a stream, page-locked, registered and managed memory is read when the stream gets there: do not modify it before.

    Parameters
    ----------
    array : object
        A C- or Fortran-contiguous buffer.

    Examples
    --------
    >>> f = SourceModule("__global__ void f(int *y, const int *x) { *y = *x + 1; }").get_function("f")
    >>> y = np.empty(1, np.int32)
    >>> f(drv.Out(y), drv.In(np.array([41], np.int32)), block=(1, 1, 1))
    >>> int(y[0])
    42
    """

    def pre_call(self, stream):
        _driver._copy_in(self.get_device_alloc(), self.array, stream)


class Out(ArgumentHandler):
    """Copy a kernel's result from the device to a host array after the kernel.

    On a stream, the copy is complete when the stream is.

    Parameters
    ----------
    array : object
        A writable C- or Fortran-contiguous buffer.

    Examples
    --------
    >>> f = SourceModule("__global__ void f(int *x) { *x = 7; }").get_function("f")
    >>> x = np.empty(1, np.int32)
    >>> f(drv.Out(x), block=(1, 1, 1))
    >>> int(x[0])
    7
    """

    def post_call(self, stream):
        _driver._copy_out(self.array, self.get_device_alloc(), stream)


class InOut(In, Out):
    """Copy a host array to the device before the kernel, and back after it.

    Parameters
    ----------
    array : object
        A writable C- or Fortran-contiguous buffer.

    Examples
    --------
    >>> f = SourceModule("__global__ void f(int *x) { x[threadIdx.x] *= 2; }").get_function("f")
    >>> x = np.arange(3, dtype=np.int32)
    >>> f(drv.InOut(x), block=(3, 1, 1))
    >>> x.tolist()
    [0, 2, 4]
    """


_driver._native.register_argument_handlers((ArgumentHandler, In, Out, InOut))


# ---- NumPy


def mem_alloc_like(ary):
    """Allocate device memory of the size of a buffer.

    Parameters
    ----------
    ary : buffer
        The array or buffer.

    Returns
    -------
    DeviceAllocation
        The memory.

    Raises
    ------
    MemoryError
        @too_little_memory
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuMemAlloc.

    Examples
    --------
    >>> memory = drv.mem_alloc_like(np.zeros(100))
    """
    return mem_alloc(_nbytes(ary))


def _nbytes(buffer):
    nbytes = getattr(buffer, "nbytes", None)
    return memoryview(buffer).nbytes if nbytes is None else nbytes


def to_device(buffer):
    """Allocate device memory and copy a buffer to it.

    Parameters
    ----------
    buffer : buffer
        Any C- or Fortran-contiguous buffer.

    Returns
    -------
    DeviceAllocation
        The memory.

    Raises
    ------
    MemoryError
        @too_little_memory
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuMemAlloc, cuMemcpyHtoD.

    Examples
    --------
    >>> memory = drv.to_device(np.arange(4))
    """
    result = mem_alloc(_nbytes(buffer))
    memcpy_htod(result, buffer)
    return result


def from_device(devptr, shape, dtype, order="C"):
    """Copy device memory to a new NumPy array.

    Parameters
    ----------
    devptr : int or object with a device address
        Device address, or an object with one.
    shape : int or sequence of int
        Shape of the result.
    dtype : dtype
        dtype of the result.
    order : "C" or "F", optional
        @order

    Returns
    -------
    numpy.ndarray
        The new array.

    Raises
    ------
    LogicError
        The allocation has fewer bytes than the result.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuMemcpyDtoH.

    Examples
    --------
    >>> memory = drv.to_device(np.arange(4, dtype=np.int32))
    >>> drv.from_device(memory, (2, 2), np.int32).tolist()
    [[0, 1], [2, 3]]
    """
    result = _np.empty(shape, dtype, order)
    memcpy_dtoh(result, devptr)
    return result


def from_device_like(devptr, other_ary):
    """Copy device memory to a new NumPy array like another one.

    Parameters
    ----------
    devptr : int or object with a device address
        Device address, or an object with one.
    other_ary : array_like
        The array whose shape and dtype the result has.

    Returns
    -------
    numpy.ndarray
        The new array.

    Raises
    ------
    LogicError
        The allocation has fewer bytes than the result.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuMemcpyDtoH.

    Examples
    --------
    >>> a = np.arange(4)
    >>> bool((drv.from_device_like(drv.to_device(a), a) == a).all())
    True
    """
    result = _np.empty_like(other_ary)
    memcpy_dtoh(result, devptr)
    return result


# After the functions above: star-imports of pycuda.driver have these too.
from pycuda._texture_arrays import (  # noqa: E402,F401
    bind_array_to_texref, dtype_to_array_format, gpuarray_to_array, make_multichannel_2d_array, matrix_to_array,
    matrix_to_texref, np_to_array,
)


# Tracebacks and texts name the module from which programs import a class; the text of constants does not change.
for _class in list(globals().values()):
    if isinstance(_class, type) and _class.__module__.startswith("pycuda._") and not issubclass(_class, int):
        _class.__module__ = "pycuda.driver"
del _class
