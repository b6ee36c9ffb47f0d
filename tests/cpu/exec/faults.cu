// Kernels that do what they must not.
#include <cooperative_groups.h>

struct Block {
    int values[8];
};

extern "C" {

__constant__ int table[4] = {1, 2, 3, 4};
__device__ int variable[4];
__device__ int sink;

// --- access: `offset` is in bytes ---------------------------------------------------------------------------------
__global__ void load_bytes(const char* p, long offset, int size) {
    if (threadIdx.x != 3) return;
    p += offset;
    if (size == 1) sink = *p;
    if (size == 2) sink = *(const short*)p;
    if (size == 4) sink = *(const int*)p;
    if (size == 8) sink = *(const long*)p;
    if (size == 16) {
        const int4 v = *(const int4*)p;
        sink = v.x + v.y + v.z + v.w;
    }
}
__global__ void store_bytes(char* p, long offset, int size) {
    if (threadIdx.x != 3) return;
    p += offset;
    if (size == 1) *p = 1;
    if (size == 2) *(short*)p = 1;
    if (size == 4) *(int*)p = 1;
    if (size == 8) *(long*)p = 1;
    if (size == 16) *(int4*)p = make_int4(1, 2, 3, 4);
}
__global__ void atomic_at(char* p, long offset) { atomicAdd((int*)(p + offset), 1); }
__global__ void wide_atomic_at(char* p, long offset) { atomicMax((unsigned long long*)(p + offset), 1ull); }

// 16 bytes to shared memory, of which `take` are read.
__global__ void copy_async_at(const char* p, long offset, int to, int take) {
    __shared__ __align__(16) char s[64];
    const unsigned target = (unsigned)__cvta_generic_to_shared(s) + to;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(p + offset), "r"(take));
    asm volatile("cp.async.wait_all;" ::: "memory");
    sink = s[threadIdx.x];
}
__global__ void static_shared_at(int offset, int write) {
    __shared__ int s[16];
    int* p = (int*)((char*)s + offset);
    if (write) *(volatile int*)p = 1;
    else sink = *(volatile int*)p;
}
__global__ void dynamic_shared_at(int offset, int write) {
    extern __shared__ int d[];
    int* p = (int*)((char*)d + offset);
    if (write) *(volatile int*)p = 1;
    else sink = *(volatile int*)p;
}
__global__ void shared_atomic_at(int offset) {
    __shared__ int s[16];
    s[threadIdx.x % 16] = 0;
    __syncthreads();
    atomicAdd((int*)((char*)s + offset), 1);
    __syncthreads();
    sink = s[threadIdx.x % 16];
}
__device__ __noinline__ int read_generic(const volatile int* p) { return *p; }
__global__ void generic_shared_at(int offset) {
    __shared__ int s[16];
    s[threadIdx.x % 16] = 0;
    sink = read_generic((int*)((char*)s + offset));
}
__global__ void local_memory_at(int offset, int write) {
    volatile int a[8];
    for (int k = 0; k < 8; ++k) a[k] = k;
    volatile int* p = (volatile int*)((volatile char*)a + offset);
    if (write) *p = 1;
    sink = *p + a[3];
}
__global__ void generic_local_at(int offset) {
    int a[8];
    for (int k = 0; k < 8; ++k) a[k] = k;
    sink = read_generic((int*)((char*)a + offset));
}
__global__ void constant_at(int offset) { sink = *(const int*)((const char*)table + offset); }
__device__ __noinline__ void put(int* p, int v) { *p = v; }
__global__ void constant_store(int index) { put((int*)&table[index], 1); }
__global__ void variable_at(int offset) { *(int*)((char*)variable + offset) = 1; }
__global__ void parameter_at(const __grid_constant__ Block b, int offset) {
    sink = read_generic((const int*)((const char*)&b + offset));
}

__global__ void free_twice() {
    int* p = (int*)malloc(16);
    free(p);
    if (threadIdx.x == 2) free(p);
}
__global__ void use_freed_heap() {
    int* p = (int*)malloc(64);
    *(volatile int*)p = 1;
    free(p);
    ((volatile int*)p)[threadIdx.x + 2] = 1;
}

// --- barriers -----------------------------------------------------------------------------------------------------
__global__ void different_barriers() {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("bar.sync 2, 64;" ::: "memory");
}
__global__ void different_counts() {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("bar.sync 1, 96;" ::: "memory");
}
__global__ void odd_count(int count) { asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory"); }
__global__ void half_warp_barrier() {
    if (threadIdx.x < 16) asm volatile("barrier.sync 3, 64;" ::: "memory");
    else asm volatile("barrier.sync 4, 64;" ::: "memory");
}
__global__ void exits_before_barrier() {
    if (threadIdx.x >= 32) return;
    asm volatile("bar.sync 1, 64;" ::: "memory");
}
__global__ void skips_barrier(int last) {
    for (int k = 0; k < 2; ++k)
        if (k == 0 || threadIdx.x / 32 != last) asm volatile("bar.sync 1, 96;" ::: "memory");
}
__global__ void missing_lanes() {
    if (threadIdx.x % 2) __syncwarp();
    else asm volatile("barrier.sync 1, 64;" ::: "memory");
}
// Completes: a count is one of whole warps, so the lanes that the last warp lacks count too.
__global__ void partial_warp_barrier(int* out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = s[47 - threadIdx.x];
}

// --- memory that nothing wrote ------------------------------------------------------------------------------------
__global__ void copy_words(const int* from, int* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
__global__ void copy_bytes(const char* from, char* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
__global__ void copy_vectors(const int4* from, int4* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
__global__ void fill_odd(int* p) {
    if (threadIdx.x % 2) p[threadIdx.x] = 1;
}
__global__ void read_odd(const int* p, int* out) {
    if (threadIdx.x % 2) out[threadIdx.x] = p[threadIdx.x];
}
__global__ void set_by_exchange(int* p) { atomicExch(&p[threadIdx.x], 1); }
__global__ void read_variable(int* out) { out[threadIdx.x] = variable[threadIdx.x % 4] + table[threadIdx.x % 4]; }
__global__ void fetch_async(const int* from, int* out) {
    __shared__ __align__(16) int s[128];
    const unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * threadIdx.x]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + 4 * threadIdx.x));
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = s[4 * threadIdx.x];
}
__global__ void read_heap(int* out) {
    int* p = (int*)malloc(16);
    p[0] = 1;
    out[0] = p[0];
    out[1] = p[threadIdx.x + 1];
    free(p);
}
__global__ void fetch_texels(cudaTextureObject_t texture, int* out) {
    out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x);
}
__global__ void sample_texels(cudaTextureObject_t texture, float* out) {
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.75f, 0.5f);
}
__global__ void set_texels(cudaSurfaceObject_t surface, int n) {
    if (threadIdx.x < n) surf1Dwrite((int)threadIdx.x, surface, 4 * threadIdx.x);
}
__global__ void set_texel_at(cudaSurfaceObject_t surface, int byte) { surf1Dwrite(7, surface, byte); }
__global__ void get_texels(cudaSurfaceObject_t surface, int* out) {
    out[threadIdx.x] = surf1Dread<int>(surface, 4 * threadIdx.x);
}
__global__ void read_shared(int written, int* out) {
    __shared__ int s[64];
    if (threadIdx.x < written) s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}
// The compiler moves the load out of the branch.
__global__ void hoisted_load(int c, int* out) {
    __shared__ int s;
    if (threadIdx.x == 0 && c) s = out[5];
    __syncthreads();
    int v = 7;
    if (c) v = s;
    out[threadIdx.x] = v;
}

// --- local memory that nothing wrote ------------------------------------------------------------------------------
__global__ void read_local(int written, const int* in, int* out) {
    int a[16];
    for (int i = 0; i < written; ++i) a[i] = in[i];
    out[threadIdx.x] = a[in[threadIdx.x] & 15];
}
__device__ __noinline__ int pick(int written, const int* in) {
    int a[16];
    for (int i = 0; i < written; ++i) a[i] = in[i];
    return a[in[threadIdx.x] & 15];
}
__global__ void read_frame_again(int first, int second, const int* in, int* out) {
    out[threadIdx.x] = pick(first, in);
    out[threadIdx.x] += pick(second, in);
}
__device__ __noinline__ int pick_of(Block b, const int* in) { return b.values[in[threadIdx.x] & 7]; }
__global__ void pass_local(const int* in, int* out) {
    Block b;
    b.values[in[threadIdx.x] & 7] = 5;
    out[threadIdx.x] = pick_of(b, in);
}
__global__ void add_to_local(int written, const int* in, int* out) {
    int a[16];
    for (int i = 0; i < written; ++i) a[i] = in[i];
    a[in[threadIdx.x] & 15] += 5;
    out[threadIdx.x] = a[in[threadIdx.x] & 15];
}
struct Flags {
    unsigned kind : 7, level : 20;
};
__device__ __noinline__ void set_flags(Flags* flags, int value) {
    flags->kind = value;
    flags->level = value;
}
__global__ void set_bit_fields(Flags* flags, int value, unsigned* out) {
    Flags local[4];
    for (int i = 0; i < value; ++i) set_flags(&local[i], i);
    set_flags(&flags[threadIdx.x], value);
    out[threadIdx.x] = local[value - 1].level + flags[threadIdx.x].level;
}
// The compiler reads the element whatever c is.
__global__ void hoisted_local_load(int c, const int* in, int* out) {
    int a[8];
    for (int i = 0; i < c; ++i) a[i] = in[i];
    int v = 7;
    if (c > 3) v = a[3];
    if (c > 0) v += a[in[0] & c];
    out[threadIdx.x] = v;
}

// --- shared memory without barriers -------------------------------------------------------------------------------
__global__ void neighbours(int barrier, int* out) {
    __shared__ int tile[256];
    tile[threadIdx.x] = threadIdx.x;
    if (barrier) __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[(threadIdx.x + 1) % blockDim.x];
}
__global__ void shift(int barrier, int* out) {
    extern __shared__ int d[];
    d[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const int v = d[(threadIdx.x + 40) % blockDim.x];
    if (barrier) __syncthreads();
    d[threadIdx.x] = v;
    __syncthreads();
    out[threadIdx.x] = d[threadIdx.x];
}
__global__ void all_write(int same, int* out) {
    __shared__ int s;
    s = same ? 7 : (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s;
}
__global__ void bytes(int step, char* out) {
    __shared__ char c[64];
    c[step * threadIdx.x % 64] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = c[threadIdx.x];
}
__global__ void word_over_bytes(int* out) {
    __shared__ __align__(8) char c[64];
    c[threadIdx.x] = 1;
    if (threadIdx.x == 5) *(volatile int*)&c[8] = 2;
    __syncthreads();
    out[threadIdx.x] = c[threadIdx.x];
}
__global__ void count_shared(int barrier, int* out) {
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    atomicAdd(&n, 1);
    if (barrier) __syncthreads();
    out[threadIdx.x] = n;
}
__global__ void old_reduction(const int* in, int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        volatile int* v = s;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0) out[0] = s[0];
}
__global__ void volatile_between_warps(int* out) {
    __shared__ volatile int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void within_warp(int sync, int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = t;
    int v = 0;
    if (sync == 1) __syncwarp();
    if (sync == 2) v = __shfl_xor_sync(0xffffffffu, t, 1);
    if (sync == 3) v = __any_sync(0xffffffffu, t == 0);
    if (sync == 4) __syncwarp(0x0000ffffu << (t & 16));
    out[t] = s[t ^ 1] + v;
}
__global__ void half_warps(int across, int* out) {
    __shared__ int s[32];
    const int t = threadIdx.x;
    s[t] = t;
    if (t < 16) __syncwarp(0x0000ffffu);
    else __syncwarp(0xffff0000u);
    out[t] = s[t ^ (across ? 16 : 1)];
}
// Warp 0 makes, warp 1 uses: full (1, 3, ...) and empty (2) are named barriers.
__global__ void producer_consumer(int wait, int rounds, int* out) {
    __shared__ int s[32];
    const int t = threadIdx.x % 32;
    for (int k = 0; k < rounds; ++k) {
        if (threadIdx.x < 32) {
            if (wait) asm volatile("bar.sync 2, 64;" ::: "memory");
            s[t] = k + t;
            asm volatile("bar.arrive %0, 64;" ::"r"(1 + k % 2 * 2) : "memory");
        } else {
            if (wait) asm volatile("bar.arrive 2, 64;" ::: "memory");
            asm volatile("bar.sync %0, 64;" ::"r"(1 + k % 2 * 2) : "memory");
            out[32 * k + t] = s[31 - t];
        }
    }
}
// Warp 2 meets warp 1, which has met warp 0.
__global__ void through_another_warp(int sync, int* out) {
    __shared__ int s[32];
    const int t = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp == 0) s[t] = t;
    if (warp < 2 && sync) asm volatile("bar.sync 1, 64;" ::: "memory");
    if (warp > 0) asm volatile("bar.sync 2, 64;" ::: "memory");
    if (warp == 2) out[t] = s[31 - t];
}
// Warp 0 sends a message to warp 1: with a fence before the flag is set, or not.
__global__ void flag_between_warps(int fence, int* out) {
    __shared__ int message[32], flag;
    const int t = threadIdx.x % 32;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        message[t] = t;
        __syncwarp();
        if (fence == 1) __threadfence_block();
        if (t == 0 && fence < 2) atomicExch(&flag, 1);
        if (t == 0 && fence == 2) asm volatile("st.release.cta.shared.u32 [%0], 1;" ::"r"((unsigned)__cvta_generic_to_shared(&flag)) : "memory");
    } else {
        if (t == 0) while (atomicAdd(&flag, 0) == 0) {}
        __syncwarp();
        out[t] = message[31 - t];
    }
}
__global__ void tiles_of_two_warps(int sync, int* out) {
    __shared__ int s[128];
    const int t = threadIdx.x;
    const auto tile = cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block());
    for (int k = 0; k < 3; ++k) {
        s[t] = t + k;
        if (sync) tile.sync();
        out[t] = s[t ^ 32];
        if (sync) tile.sync();
    }
}
__global__ void generic_race(int* out) {
    __shared__ int s[2];
    put(&s[threadIdx.x % 2], threadIdx.x);
    out[threadIdx.x] = threadIdx.x;
}
__global__ void fetch_and_share(int barrier, const int* from, int* out) {
    __shared__ __align__(16) int s[128];
    const unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * threadIdx.x]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + 4 * threadIdx.x));
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (barrier) __syncthreads();
    out[threadIdx.x] = s[4 * (threadIdx.x ^ 1)];
}
__global__ void diverged(int barrier, int* out) {
    __shared__ int s[64];
    if (threadIdx.x % 3 == 0) s[threadIdx.x] = 1;
    else s[threadIdx.x] = 2;
    for (unsigned k = 0; k < threadIdx.x % 5; ++k) s[threadIdx.x] += k;
    if (barrier) __syncthreads();
    if (threadIdx.x % 2) out[threadIdx.x] = s[threadIdx.x - 1];
    else out[threadIdx.x] = s[(threadIdx.x + 33) % 64];
}
}
