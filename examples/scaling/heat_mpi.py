"""Heat on a plate that is divided among the ranks of an MPI program, each with its own device.

    mpiexec -n 4 python heat_mpi.py [--size 512] [--steps 100] [--pointers device|host]

Each rank has some rows of the plate and, around them, copies of its neighbours' nearest rows, the halo. In each step the rows at the edges
are computed first, and exchanged while the rows between them are computed. An MPI library that is aware of CUDA is given pointers of the
device; for others the rows are staged through page-locked memory. Prints how the time shrinks with more devices on the same plate (strong
scaling), and grows with as many more rows (weak scaling).
"""

import argparse
import time

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from mpi4py import MPI
from pycuda.compiler import SourceModule

SOURCE = """
// Rows first, first + stride, ... of a plate whose columns at the sides stay cold.
__global__ void spread(const float *plate, float *next, int width, int first, int stride)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x == 0 || x >= width - 1) return;
  const float *at = plate + (size_t)(first + stride * blockIdx.y) * width + x;
  next[at - plate] = *at + 0.2f * (at[-width] + at[width] + at[-1] + at[1] - 4 * *at);
}
"""


def make_context():
    """A context on the device that has this rank's number among the ranks of the same host."""
    drv.init()
    local = MPI.COMM_WORLD.Split_type(MPI.COMM_TYPE_SHARED)
    return drv.Device(local.rank % drv.Device.count()).make_context()


def device_pointers_work():
    """Whether this MPI library accepts device pointers. The CPU device's point to host memory, which every library accepts."""
    kinds = MPI.COMM_WORLD.Get_info().get("mpi_memory_alloc_kinds") or ""
    return drv.driver_info().is_cpu_device or "cuda" in kinds


class Part:
    """The rows of this rank of a plate with a hot square."""

    def __init__(self, comm, height, width, device_pointers):
        self.comm, self.width, self.device_pointers = comm, width, device_pointers
        first, last = (height * rank // comm.size for rank in (comm.rank, comm.rank + 1))
        self.rows = last - first
        self.above = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
        self.below = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL
        hot = np.zeros((self.rows + 2, width), np.float32)
        y = np.arange(first - 1, last + 1)
        hot[(y >= height // 4) & (y < height // 2), width // 4:width // 2] = 1
        self.plate, self.next = gpuarray.to_gpu(hot), gpuarray.to_gpu(hot)
        self.staging = drv.pagelocked_empty((4, width), np.float32)
        self.edges, self.inside = drv.Stream(), drv.Stream()
        self.spread = SourceModule(SOURCE).get_function("spread").prepare("PPiii")

    def launch(self, stream, first, stride, count):
        if count > 0:
            self.spread.prepared_async_call(((self.width + 127) // 128, count), (128, 1, 1), stream, self.plate.gpudata, self.next.gpudata,
                                            self.width, first, stride)

    def step(self):
        self.launch(self.edges, 1, max(self.rows - 1, 1), min(self.rows, 2))
        self.launch(self.inside, 2, 1, self.rows - 2)
        rows = [self.next[row] for row in (1, self.rows, 0, self.rows + 1)]  # two to send, two to receive
        if self.device_pointers:
            self.edges.synchronize()
            self.exchange(*rows)
        else:
            for row, host in zip(rows[:2], self.staging):
                drv.memcpy_dtoh_async(host, row.gpudata, self.edges)
            self.edges.synchronize()
            self.exchange(*self.staging)
            for row, host, neighbour in zip(rows[2:], self.staging[2:], (self.above, self.below)):
                if neighbour != MPI.PROC_NULL:
                    drv.memcpy_htod_async(row.gpudata, host, self.edges)
            self.edges.synchronize()
        self.inside.synchronize()
        self.plate, self.next = self.next, self.plate

    def exchange(self, first, last, above, below):
        MPI.Request.Waitall([self.comm.Irecv(above, self.above), self.comm.Irecv(below, self.below),
                             self.comm.Isend(first, self.above), self.comm.Isend(last, self.below)])


def run(comm, height, width, steps, device_pointers):
    """Milliseconds per step, and on the first rank the final plate."""
    part = Part(comm, height, width, device_pointers)
    part.step()
    comm.Barrier()
    start = MPI.Wtime()
    for _ in range(steps - 1):
        part.step()
    comm.Barrier()
    milliseconds = 1e3 * (MPI.Wtime() - start) / (steps - 1)
    plates = comm.gather(part.plate[1:-1].get())
    return milliseconds, np.concatenate(plates) if comm.rank == 0 else None


def wait_for_all(comm):
    """A barrier that leaves the processor to the ranks that still compute."""
    arrived = comm.Ibarrier()
    while not arrived.Test():
        time.sleep(1e-3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=512, help="rows and columns of the plate")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--pointers", choices=("device", "host"), help="what MPI is given; the default is what it takes")
    options = parser.parse_args()
    if options.size < MPI.COMM_WORLD.size or options.steps < 2:
        parser.error("every rank needs a row, and there must be two steps")
    context = make_context()
    device_pointers = options.pointers == "device" if options.pointers else device_pointers_work()
    world, size = MPI.COMM_WORLD, options.size
    if world.rank == 0:
        print(f"{context.get_device().name()}, {size} x {size}, {'device' if device_pointers else 'page-locked'} memory given to MPI")
        print("devices  strong: ms per step  speed-up  weak: ms per step  efficiency", flush=True)
    for count in sorted({2 ** k for k in range(world.size.bit_length())} | {world.size}):
        comm = world.Split(0 if world.rank < count else MPI.UNDEFINED)
        if comm != MPI.COMM_NULL:
            strong, plate = run(comm, size, size, options.steps, device_pointers)
            weak, _ = run(comm, size * count, size, options.steps, device_pointers)
            if world.rank == 0:
                if count == 1:
                    alone, weak_alone, expected = strong, weak, plate
                assert (plate == expected).all(), "the plate differs from that of one device"
                print(f"{count:7}{strong:19.3f}{alone / strong:10.2f}{weak:17.3f}{weak_alone / weak:12.0%}", flush=True)
            comm.Free()
        wait_for_all(world)
    context.pop()


if __name__ == "__main__":
    main()
