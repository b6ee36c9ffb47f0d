#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
__global__ void g(int* a, float* f) {
    auto b = cg::this_thread_block();
    auto gr = cg::this_grid();
    auto t = cg::tiled_partition<16>(b);
    a[0] = cg::reduce(t, a[1], cg::plus<int>());
    f[0] = cg::reduce(t, f[1], cg::greater<float>());
    a[3] = cg::inclusive_scan(t, a[4]);
    b.sync();
    gr.sync();
    auto c = cg::coalesced_threads();
    a[5] = c.size() + c.thread_rank() + c.shfl(a[3], 0);
    auto l = cg::labeled_partition(t, a[1]);
    a[6] = l.size();
    a[7] = gr.thread_rank();
    t.sync();
    c.sync();
    a[8] = t.match_any(a[2]) + t.any(a[3]) + t.ballot(a[4]);
    auto bp = cg::binary_partition(t, a[1] > 2);
    a[9] = bp.size();
    cg::invoke_one(t, [&] { a[10] = 1; });
}
__global__ void cp(int4* a, int4* o) {
    __shared__ int4 s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 16);
    __pipeline_memcpy_async((int*)&s[threadIdx.x], (int*)&a[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x ^ 1];
}
