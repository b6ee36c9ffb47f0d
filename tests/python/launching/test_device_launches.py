"""Kernels that launch kernels: <<<>>> in device code, its streams, its errors."""

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import DynamicSourceModule

SOURCE = r"""
// Sorts data[low] to data[high]: each part by a grid of its own.
extern "C" __global__ void quicksort(int *data, int low, int high, int depth)
{
    if (depth == 16 || high - low < 8) {
        for (int i = low + 1; i <= high; ++i) {
            int value = data[i], k = i;
            for (; k > low && data[k - 1] > value; --k) data[k] = data[k - 1];
            data[k] = value;
        }
        return;
    }
    int pivot = data[low + (high - low) / 2], left = low, right = high;
    while (left <= right) {
        while (data[left] < pivot) ++left;
        while (data[right] > pivot) --right;
        if (left > right) break;
        int value = data[left];
        data[left++] = data[right];
        data[right--] = value;
    }
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (low < right) quicksort<<<1, 1, 0, stream>>>(data, low, right, depth + 1);
    cudaStreamDestroy(stream);
    if (left < high) quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(data, left, high, depth + 1);
}

struct Scale { int factor; long long offset; };
__global__ void scale(long long *data, Scale by, int count)
{
    extern __shared__ long long tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    tile[threadIdx.x] = data[i];
    data[i] = tile[threadIdx.x] * by.factor + by.offset;
}
// The second reads what the first wrote, and the last, after both, is for the tail.
extern "C" __global__ void in_order(long long *data, int count)
{
    int blocks = (count + 63) / 64;
    scale<<<blocks, 64, 64 * sizeof(long long), cudaStreamTailLaunch>>>(data, Scale{10, 7}, count);
    scale<<<blocks, 64, 64 * sizeof(long long)>>>(data, Scale{3, 1}, count);
    scale<<<blocks, 64, 64 * sizeof(long long)>>>(data, Scale{-2, 5}, count);
}

__global__ void count(int *total) { atomicAdd(total, 1); }
extern "C" __global__ void from_every_thread(int *total) { count<<<2, 3>>>(total); }

extern "C" __global__ void down(int *deepest, int *codes, int depth, int last)
{
    atomicMax(deepest, depth);
    if (depth == last) return;
    down<<<1, 1>>>(deepest, codes, depth + 1, last);
    codes[depth] = cudaGetLastError();
}

extern "C" __global__ void wrong(int *codes)
{
    count<<<1, 2000>>>(codes);
    codes[0] = cudaPeekAtLastError();
    codes[1] = cudaGetLastError();
    codes[2] = cudaGetLastError();
}

extern "C" __global__ void copies(int *data)
{
    int *fresh;
    // NVRTC for Windows has neither the template cudaMalloc(T **, size_t) nor default streams.
    if (cudaMalloc((void **)&fresh, 16)) return;
    for (int i = 0; i < 4; ++i) fresh[i] = 100 + i;
    cudaMemcpyAsync(data, fresh, 16, cudaMemcpyDeviceToDevice, 0);
    cudaMemsetAsync(data + 2, 0, 4, 0);
}

__global__ void fail(int *where) { *where = 1; }
extern "C" __global__ void launch_failure() { fail<<<1, 1>>>(nullptr); }
"""


@pytest.fixture
def module(context):
    return DynamicSourceModule(SOURCE, no_extern_c=True)


def run(module, name, *arguments, block=1):
    module.get_function(name)(*arguments, block=(block, 1, 1), grid=(1, 1))


def test_recursive_quicksort(module):
    data = np.random.default_rng(5).integers(-1000, 1000, 700).astype(np.int32)
    expected = np.sort(data)
    run(module, "quicksort", drv.InOut(data), np.int32(0), np.int32(data.size - 1), np.int32(0))
    assert (data == expected).all()


def test_parameters_and_order(module):
    data = np.arange(150, dtype=np.int64)
    expected = ((data * 3 + 1) * -2 + 5) * 10 + 7
    run(module, "in_order", drv.InOut(data), np.int32(data.size))
    assert (data == expected).all()


def test_every_thread_launches(module):
    total = np.zeros(1, np.int32)
    run(module, "from_every_thread", drv.InOut(total), block=70)
    assert total[0] == 70 * 6


def test_nesting_depth(module, is_cpu_device):
    deepest, codes = np.zeros(1, np.int32), np.full(40, -1, np.int32)
    run(module, "down", drv.InOut(deepest), drv.InOut(codes), np.int32(0), np.int32(40))
    assert deepest[0] == 40
    assert codes.tolist() == [0] * 40
    if is_cpu_device:
        deepest, codes = np.zeros(1, np.int32), np.full(300, -1, np.int32)
        run(module, "down", drv.InOut(deepest), drv.InOut(codes), np.int32(0), np.int32(300))
        assert deepest[0] == 256
        assert codes[:256].tolist() == [0] * 256
        assert codes[256] == 65  # cudaErrorLaunchMaxDepthExceeded
        assert (codes[257:] == -1).all()


def test_errors_belong_to_a_thread(module):
    codes = np.full(3, -1, np.int32)
    run(module, "wrong", drv.InOut(codes))
    assert codes.tolist() == [9, 9, 0]  # cudaErrorInvalidConfiguration


def test_copies_and_fills(module):
    data = np.zeros(4, np.int32)
    run(module, "copies", drv.InOut(data))
    assert data.tolist() == [100, 101, 0, 103]


def test_many_rounds_leak_nothing(module, is_cpu_device):
    before = drv.mem_get_info()[0]
    for _ in range(20):
        test_every_thread_launches(module)
    drv.Context.synchronize()
    if is_cpu_device:  # other processes share a GPU's memory
        assert before - drv.mem_get_info()[0] < 1 << 20


def test_a_fault_in_a_launched_kernel(module, is_cpu_device):
    run(module, "launch_failure")
    with pytest.raises(drv.LaunchError) as error:
        drv.Context.synchronize()
    if is_cpu_device:
        assert "fail" in str(error.value)
