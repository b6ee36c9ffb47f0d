"""Memory of two devices: it is copied from one to the other, and a kernel adds the other device's memory, which it reads in place (peer access).
With one device, the copy is between two of its contexts. Prints the sums."""

import numpy as np
import pycuda.driver as drv
from pycuda.compiler import SourceModule

N = 1000

drv.init()
there_device, here_device = drv.Device(0), drv.Device(drv.Device.count() - 1)
there_context = there_device.make_context()
there = drv.to_device(np.arange(N, dtype=np.int32))
here_context = here_device.make_context()  # current from here on
here = drv.mem_alloc(4 * N)

drv.memcpy_peer(here, there, 4 * N, here_context, there_context)
print("copied:", drv.from_device(here, N, np.int32).sum())

if here_device != there_device and here_device.can_access_peer(there_device):
    drv.Context.enable_peer_access(there_context)
    add = SourceModule("__global__ void add(int *x, const int *y) { x[threadIdx.x] += y[threadIdx.x]; }").get_function("add")
    add(here, there, block=(N, 1, 1))
    print("with the other device's numbers added:", drv.from_device(here, N, np.int32).sum())
else:
    print("there is no other device that this one can access")

drv.Context.pop()
drv.Context.pop()
