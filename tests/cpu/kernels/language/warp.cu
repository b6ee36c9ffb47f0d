// What the lanes of a warp tell each other, with and without all of them.

extern "C" __global__ void votes_and_shuffles(const int* in, unsigned* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x % 32, value = in[i];
    unsigned r = __ballot_sync(~0u, value > 5);
    r += __any_sync(~0u, value == 7) * 3 + __all_sync(~0u, value < 9) * 5;
    int same;
    r ^= __match_all_sync(~0u, blockIdx.x % 3 ? value : value / 64, &same) * 7 + same;
    r += __shfl_up_sync(~0u, value, 3) + 10 * __shfl_down_sync(~0u, value, 5, 16);
    r += 100 * __shfl_sync(~0u, value, t * 7, 8);
    out[i] = r;
}

// A warp's equal keys are counted by one atomic.
extern "C" __global__ void count_by_match(const unsigned long long* keys, int* counts, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned live = __ballot_sync(~0u, i < n);
    if (i >= n) return;
    const unsigned peers = __match_any_sync(live, keys[i]);
    if (threadIdx.x % 32 == __ffs(peers) - 1) atomicAdd(&counts[keys[i] >> 40], __popc(peers));
}

// A 32 by 32 matrix of bits turned by ballots; one warp a matrix.
extern "C" __global__ void transpose_bits(const unsigned* in, unsigned* out) {
    const int lane = threadIdx.x, row = blockIdx.x * 32;
    const unsigned mine = in[row + lane];
    unsigned result = 0;
    for (int bit = 0; bit < 32; ++bit) {
        const unsigned column = __ballot_sync(~0u, mine >> bit & 1);
        if (lane == bit) result = column;
    }
    out[row + lane] = result;
}

// Elements that pass are written without gaps, in order: ranks by ballot, warps by a scan in shared memory.
extern "C" __global__ void compact(const int* in, int* out, int* lengths) {
    __shared__ int starts[9];
    const int i = blockIdx.x * 256 + threadIdx.x, warp = threadIdx.x / 32, value = in[i];
    const bool passes = value % 3 == 1;
    const unsigned vote = __ballot_sync(~0u, passes);
    if (threadIdx.x % 32 == 0) starts[warp + 1] = __popc(vote);
    __syncthreads();
    if (threadIdx.x == 0) {
        starts[0] = 0;
        for (int w = 0; w < 8; ++w) starts[w + 1] += starts[w];
        lengths[blockIdx.x] = starts[8];
    }
    __syncthreads();
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    if (passes) out[blockIdx.x * 256 + starts[warp] + __popc(vote & below)] = value;
}

// Sorts 32 doubles in registers, by exchanges with the lane whose number differs in one bit.
extern "C" __global__ void sort_in_registers(double* data) {
    double* const at = data + blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    double mine = *at;
#pragma unroll
    for (int size = 2; size <= 32; size *= 2)
#pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            const double other = __shfl_xor_sync(~0u, mine, distance);
            const bool lower = !(lane & distance), ascending = !(lane & size) || size == 32;
            mine = lower == ascending ? fmin(mine, other) : fmax(mine, other);
        }
    *at = mine;
}

// Halves of a warp walk apart and talk among themselves; the odd lanes of the upper half leave.
extern "C" __global__ void divergent_groups(const int* in, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int value = in[i];
    if (lane < 16) {
        for (int d = 1; d < 16; d *= 2) value += __shfl_xor_sync(0x0000ffffu, value, d);
    } else if (lane % 2) {
        out[i] = -1;
        return;
    } else {
        const unsigned even = 0x55550000u;
        for (int d = 2; d < 16; d *= 2) value = max(value, __shfl_xor_sync(even, value, d));
        value += __popc(__ballot_sync(even, value & 1));
        __syncwarp(even);
    }
    out[i] = value;
}

// A bit of everything that one 32-bit word can go through.
extern "C" __global__ void bit_tricks(const unsigned* in, unsigned* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];
    unsigned r = __brev(a) + __clz(b) * 3 + __ffs(c) * 5 + __popc(a ^ b);
    r ^= __byte_perm(a, b, c & 0x7777) + __funnelshift_l(a, b, c) + __funnelshift_rc(b, c, a & 63);
    r += __umulhi(a, b) ^ __mulhi(static_cast<int>(a), static_cast<int>(b)) ^ __mul24(a, b) ^ __umul24(b, c);
    r ^= __sad(a, b, c) + __usad(b, c, a) + __hadd(a, b) + __rhadd(b, c) + __uhadd(c, a);
    r += __dp4a(a, b, c) ^ __dp2a_lo(a, b, c) ^ __vadd4(a, b) ^ __vabsdiffu4(b, c) ^ __vmaxs2(a, c);
    const unsigned long long wide = static_cast<unsigned long long>(a) << 32 | b;
    r ^= __popcll(wide) + __clzll(wide | 1) + __ffsll(wide) + static_cast<unsigned>(__brevll(wide) >> 17);
    out[i] = r + static_cast<unsigned>(__umul64hi(wide, wide ^ c)) + static_cast<unsigned>(wide % (c | 1));
}
