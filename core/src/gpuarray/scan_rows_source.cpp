#include <algorithm>
#include <string>

#include "scan_source.hpp"
#include "text.hpp"

namespace pycuda::gpuarray {
namespace {

constexpr const char* scan_preface = R"($headers$$preamble$
typedef $type$ scan_type;

__device__ __forceinline__ scan_type join(const scan_type& a, const scan_type& b)
{
    return static_cast<scan_type>($expression$);
}
)";

/// For short rows, and for very many.
constexpr const char* by_thread = R"(
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
                const scan_type item = sum = join(sum, next[k]);
                static_cast<void>(prev_item);
                static_cast<void>(item);
                $output$;
            }
    }
}
)";

/// For rows that are not long: neighbours to neighbouring threads, a stretch after the other. A short text.
constexpr const char* by_block = R"(
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
        unsigned turn = 0;  // and 1 after an odd number of turns, so that the next stretch writes where nobody reads
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
            const scan_type prev_item = tid > 0 ? join(carry, sums[turn][tid - 1].get()) : carry;
            const scan_type item = join(carry, sum);
            static_cast<void>(prev_item);
            static_cast<void>(item);
            $output$;
        }
        carry = join(carry, sums[turn][threads - 1].get());
    }
}
)";

/// For columns: neighbours lie side by side. Each warp has some elements of every step; their sums go through shared
/// memory, in turns of two, so that one barrier a step is enough.
constexpr const char* by_columns = R"(
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
            if (k < warp) before = join(before, other);
            carry = join(carry, other);
        }
#pragma unroll
        for (int k = 0; k < ahead; ++k)
            if (exists && i + k < n) {
                const scan_type prev_item = k > 0 ? join(before, sum[k > 0 ? k - 1 : 0]) : before;
                const scan_type item = join(before, sum[k]);
                static_cast<void>(prev_item);
                static_cast<void>(item);
                $output$;
            }
    }
}
)";

}  // namespace

bool is_for_blocks(std::uint64_t n, std::uint64_t rows) {
    return n * rows <= 1 << 22 && (n <= 8192 || rows >= 256);
}

unsigned scan_rows_of(ScanTeam team) {
    return team == ScanTeam::Thread ? 128 : team == ScanTeam::Block ? 1 : 32;
}

unsigned scan_threads(ScanTeam team, unsigned warps) {
    return team == ScanTeam::Thread ? 128 : team == ScanTeam::Block ? 512 : 32 * warps;
}

std::string scan_rows_text(ScanTeam team, const ScanPieces& pieces, unsigned warps) {
    return fill_in(scan_preface, {{"headers", pieces.headers},
                                  {"preamble", pieces.preamble},
                                  {"type", pieces.type},
                                  {"expression", pieces.expression}}) +
           fill_in(team == ScanTeam::Thread  ? by_thread
                   : team == ScanTeam::Block ? by_block
                                             : by_columns,
                   {{"name", pieces.name},
                    {"warps", std::to_string(warps)},
                    {"ahead", std::to_string(std::max(1, 32 / std::max(4, static_cast<int>(pieces.itemsize))))},
                    {"parameters", pieces.parameters},
                    {"setup", pieces.setup},
                    {"neutral", pieces.neutral},
                    {"input", pieces.input},
                    {"output", pieces.output}});
}

}  // namespace pycuda::gpuarray
