"""GPUArrays on Dask clusters: as chunks of Dask arrays, sent between workers, and kept in the host's memory when a device's is full.

    from pycuda.dask import LocalDeviceCluster, to_device, to_host

    with LocalDeviceCluster() as cluster, cluster.get_client():
        x = to_device(dask.array.random.random((100_000, 1_000), chunks=(10_000, 1_000)))
        print(to_host(((x - x.mean(axis=0)) ** 2).sum(axis=0)).compute())

On several hosts, once for each device: `CUDA_DEVICE=0 dask worker ADDRESS --nthreads 1 --worker-class pycuda.dask.DeviceWorker`.

Needs the packages dask and distributed. Importing this module opens no driver. It works in primary contexts: a process that computes with
arrays itself, besides sending work to a cluster, imports pycuda.autoprimaryctx, not pycuda.autoinit.
"""

import logging
import math
import threading
from functools import partial

import dask.array
import numpy as np
import zict
from dask.array.dispatch import concatenate_lookup, numel_lookup, tensordot_lookup
from dask.sizeof import sizeof
from distributed import Nanny, Scheduler, SpecCluster, Worker
from distributed.protocol import dask_deserialize, dask_serialize
from distributed.protocol.cuda import cuda_deserialize, cuda_serialize
from distributed.protocol.numpy import deserialize_numpy_ndarray, serialize_numpy_ndarray
from distributed.threadpoolexecutor import ThreadPoolExecutor

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda._arrays.axes import normalise_axes
from pycuda.gpuarray import GPUArray
from pycuda.tools import make_default_context

__all__ = ["DeviceStore", "DeviceWorker", "LocalDeviceCluster", "attach", "to_device", "to_host"]

_primary_context = None
_lock = threading.Lock()


def attach():
    """Make a context current in this thread, if none is.

    It is the primary context of the device that CUDA_DEVICE names, else of the first that works. Tasks on workers of this module need not call it.
    """
    global _primary_context
    drv.init()
    if drv.Context.get_current() is not None:
        return
    with _lock:
        if _primary_context is None:
            _primary_context = make_default_context(lambda device: device.retain_primary_context())
    _primary_context.push()


# ---- between processes

@dask_serialize.register(GPUArray)
def _serialize(array):
    attach()
    return serialize_numpy_ndarray(array.get())


@dask_deserialize.register(GPUArray)
def _deserialize(header, frames):
    attach()
    return gpuarray.to_gpu(deserialize_numpy_ndarray(header, frames))


@cuda_serialize.register(GPUArray)
def _serialize_on_device(array):
    """For transports that accept device memory, such as UCX."""
    attach()
    if not array.flags.forc:
        array = array.flatten().reshape(array.shape)
    order = "C" if array.flags.c_contiguous else "F"
    drv.Context.synchronize()  # the transport does not wait for our stream
    frame = GPUArray(array.nbytes, np.uint8, base=array, gpudata=array.gpudata)
    return {"shape": array.shape, "dtype": array.dtype, "order": order}, [frame]


@cuda_deserialize.register(GPUArray)
def _deserialize_on_device(header, frames):
    frame, = frames
    return GPUArray(header["shape"], header["dtype"], base=frame, gpudata=frame.__cuda_array_interface__["data"][0], order=header["order"])


# ---- chunks of Dask arrays

@numel_lookup.register(GPUArray)
def _numel(x, axis=None, keepdims=False, dtype=np.float64, **_):
    """The number of elements of each result of a reduction, on the device, where the sums are."""
    axes = normalise_axes(axis, x.ndim)
    shape = [1 if k in axes else length for k, length in enumerate(x.shape) if keepdims or k not in axes]
    return GPUArray(shape, dtype).fill(np.prod([x.shape[k] for k in axes], dtype=dtype))


@tensordot_lookup.register(GPUArray)
def _tensordot(a, b, axes=2):
    """The sum of products over pairs of axes: a product of matrices, with these axes put together."""
    ours, theirs = (range(a.ndim - axes, a.ndim), range(axes)) if np.ndim(axes) == 0 else map(np.atleast_1d, axes)
    ours, theirs = [k % a.ndim for k in ours], [k % b.ndim for k in theirs]
    left, right = [k for k in range(a.ndim) if k not in ours], [k for k in range(b.ndim) if k not in theirs]
    rows, length, columns = [a.shape[k] for k in left], math.prod(a.shape[k] for k in ours), [b.shape[k] for k in right]
    a = a.transpose(left + ours).flatten().reshape(math.prod(rows), length)
    b = b.transpose(theirs + right).flatten().reshape(length, math.prod(columns))
    return gpuarray.matmul(a, b).reshape(rows + columns)


concatenate_lookup.register(GPUArray, gpuarray.concatenate)
dask.array.register_chunk_type(GPUArray)


@sizeof.register(GPUArray)
def _sizeof(array):
    return array.nbytes


def to_device(array):
    """Return a Dask array with its chunks on the workers' devices.

    Parameters
    ----------
    array : dask.array.Array
        An array of NumPy chunks.

    Returns
    -------
    dask.array.Array
        The same array with `GPUArray` chunks.
    """
    return array.map_blocks(gpuarray.to_gpu, dtype=array.dtype, meta=array._meta)


def to_host(array):
    """Return a Dask array with its chunks in the workers' host memory.

    Parameters
    ----------
    array : dask.array.Array
        An array of `GPUArray` chunks.

    Returns
    -------
    dask.array.Array
        The same array with NumPy chunks.
    """
    return array.map_blocks(GPUArray.get, dtype=array.dtype, meta=np.empty((0,) * array.ndim, array.dtype))


# ---- workers

def _map_arrays(function, kinds, value):
    """The value, with `function` applied to every array of these kinds, in containers too."""
    if isinstance(value, kinds):
        return function(value)
    if type(value) in (list, tuple):
        return type(value)(_map_arrays(function, kinds, part) for part in value)
    if type(value) is dict:
        return {key: _map_arrays(function, kinds, part) for key, part in value.items()}
    return value


class _Spilled:
    """An array that was on the device, in the host's memory."""

    def __init__(self, array):
        attach()
        self.array = array.get()

    def back(self):
        attach()
        return gpuarray.to_gpu(self.array)


class DeviceStore(zict.Buffer):
    """A worker's results. The least recently used arrays beyond a limit move from the device to the host's memory.

    Parameters
    ----------
    limit : int
        Bytes of arrays that stay on the device.
    """

    def __init__(self, limit):
        def weight(_, value):
            found = []
            _map_arrays(found.append, GPUArray, value)
            return sum(array.nbytes for array in found)

        host = zict.Func(partial(_map_arrays, _Spilled, GPUArray), partial(_map_arrays, _Spilled.back, _Spilled), {})
        super().__init__({}, host, limit, weight)

    @property
    def spilled(self):
        """Number of results in the host's memory."""
        return len(self.slow)


class _Executor(ThreadPoolExecutor):
    """Runs tasks with the device's context current."""

    def submit(self, function, *arguments, **keywords):
        return super().submit(self._run, function, arguments, keywords)

    @staticmethod
    def _run(function, arguments, keywords):
        attach()
        return function(*arguments, **keywords)


class DeviceWorker(Worker):
    """A Dask worker with one thread and one device: the one that CUDA_DEVICE names, else the first that works.

    Parameters
    ----------
    args : object
        Arguments of `distributed.Worker`.
    device_memory_limit : int, optional
        Bytes of results that stay on the device; None: 0.7 of its memory. Others move to the host's memory.
    """

    def __init__(self, *args, device_memory_limit=None, **keywords):
        if device_memory_limit is None:
            attach()
            device_memory_limit = int(0.7 * drv.mem_get_info()[1])
        keywords.update(nthreads=1, executor=_Executor(1, thread_name_prefix="pycuda-device"), data=DeviceStore(device_memory_limit))
        super().__init__(*args, **keywords)


class LocalDeviceCluster(SpecCluster):
    """A Dask cluster on this host: a scheduler, and a worker process for each device.

    Parameters
    ----------
    devices : iterable of int, optional
        Ordinals of the devices; None: all.
    device_memory_limit : int, optional
        Bytes of results that stay on the device; None: 0.7 of its memory. Others move to the host's memory.
    silence_logs : int
        Level of the log messages to show.
    keywords : object
        Arguments of `distributed.SpecCluster`.
    """

    def __init__(self, devices=None, device_memory_limit=None, silence_logs=logging.WARNING, **keywords):
        if devices is None:
            drv.init()
            devices = range(drv.Device.count())
        options = {"worker_class": DeviceWorker, "device_memory_limit": device_memory_limit, "host": "127.0.0.1",
                   "silence_logs": silence_logs}
        workers = {number: {"cls": Nanny, "options": {**options, "env": {"CUDA_DEVICE": str(number)}}} for number in devices}
        scheduler = {"cls": Scheduler, "options": {"host": "127.0.0.1", "dashboard": False}}
        super().__init__(workers=workers, scheduler=scheduler, silence_logs=silence_logs, **keywords)
