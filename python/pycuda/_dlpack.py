"""DLPack: memory of ours for other libraries, and theirs for arrays, without a copy."""

import enum
import operator

import numpy as np

from pycuda import _driver
from pycuda._driver import _native

__all__ = ["ArrayExport", "from_dlpack"]


class DeviceType(enum.IntEnum):
    CPU = 1
    CUDA = 2
    CUDA_HOST = 3
    CUDA_MANAGED = 13


_HOST = (DeviceType.CPU, 0)
_READ_ONLY, _IS_COPIED = 1, 2
_LEGACY_STREAM, _NO_WAIT = 1, -1  # as numbered by the protocol

#: DLPack's codes of kinds of dtypes.
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_BFLOAT = 4
#: Wider ones are C's long double on the host, whose bits DLPack does not say.
_MAX_BITS = {"f": 64, "c": 128}


def _type_of(dtype):
    """(code, bits) of a numpy.dtype."""
    if dtype.name == "bfloat16":
        return _BFLOAT, 16
    bits = 8 * dtype.itemsize
    if dtype.kind not in _CODES or not dtype.isnative or dtype.names is not None or bits > _MAX_BITS.get(dtype.kind, bits):
        raise BufferError(f"DLPack has no type for elements of {dtype}; export a view() with a numeric dtype")
    return _CODES[dtype.kind], bits


def _dtype_of(code, bits, lanes):
    if lanes == 1 and code == _BFLOAT and bits == 16:
        try:
            import ml_dtypes
        except ImportError:
            raise BufferError("bfloat16 of DLPack needs the package ml_dtypes, which has its dtype: pip install ml_dtypes") from None
        return np.dtype(ml_dtypes.bfloat16)
    kind = next((kind for kind, number in _CODES.items() if number == code), None)
    if kind is None or lanes != 1 or bits % 8 or bits > _MAX_BITS.get(kind, bits):
        raise BufferError(f"no dtype corresponds to DLPack type {code} with {bits} bits and {lanes} lanes")
    try:
        return np.dtype(np.bool_) if kind == "b" and bits == 8 else np.dtype(f"{kind}{bits // 8}")
    except TypeError:
        raise BufferError(f"no dtype corresponds to DLPack type {code} with {bits} bits") from None


# ---- export


def _device_of(address, memory):
    """(device type, device number) of memory. The CPU device's memory is host memory, which any library may read."""
    if _driver.driver_info().is_cpu_device:
        return _HOST
    info = _native.pointer_info(address, memory) if address else None
    if info is None:
        return DeviceType.CUDA, _driver.Context.get_device().handle
    on_host, managed, number, _, _ = info
    return (DeviceType.CUDA_HOST, 0) if on_host else (DeviceType.CUDA_MANAGED if managed else DeviceType.CUDA, number)


def _capsule(view, owner, device, max_version, flags=0):
    """`view`: (address, shape, strides in bytes, dtype)."""
    address, shape, strides, dtype = view
    if any(stride < 0 for stride, length in zip(strides, shape) if length > 1):
        raise BufferError(f"negative strides, given {strides}, crash some consumers of DLPack; export a copy (copy=True)")
    if any(stride % dtype.itemsize for stride in strides):
        raise BufferError(f"DLPack counts strides in elements; given {strides}, which are not multiples of {dtype.itemsize} bytes")
    steps = tuple(stride // dtype.itemsize for stride in strides)
    versioned = max_version is not None and operator.index(max_version[0]) >= 1
    return _native.dlpack_export(address, tuple(shape), steps, _type_of(dtype), tuple(device), owner, versioned, flags)


def _host_capsule(host, max_version, flags=0):
    return _capsule(_view_of(host), host, _HOST, max_version, flags)


def _view_of(host):
    return host.__array_interface__["data"][0], host.shape, host.strides, host.dtype


def _consumer_stream(device, stream):
    """The handle of the consumer's stream, from the protocol's number for it; None: the host will use the memory."""
    if stream is not None:
        stream = operator.index(getattr(stream, "handle", stream))
    if device[0] == DeviceType.CPU:
        if stream not in (None, _NO_WAIT):
            raise BufferError(f"host memory has no stream to wait for: stream must be None, given {stream}")
        return None
    if stream is None:
        return 0 if device[0] == DeviceType.CUDA else None
    if stream == 0:
        raise ValueError("stream 0 is ambiguous in DLPack: give 1 for the default stream, or 2 for the thread's default stream")
    return 0 if stream == _LEGACY_STREAM else stream


def _target(device, dl_device, copy):
    """The device to export to: `device`, or the host if the consumer requests it."""
    wanted = device if dl_device is None else tuple(dl_device)
    if wanted not in (device, _HOST):
        raise BufferError(f"the memory is on DLPack device {_plain(device)} and is not moved to device {_plain(wanted)}")
    if wanted != device and copy is False and device[0] == DeviceType.CUDA:
        raise BufferError("the memory is on the device: it is exported to the host only as a copy (copy=True)")
    return wanted


def _plain(device):
    return tuple(int(part) for part in device)


class ArrayExport:
    """DLPack's methods of GPUArray."""

    __slots__ = ()

    def __dlpack_device__(self):
        """DLPack's (device type, device number). The CPU device's memory is the host's, (1, 0)."""
        return _device_of(self.ptr if self.size else 0, _memory_of(self))

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A DLPack capsule: this memory for another library, which keeps it alive.

        stream: the consumer's, as DLPack numbers streams; it waits for everything queued here. -1: no stream waits.
        dl_device=(1, 0): on the host, where arrays on a GPU are copied to unless copy is False.
        """
        device = self.__dlpack_device__()
        target = _target(device, dl_device, copy)
        if target != device and device[0] == DeviceType.CUDA:
            return _host_capsule(self.get(), max_version, _IS_COPIED)
        consumer = _consumer_stream(target, stream)
        array, flags = (_packed_copy(self), _IS_COPIED) if copy else (self, 0)
        address = array.ptr if array.size else 0
        if array.size and stream != _NO_WAIT:
            _native.hand_over(_memory_of(array), consumer)
        memory = _memory_of(array)
        owner = memory if isinstance(memory, _native.DeviceMemoryBase) else (array.gpudata, array.base)  # both can be assigned later on
        return _capsule((address, array.shape, array.strides, array.dtype), owner, target, max_version, flags)


def _packed_copy(array):
    from pycuda._arrays.copies import packed_copy

    return packed_copy(array)


def _memory_of(array):
    """The object that owns an array's memory, if it is known."""
    while isinstance(array.base, ArrayExport):
        array = array.base
    return array.base if isinstance(array.base, _native.DeviceMemoryBase) else array.gpudata


def _as_bytes(memory):
    """Device memory as an array of bytes, which keeps it alive."""
    from pycuda.gpuarray import GPUArray

    size = memory.__cuda_array_interface__["shape"]
    return GPUArray(size, np.uint8, gpudata=memory) if size != (0,) else GPUArray(size, np.uint8)


class MemoryExport:
    """DLPack's methods of all kinds of device memory, which is exported as an array of bytes."""

    def __dlpack_device__(self):
        """DLPack's (device type, device number). The CPU device's memory is the host's, (1, 0)."""
        return _device_of(int(self), self)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A DLPack capsule with the memory as an array of bytes; see GPUArray.__dlpack__."""
        return _as_bytes(self).__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


class HostMemoryExport:
    """DLPack's methods of page-locked and registered memory, which is the base of arrays over it."""

    def __dlpack_device__(self):
        """DLPack's (device type, device number): (3, 0), page-locked; (1, 0) for other host memory."""
        info = None if _driver.driver_info().is_cpu_device else _native.pointer_info(_host_array(self).__array_interface__["data"][0], None)
        return _HOST if info is None else (DeviceType.CUDA_HOST, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A DLPack capsule with the memory as an array of bytes. As with all host memory, no stream is ordered."""
        device = self.__dlpack_device__()
        target = _target(device, dl_device, copy)
        if stream not in (None, _NO_WAIT):
            raise BufferError(f"host memory has no stream to wait for: stream must be None, given {stream}")
        host = _host_array(self)
        if copy:
            return _host_capsule(host.copy(), max_version, _IS_COPIED)
        return _capsule(_view_of(host), host, target, max_version)


def _host_array(memory):
    return np.frombuffer(memory, np.uint8) if memoryview(memory).nbytes else np.empty(0, np.uint8)


def _add_exports(export, cls):
    """Gives the native class `cls` the methods of `export`."""
    for name in ("__dlpack__", "__dlpack_device__"):
        setattr(cls, name, vars(export)[name])


def give_memory_its_exports():
    """Give memory on the device and on the host its `__dlpack__`."""
    _add_exports(MemoryExport, _native.DeviceMemoryBase)
    _add_exports(HostMemoryExport, _native.HostPointer)


# ---- import


def _ask(exporter, stream):
    try:
        return exporter.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # exporters older than version 1.0 of the protocol
        return exporter.__dlpack__(stream=stream)


class _HostView:
    """Host memory in a form that NumPy reads."""

    def __init__(self, view, holder):
        address, shape, strides, dtype = view
        self.holder = holder
        self.__array_interface__ = {"data": (address, True), "shape": shape, "strides": strides, "typestr": dtype.str, "version": 3}


def from_dlpack(exporter, *, stream=None, copy=None):
    """Create an array over the memory of another library's array, which stays alive.

    Parameters
    ----------
    exporter : object
        An object with ``__dlpack__``, or a capsule. Its earlier work on the memory completes before later work in `stream`.
    stream : Stream
        @stream
    copy : bool
        True: copy; False: never copy; None: copy only what must be copied.

    Returns
    -------
    GPUArray
        The array.

    Raises
    ------
    BufferError
        The memory cannot be shared.

    Examples
    --------
    >>> a = gpuarray.arange(3, dtype=np.int32)
    >>> gpuarray.from_dlpack(a).ptr == a.ptr
    True
    """
    from pycuda.gpuarray import GPUArray, to_gpu

    if type(exporter).__name__ == "PyCapsule":
        capsule = exporter
    elif not hasattr(exporter, "__dlpack__") or not hasattr(exporter, "__dlpack_device__"):
        raise TypeError(f"expected an object with __dlpack__ and __dlpack_device__, given {type(exporter).__name__}")
    else:
        on_device = exporter.__dlpack_device__()[0] in (DeviceType.CUDA, DeviceType.CUDA_MANAGED)
        handle = _driver._stream_handle(stream) or _LEGACY_STREAM
        capsule = _ask(exporter, handle if on_device else None)
    address, shape, strides, kind, device, flags, holder = _native.dlpack_import(capsule)
    dtype = _dtype_of(*kind)
    strides = None if strides is None else tuple(step * dtype.itemsize for step in strides)
    if 0 in shape:
        return GPUArray(shape, dtype)
    if device[0] in (DeviceType.CPU, DeviceType.CUDA_HOST) and copy:
        return to_gpu(np.array(_HostView((address, shape, strides, dtype), holder)).view(dtype))
    if flags & _READ_ONLY and not copy:
        raise BufferError("the memory is read-only, which arrays here cannot be: copy=True makes a copy")
    result = GPUArray(shape, dtype, gpudata=_reachable(address, device), base=holder, strides=strides)
    return result.copy() if copy else result


def _reachable(address, device):
    """The address of the memory in device code. BufferError if device code cannot access it."""
    name = _plain(device)
    if device[0] not in list(DeviceType):
        raise BufferError(f"memory on DLPack device {name} is neither CUDA's nor the host's")
    info = _native.pointer_info(address, None)
    if info is None or not info[4]:
        hint = "copy=True copies it to the device" if device[0] == DeviceType.CPU else "it belongs to another driver or context"
        raise BufferError(f"memory on DLPack device {name} cannot be reached from the current context: {hint}")
    on_host, managed, number, _, pointer = info
    current = _driver.Context.get_device().handle
    if number != current and not on_host and not managed:
        raise BufferError(f"the memory is on device {number}, the current context is of device {current}")
    return pointer
