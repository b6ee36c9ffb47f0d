"""A list on the device that grows in place: numbers are appended while its address stays the same, so kernels and
arrays that use it need no update. Prints how often memory was added, and the number of primes found."""

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

LIMIT, BATCH = 1 << 22, 1 << 20

append = SourceModule("""
__global__ void append_primes(int *list, unsigned *count, int first)
{
  int n = first + blockIdx.x * blockDim.x + threadIdx.x;
  bool prime = n > 1 && (n == 2 || n % 2);
  for (int d = 3; prime && d * d <= n; d += 2) prime = n % d != 0;
  if (prime) list[atomicAdd(count, 1)] = n;
}
""").get_function("append_primes")

found = drv.VirtualMemory()  # addresses for as much memory as the device has, but no memory yet
count = drv.to_device(np.zeros(1, np.uint32))
address, grown = int(found), 0
for first in range(0, LIMIT, BATCH):
    so_far = int(drv.from_device(count, 1, np.uint32)[0])
    if found.mapped < 4 * (so_far + BATCH // 2):  # at most every second number is prime
        found.resize(4 * (so_far + BATCH // 2))
        grown += 1
    append(found, count, np.int32(first), block=(256, 1, 1), grid=(BATCH // 256, 1))
assert int(found) == address
total = int(drv.from_device(count, 1, np.uint32)[0])
print(f"memory was added {grown} times, {found.mapped >> 20} of {found.reserved >> 20} MiB are in use")
print(f"primes below {LIMIT}: {total}")
