"""Use one array from NumPy's functions, and from CuPy and PyTorch if they are installed and there is a GPU; none of
them copies it."""

from importlib.util import find_spec

import numpy as np
import pycuda.autoprimaryctx  # the context of CUDA's runtime, in which other libraries work
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

twice = SourceModule("""
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
""").get_function("twice")


def with_numpy(x):
    """NumPy's functions of a device array run on the device; page-locked memory is a NumPy array that is copied fast."""
    host = drv.pagelocked_empty(x.shape, x.dtype)
    np.concatenate([x[:4], np.sqrt(x[4:] ** 2)]).get(host)
    return host.sum()


def with_cupy(x):
    import cupy

    theirs = cupy.asarray(x)  # the same memory
    theirs += 1
    back = gpuarray.GPUArray(theirs.shape, theirs.dtype, base=theirs, gpudata=theirs.data.ptr)
    twice(back, block=(back.size, 1, 1))
    twice(theirs, block=(theirs.size, 1, 1))  # kernels accept other libraries' arrays
    theirs /= 4
    theirs -= 1
    return theirs.sum()


def with_torch(x):
    import torch

    theirs = torch.from_dlpack(x)  # DLPack also makes one library's work wait for the other's
    theirs += 1
    twice(gpuarray.from_dlpack(theirs), block=(theirs.numel(), 1, 1))
    theirs /= 2
    theirs -= 1
    return theirs.sum()


libraries = {"numpy": with_numpy}
if not drv.driver_info().is_cpu_device:
    libraries |= {name: use for name, use in {"cupy": with_cupy, "torch": with_torch}.items() if find_spec(name)}

x = gpuarray.arange(8, dtype=np.float32)
for name, use in libraries.items():
    print(f"0 + 1 + ... + 7 by {name}: {float(use(x)):.1f}")
print(f"sum afterwards: {float(x.sum().get()):.1f}")
