// Clusters of blocks: their places, their barrier, each other's shared memory.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// What each block knows of its cluster.
extern "C" __global__ void __cluster_dims__(2, 3, 1) places(uint4* out) {
    const cg::cluster_group cluster = cg::this_cluster();
    const dim3 at = cluster.block_index(), of = cluster.dim_blocks();
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (threadIdx.x) return;
    out[2 * block] = {at.x, at.y, at.z, cluster.block_rank()};
    out[2 * block + 1] = {of.x, of.y * 10 + of.z, cluster.num_blocks(), cluster.num_threads()};
}

// As places, of whatever cluster the launch says.
extern "C" __global__ void ranks(unsigned* out) {
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
    if (threadIdx.x == 0) out[block] = cluster.block_rank() * 1000 + cluster.num_blocks();
}

// Every block hands its numbers to the next one of its cluster, as often as there are blocks: each ends with its own.
extern "C" __global__ void ring(const int* in, int* out, int rounds) {
    __shared__ int mine[2][64];
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    mine[0][threadIdx.x] = in[i];
    cluster.sync();
    for (int round = 0; round < rounds; ++round) {
        int* there = cluster.map_shared_rank(mine[(round + 1) & 1], next);
        there[threadIdx.x] = mine[round & 1][threadIdx.x] + 1;
        cluster.sync();
    }
    out[i] = mine[rounds & 1][threadIdx.x];
}

// Bins that one block's shared memory does not hold: each block of the cluster has a part of them.
extern "C" __global__ void histogram(const unsigned* in, int count, int* bins, int bins_per_block) {
    extern __shared__ int part[];
    const cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) part[i] = 0;
    cluster.sync();
    const int all = bins_per_block * cluster.num_blocks();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const int bin = in[i] % all;
        atomicAdd(cluster.map_shared_rank(part, bin / bins_per_block) + bin % bins_per_block, 1);
    }
    cluster.sync();
    int* const mine = bins + cluster.block_rank() * bins_per_block;
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) atomicAdd(mine + i, part[i]);
}

// Arrives, does something else, then waits; addresses in the window .shared::cluster, and which block one is of.
extern "C" __global__ void __cluster_dims__(4, 1, 1) window(unsigned* out) {
    __shared__ unsigned value[32];
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), other = rank ^ 1;
    value[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
    cluster.barrier_arrive();
    const unsigned here = static_cast<unsigned>(__cvta_generic_to_shared(value));
    unsigned there, found, of, generic_of, is_there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(other));
    cluster.barrier_wait();
    asm volatile("ld.shared::cluster.u32 %0, [%1+4];" : "=r"(found) : "r"(there) : "memory");
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(of) : "r"(there));
    asm("getctarank.u64 %0, %1;" : "=r"(generic_of) : "l"(value));
    asm("{.reg .b64 a; .reg .pred p, q, r; mapa.u64 a, %1, %2; isspacep.shared::cluster p, a; isspacep.shared::cta q, a;"
        "isspacep.global r, a; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 10; @r add.u32 %0, %0, 100;}"
        : "=r"(is_there) : "l"(value), "r"(other));
    asm volatile("red.shared::cluster.add.u32 [%0], 7;" ::"r"(there) : "memory");
    asm volatile("{.reg .u32 old; atom.shared::cluster.max.u32 old, [%0], 5000;}" ::"r"(there + 124) : "memory");
    cluster.sync();
    if (threadIdx.x == 0) {
        unsigned* const o = out + 8 * blockIdx.x;
        o[0] = found;
        o[1] = of;
        o[2] = generic_of;
        o[3] = is_there;
        o[4] = value[0];
        o[5] = value[31];
    }
}

// Blocks tell block 0 through an mbarrier in its shared memory that their part of its array is written.
extern "C" __global__ void __cluster_dims__(4, 1, 1) signal(const int* in, int* out) {
    __shared__ int all[4 * 32];
    __shared__ unsigned long long ready;
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    const unsigned object = static_cast<unsigned>(__cvta_generic_to_shared(&ready));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(object) : "memory");
    cluster.sync();
    cluster.map_shared_rank(all, 0)[rank * 32 + threadIdx.x] = 3 * in[blockIdx.x * 32 + threadIdx.x];
    asm volatile("{.reg .b32 a; mapa.shared::cluster.u32 a, %0, 0;"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a];}" ::"r"(object) : "memory");
    if (rank == 0) {
        asm volatile("{.reg .pred p; wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;"
                     "@!p bra wait;}" ::"r"(object) : "memory");
        for (int n = threadIdx.x; n < 128; n += 32) out[blockIdx.x * 32 + n] = all[127 - n];
    }
    cluster.sync();
}

// Stores and additions that tell the mbarrier of their target how many bytes came.
extern "C" __global__ void __cluster_dims__(2, 1, 1) asynchronous(int* out) {
    __shared__ alignas(16) int values[32], sum;
    __shared__ unsigned long long ready;
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned object = static_cast<unsigned>(__cvta_generic_to_shared(&ready));
    const unsigned here = static_cast<unsigned>(__cvta_generic_to_shared(values)) + 4 * threadIdx.x;
    const unsigned total = static_cast<unsigned>(__cvta_generic_to_shared(&sum));
    if (threadIdx.x == 0) {
        sum = 1000;
        asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(object) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(object) : "memory");
    }
    cluster.sync();
    asm volatile("{.reg .b32 a, b, c; mapa.shared::cluster.u32 a, %0, %3; mapa.shared::cluster.u32 b, %1, %3;"
                 "mapa.shared::cluster.u32 c, %4, %3;"
                 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [a], %2, [b];"
                 "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [c], %5, [b];}" ::"r"(here),
                 "r"(object), "r"(blockIdx.x * 32 + threadIdx.x), "r"(cluster.block_rank() ^ 1), "r"(total),
                 "r"(threadIdx.x)
                 : "memory");
    asm volatile("{.reg .pred p; wait: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra wait;}" ::"r"(object)
                 : "memory");
    out[blockIdx.x * 32 + threadIdx.x] = values[threadIdx.x] + 10000 * sum;
    cluster.sync();
}
