"""Operations of the sweep that compute with arrays."""

import numpy as np
import pycuda.array_api as xp
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from operations import row
from pycuda.elementwise import ElementwiseKernel


class Numbers:
    def __init__(self):
        self.host = np.arange(12, dtype=np.float32).reshape(3, 4)
        self.a = gpuarray.to_gpu(self.host)
        self.b = gpuarray.to_gpu(self.host + 1)
        self.keys = gpuarray.to_gpu(np.array([3, 1, 2], np.int32))
        self.saxpy = ElementwiseKernel("float a, const float *x, float *y", "y[i] = a * x[i] + 1", "saxpy")


def arrays(name, operation):
    row(name, lambda n: np.asarray(operation(n)).tolist(), Numbers)


def in_place(n):
    c = n.a.copy()
    c += n.b
    c[1:] = 7
    return c.get()


def on_side_stream(n):
    stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
    c = n.a.copy()
    c.fill(3, stream=stream)
    host = c.get_async(stream=stream)
    stream.synchronize()
    return host


arrays("GPUArray", lambda n: gpuarray.empty((3, 4), np.float32).shape)
arrays("gpuarray.to_gpu", lambda n: gpuarray.to_gpu(n.host).get())
arrays("gpuarray.zeros", lambda n: gpuarray.zeros(5, np.float32).get())
arrays("gpuarray.arange", lambda n: gpuarray.arange(5, dtype=np.int32).get())
arrays("GPUArray.__add__", lambda n: (n.a + n.b).get())
arrays("GPUArray.__mul__.scalar", lambda n: (2 * n.a).get())
arrays("GPUArray.__iadd__", in_place)
arrays("GPUArray.strided", lambda n: (n.a[:, ::2] + n.b.T[1:3].T).get())
arrays("GPUArray.astype", lambda n: n.a.astype(np.int16).get())
arrays("GPUArray.copy", lambda n: n.a[:, 1:].copy().get())
arrays("GPUArray.get_async", on_side_stream)
arrays("GPUArray.sum", lambda n: n.a.sum().get())
arrays("GPUArray.sum.axis", lambda n: n.a.sum(axis=0).get())
arrays("GPUArray.dot", lambda n: gpuarray.dot(n.a, n.b).get())
arrays("GPUArray.argmax", lambda n: n.a.argmax().get())
arrays("np.pad", lambda n: np.pad(n.a, 1, "reflect").get())
arrays("np.pad.mean", lambda n: np.pad(n.a, 1, "mean").get())
arrays("np.histogram", lambda n: np.histogram(n.a, 3)[0].get())
arrays("np.einsum", lambda n: np.einsum("ij,kj->ik", n.a, n.b).get())
arrays("np.allclose", lambda n: np.allclose(n.a, n.b))
arrays("np.nanstd", lambda n: np.nanstd(n.a, 0).get())
arrays("np.nanargmax", lambda n: np.nanargmax(n.a).get())
arrays("GPUArray.__matmul__", lambda n: (n.a @ n.b.T).get())
arrays("array_api.linalg.inv", lambda n: xp.linalg.inv(xp.asarray(n.a @ n.b.T) + xp.eye(3, dtype=xp.float32)).get())
arrays("array_api.linalg.svd", lambda n: xp.linalg.svd(xp.asarray(n.a)).S.get())
arrays("array_api.fft.rfft", lambda n: xp.fft.rfft(xp.asarray(n.a), n=3).get().view(np.float32))
arrays("GPUArray.__dlpack__", lambda n: gpuarray.from_dlpack(n.a).get())
arrays("gpuarray.take", lambda n: gpuarray.take(n.b.ravel(), n.keys).get())
arrays("gpuarray.where", lambda n: gpuarray.where(n.a > 3, n.a, n.b).get())
arrays("gpuarray.concatenate", lambda n: gpuarray.concatenate((n.a, n.b)).get())
arrays("gpuarray.cumsum", lambda n: gpuarray.cumsum(n.a).get())
arrays("gpuarray.sort", lambda n: gpuarray.sort(n.keys).get())
arrays("gpuarray.unique", lambda n: gpuarray.unique(n.keys).get())
arrays("ElementwiseKernel", lambda n: (n.saxpy(np.float32(2), n.a, n.b), n.b.get())[1])


def first_sum(device):
    """The first operations in a context, which create its pool and its kernels."""
    context = device.make_context()
    try:
        a = gpuarray.to_gpu(np.arange(10, dtype=np.float32))
        return float((a + a).sum().get())
    finally:
        a = None
        context.pop()


row("GPUArray.in_a_new_context", first_sum, lambda: drv.Device(0))
