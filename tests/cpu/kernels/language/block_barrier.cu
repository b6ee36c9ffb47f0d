// Barriers and pipelines of libcu++, with the copies that they wait for. For sm_90 these are mbarrier instructions.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void rotate_by_barrier(const int* in, int* out) {
    __shared__ Barrier barrier;
    __shared__ int values[128];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = in[i];
    barrier.wait(barrier.arrive());
    out[i] = values[(threadIdx.x + 1) % blockDim.x];
}

// One warp brings tiles into two buffers, the others add their numbers up: each waits for the other at barriers.
extern "C" __global__ void producer_and_consumers(const int* in, int* sums, int tiles) {
    constexpr int size = 96;
    __shared__ Barrier filled[2], drained[2];
    __shared__ int buffer[2][size];
    if (threadIdx.x < 2) {
        init(filled + threadIdx.x, blockDim.x);
        init(drained + threadIdx.x, blockDim.x);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int t = 0; t < tiles; ++t) {
            drained[t % 2].arrive_and_wait();
            for (int i = threadIdx.x; i < size; i += 32) buffer[t % 2][i] = in[t * size + i];
            Barrier::arrival_token token = filled[t % 2].arrive();
            (void)token;
        }
        return;
    }
    const int i = threadIdx.x - 32;
    int sum = 0;
    for (int n = 0; n < 2; ++n) {
        Barrier::arrival_token token = drained[n].arrive();
        (void)token;
    }
    for (int t = 0; t < tiles; ++t) {
        filled[t % 2].arrive_and_wait();
        sum += (t + 1) * buffer[t % 2][size - 1 - i];
        Barrier::arrival_token token = drained[t % 2].arrive();
        (void)token;
    }
    sums[i] = sum;
}

// Ever fewer threads take part: those that are done leave the barrier for good.
extern "C" __global__ void leave_one_by_one(int* out) {
    __shared__ Barrier barrier;
    __shared__ int present[64];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    int seen = 0;
    for (int round = 0; round <= threadIdx.x; ++round) {
        if (round == threadIdx.x) {
            barrier.arrive_and_drop();
            break;
        }
        present[threadIdx.x] = round + 1;
        barrier.arrive_and_wait();
        seen += present[blockDim.x - 1];
        barrier.arrive_and_wait();
    }
    out[threadIdx.x] = seen;
}

// The block copies a tile while it works on the one before.
extern "C" __global__ void pipelined(const int* in, int* out, int tiles) {
    constexpr int size = 128;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
    __shared__ alignas(16) int buffer[3][size];
    const cg::thread_block block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int done = 0, begun = 0; done < tiles; ++done) {
        for (; begun < tiles && begun < done + 3; ++begun) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, buffer[begun % 3], in + begun * size, cuda::aligned_size_t<16>(sizeof(int) * size),
                               pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        out[done * size + block.thread_rank()] = buffer[done % 3][size - 1 - block.thread_rank()] + done;
        pipeline.consumer_release();
    }
}

// The first half of the block brings, the second takes.
extern "C" __global__ void pipeline_of_roles(const int* in, int* out, int tiles) {
    constexpr int size = 64;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int buffer[2][size];
    const cg::thread_block block = cg::this_thread_block();
    const bool brings = block.thread_rank() < size;
    auto pipeline =
        cuda::make_pipeline(block, &state, brings ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    const int i = block.thread_rank() % size;
    for (int t = 0; t < tiles; ++t) {
        if (brings) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&buffer[t % 2][i], in + t * size + i, sizeof(int), pipeline);
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            out[t * size + i] = buffer[t % 2][size - 1 - i] * (t + 1);
            pipeline.consumer_release();
        }
    }
}

// One thread's own pipeline, and copies of a group, which need no barrier.
extern "C" __global__ void copies_of_threads_and_groups(const int* in, int* out) {
    __shared__ int own[128], of_group[128];
    const cg::thread_block block = cg::this_thread_block();
    const int i = blockIdx.x * 128 + threadIdx.x;
    auto pipeline = cuda::make_pipeline();
    pipeline.producer_acquire();
    cuda::memcpy_async(own + threadIdx.x, in + i, sizeof(int), pipeline);
    pipeline.producer_commit();
    cg::memcpy_async(block, of_group, in + blockIdx.x * 128, sizeof of_group);
    pipeline.consumer_wait();
    const int mine = own[threadIdx.x];
    pipeline.consumer_release();
    cg::wait(block);
    out[i] = 1000 * mine + of_group[127 - threadIdx.x];
}

// A barrier counts the bytes of a bulk copy, as many as it expects, and arrivals.
extern "C" __global__ void bulk_copy(const int* in, int* out) {
    __shared__ Barrier barrier;
    __shared__ alignas(16) int values[256];
    const cg::thread_block block = cg::this_thread_block();
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, values, in + blockIdx.x * 256, cuda::aligned_size_t<16>(sizeof values), barrier);
    barrier.arrive_and_wait();
    for (int n = threadIdx.x; n < 256; n += blockDim.x) out[blockIdx.x * 256 + n] = values[255 - n];
}
