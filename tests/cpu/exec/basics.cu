// What most kernels use.
#include <cassert>
#include <cstdio>

extern "C" {

__constant__ float weights[4] = {1, 10, 100, 1000};
__device__ int counter = 5;
__device__ int* counter_pointer = &counter;

__global__ void saxpy(float a, const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void functions(const float* x, const double* d, float* of, double* od, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    of[4 * i] = sinf(x[i]);
    of[4 * i + 1] = expf(x[i]) + sqrtf(fabsf(x[i]));
    of[4 * i + 2] = powf(fabsf(x[i]), 1.25f);
    of[4 * i + 3] = x[i] / 3.7f + logf(fabsf(x[i]) + 1) * weights[i & 3];
    od[4 * i] = sin(d[i]);
    od[4 * i + 1] = exp(d[i] * 0.01) / (1 + sqrt(fabs(d[i])));
    od[4 * i + 2] = pow(fabs(d[i]), 0.3);
    od[4 * i + 3] = log(fabs(d[i]) + 1);
}

__global__ void collatz(const unsigned* start, int* steps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = start[i];
    int count = 0;
    while (v != 1) {
        v = v % 2 ? 3 * v + 1 : v / 2;
        ++count;
    }
    steps[i] = count;
}

__global__ void reverse_shared(int* data) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[64];
    const int t = threadIdx.x;
    fixed[t] = data[t];
    dynamic[blockDim.x - 1 - t] = 2 * fixed[t];
    __syncthreads();
    data[t] = dynamic[t] + fixed[blockDim.x - 1 - t];
}

__global__ void local_array(const int* order, int* out) {
    int a[16];
    for (int k = 0; k < 16; ++k) a[k] = threadIdx.x * k;
    int sum = 0;
    for (int k = 0; k < 16; ++k) {
        a[order[k]] += 1;
        sum += a[order[15 - k]];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void count(int* histogram, const int* bins, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&histogram[bins[i]], 1);
    if (i == 0) atomicAdd(counter_pointer, 2);
}

__global__ void print() {
    printf("thread %d of block %d: %5.2f %s %c %lld\n", threadIdx.x, blockIdx.x, threadIdx.x * 0.5, "text", 'x',
           1ll << (40 + threadIdx.x));
}

__global__ void check(int limit) { assert(threadIdx.x < limit); }

__global__ void store_at(int* p, long offset, int value) {
    if (threadIdx.x == 3) *(int*)((char*)p + offset) = value;
}
__global__ void load_at(const char* p, long offset, int* out) {
    if (threadIdx.x == 3) *out = *(const int*)(p + offset);
}
__global__ void shared_at(int index, int* out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + index];
}
__global__ void local_at(int index, int* out) {
    volatile int a[8];
    for (int k = 0; k < 8; ++k) a[k] = k;
    out[threadIdx.x] = a[index];
}
__global__ void write_constant(int* out) {
    if (out == nullptr) *(float*)&weights[1] = 1;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

__device__ __noinline__ int twice(int v) { return 2 * v; }
__device__ __noinline__ int square(int v) { return v * v; }
__device__ int (*table[2])(int) = {twice, square};
__global__ void indirect(int* out) { out[threadIdx.x] = table[threadIdx.x % 2](threadIdx.x); }

__device__ __noinline__ int endless_recursion(int n) { return n + endless_recursion(n + 1) * 3; }
__global__ void overflow(int* out) { out[0] = endless_recursion(out[0]); }

struct Big { int v[20]; };
__global__ void by_value(Big big, int* out) { out[threadIdx.x] = big.v[threadIdx.x % 20]; }

__global__ void heap(int* out) {
    int* p = (int*)malloc(4 * (threadIdx.x + 1));
    for (int k = 0; k <= threadIdx.x; ++k) p[k] = k;
    int sum = 0;
    for (int k = 0; k <= threadIdx.x; ++k) sum += p[k];
    free(p);
    out[threadIdx.x] = sum;
}

__global__ void choose(int which, int* out) {
    int v = threadIdx.x;
    switch (v % 7) {
    case 0: v += 11; break;
    case 1: v *= 3; break;
    case 2: v ^= 0x55; break;
    case 3: v = v * v - which; break;
    case 4: v -= 100; break;
    case 5: v = ~v; break;
    default: v = which; break;
    }
    out[threadIdx.x] = v;
}

__device__ __noinline__ int endless_arrays(int* x, int n) {
    int local[16];
    for (int i = 0; i < 16; i++) local[i] = x[i] + n;
    return x[n & 15] == 12345 ? local[n & 15] : endless_arrays(x, n + 1) + local[n & 7];
}
__global__ void overflow_of_arrays(int* out) { out[0] = endless_arrays(out, 0); }

__device__ int through_pointer(int* x, int n);
__device__ int (*endless_table[1])(int*, int) = {through_pointer};
__device__ __noinline__ int through_pointer(int* x, int n) {
    int local[16];
    for (int i = 0; i < 16; i++) local[i] = x[i] + n;
    return x[n & 15] == 12345 ? local[n & 15] : endless_table[n & 0](x, n + 1) + local[n & 7];
}
__global__ void overflow_through_pointers(int* out) { out[0] = endless_table[0](out, 0); }
}
