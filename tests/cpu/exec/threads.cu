// Kernels whose blocks share something.
#include <cooperative_groups.h>
#include <cstdio>

extern "C" {

// Sums of blocks of 64; the last block to finish adds them up.
__device__ unsigned finished;
__global__ void last_block_sum(const float* in, float* partial, float* out) {
    __shared__ float s[64];
    __shared__ bool last;
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int k = 32; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float sum = 0;
        for (int n = 0; n < gridDim.x; ++n) sum += ((volatile float*)partial)[n];
        *out = sum;
    }
}

// Prefix sums over blocks of 32 in one pass: a block adds up what the blocks before it have published so far.
__global__ void look_back_scan(const int* in, int* out, volatile int* state, volatile int* value) {
    __shared__ int before;
    const int t = threadIdx.x, b = blockIdx.x;
    int v = in[b * 32 + t];
    for (int k = 1; k < 32; k *= 2) {
        const int other = __shfl_up_sync(~0u, v, k);
        if (t >= k) v += other;
    }
    if (t == 31) {
        value[2 * b] = v;
        __threadfence();
        state[b] = b ? 1 : 2;
        int sum = 0;
        for (int n = b - 1; n >= 0; --n) {
            int seen;
            while ((seen = state[n]) == 0) {}
            __threadfence();
            sum += value[2 * n + (seen == 2 && n > 0)];
            if (seen == 2) break;
        }
        value[2 * b + 1] = sum + v;
        __threadfence();
        state[b] = 2;
        before = sum;
    }
    __syncthreads();
    out[b * 32 + t] = before + v;
}

// A list on the device's heap, one node a thread; the block's first thread takes it apart.
struct Node { Node* next; int value; };
__global__ void lists(int* out) {
    __shared__ Node* head;
    if (threadIdx.x == 0) head = nullptr;
    __syncthreads();
    Node* node = (Node*)malloc(sizeof(Node));
    node->value = blockIdx.x * 1000 + threadIdx.x;
    node->next = (Node*)atomicExch((unsigned long long*)&head, (unsigned long long)node);
    __syncthreads();
    if (threadIdx.x) return;
    int sum = 0;
    for (Node* n = head; n;) {
        Node* next = n->next;
        sum += n->value;
        free(n);
        n = next;
    }
    out[blockIdx.x] = sum;
}

__global__ void lines() {
    for (int n = 0; n < 3; ++n)
        if (threadIdx.x % 20 == 0) printf("block %d line %d thread %d\n", blockIdx.x, n, threadIdx.x);
}

__global__ void histogram(const unsigned char* in, unsigned* counts, float* weights, int n) {
    __shared__ unsigned local[16];
    if (threadIdx.x < 16) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i] & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16) {
        atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
        atomicAdd(&weights[threadIdx.x], 0.25f * local[threadIdx.x]);
    }
}

// Each round, every element becomes the sum of its neighbours of the round before.
__global__ void rounds(unsigned* a, unsigned* b, int count) {
    const auto grid = cooperative_groups::this_grid();
    const int n = grid.size(), i = grid.thread_rank();
    for (int r = 0; r < count; ++r) {
        b[i] = a[(i + 1) % n] + a[(i + n - 1) % n];
        grid.sync();
        unsigned* c = a;
        a = b;
        b = c;
    }
}

}
