// A barrier of libcu++ in shared memory, where arriving and waiting are apart. For sm_90 that is mbarrier instructions.
#include <cuda/barrier>

extern "C" __global__ void rotate_by_barrier(const int* in, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[128];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = in[i];
    barrier.wait(barrier.arrive());
    out[i] = values[(threadIdx.x + 1) % blockDim.x];
}
