// Scans of rows: one row per thread, one row per block, or 32 adjacent rows per block.
//$ scan_preface
$headers$$preamble$
typedef $type$ scan_type;

__device__ __forceinline__ scan_type join(const scan_type& a, const scan_type& b)
{
    return static_cast<scan_type>($expression$);
}

/// The neutral element is not joined to the first one: 0 + -0.0 is 0.0, and 1 * inf has an imaginary NaN.
__device__ __forceinline__ scan_type join_unless(bool is_first, const scan_type& before, const scan_type& next)
{
    return is_first ? next : join(before, next);
}
//$ by_thread
//$     One thread scans a row. For short rows, and for very many rows.

extern "C" __global__ void __launch_bounds__(128) $name$($parameters$, size_t n)
{
    const unsigned long long row = blockIdx.x * 128ull + threadIdx.x;
    if (row >= space.rows) return;
$setup$    scan_type sum = $neutral$;
    for (size_t i = 0; i < n; i += 4) {
        scan_type next[4];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (i + k < n) next[k] = $input$;
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (i + k < n) {
                const scan_type prev_item = sum;
                const scan_type item = sum = join_unless(i + k == 0, sum, next[k]);
                static_cast<void>(prev_item);
                static_cast<void>(item);
                $output$;
            }
    }
}
//$ by_block
//$     One block scans a row of moderate length, 512 elements at a time. Short, so that it compiles quickly.

extern "C" __global__ void __launch_bounds__(512) $name$($parameters$, size_t n)
{
    enum { threads = 512 };
    __shared__ pycuda::arrays::Room<scan_type> sums[2][threads];
    const unsigned tid = threadIdx.x;
    const unsigned long long row = blockIdx.x;
    static_cast<void>(row);
$setup$    scan_type carry = $neutral$;
#pragma unroll 1
    for (size_t begin = 0; begin < n; begin += threads) {
        const size_t i = begin + tid;
        scan_type sum = $neutral$;
        if (i < n) sum = $input$;
        unsigned turn = 0;  // 1 after the loop's 9 turns: the next elements go where no thread reads any more
        sums[0][tid].put(sum);
        __syncthreads();
#pragma unroll 1
        for (unsigned distance = 1; distance < threads; distance *= 2) {
            if (tid >= distance) sum = join(sums[turn][tid - distance].get(), sum);
            turn ^= 1;
            sums[turn][tid].put(sum);
            __syncthreads();
        }
        if (i < n) {
            const scan_type prev_item = tid > 0 ? join_unless(begin == 0, carry, sums[turn][tid - 1].get()) : carry;
            const scan_type item = join_unless(begin == 0, carry, sum);
            static_cast<void>(prev_item);
            static_cast<void>(item);
            $output$;
        }
        carry = join_unless(begin == 0, carry, sums[turn][threads - 1].get());
    }
}
//$ by_columns
//$     For scans along columns: rows that are adjacent in memory, unlike the elements of one. The lanes of a warp have 32 adjacent rows, and in every
//$     step each warp has `ahead` elements of them. The warps exchange sums through two buffers in turn, so one barrier per step is enough.

extern "C" __global__ void __launch_bounds__(32 * $warps$) $name$($parameters$, size_t n)
{
    enum { warps = $warps$, ahead = $ahead$ };
    __shared__ pycuda::arrays::Room<scan_type> sums[2][warps][32];
    const unsigned across = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned long long row = blockIdx.x * 32ull + across;
    const bool exists = row < space.rows;
$setup$    scan_type carry = $neutral$;
    unsigned turn = 0;
#pragma unroll 1
    for (size_t begin = 0; begin < n; begin += warps * ahead, turn ^= 1) {
        const size_t i = begin + warp * ahead;
        scan_type sum[ahead];
#pragma unroll
        for (int k = 0; k < ahead; ++k) sum[k] = exists && i + k < n ? scan_type($input$) : $neutral$;
#pragma unroll
        for (int k = 1; k < ahead; ++k) sum[k] = join(sum[k - 1], sum[k]);
        sums[turn][warp][across].put(sum[ahead - 1]);
        __syncthreads();
        scan_type before = carry;
#pragma unroll 4
        for (unsigned k = 0; k < warps; ++k) {
            const scan_type other = sums[turn][k][across].get();
            const bool is_first = begin + k == 0;
            if (k < warp) before = join_unless(is_first, before, other);
            carry = join_unless(is_first, carry, other);
        }
#pragma unroll
        for (int k = 0; k < ahead; ++k)
            if (exists && i + k < n) {
                const bool is_first = begin + warp == 0;
                const scan_type prev_item = k > 0 ? join_unless(is_first, before, sum[k > 0 ? k - 1 : 0]) : before;
                const scan_type item = join_unless(is_first, before, sum[k]);
                static_cast<void>(prev_item);
                static_cast<void>(item);
                $output$;
            }
    }
}
