#include "sort_source.hpp"

#include "device_types.hpp"
#include "text.hpp"

namespace pycuda::gpuarray {
namespace {

// Loops are short and seldom unrolled: the compiler's time goes with what is left of them, and what waits for memory
// are other warps' turns.

/// Keys are compared as unsigned numbers of their size, into which every type is turned so that order is kept.
constexpr const char* common = R"(typedef $bits$ Bits;

__device__ __forceinline__ Bits ordered(Bits bits)
{
$order$    return bits;
}

__device__ __forceinline__ unsigned digit_of(Bits key, unsigned shift)
{
    return static_cast<unsigned>(ordered(key) >> shift) & 255;
}
)";

constexpr const char* ranks = R"(
extern "C" __global__ void __launch_bounds__(128) $name$(Bits* keys_to, const Bits* keys_from, long long* places_to,
    const pycuda::arrays::WideDivisor rows, unsigned long long n)
{
    const unsigned long long i = blockIdx.x * 128ull + threadIdx.x;
    if (i >= n) return;
    const unsigned long long row = rows.divide(i) * rows.size;
    const unsigned place = i - row, length = rows.size;
    keys_from += row;
    const Bits own = keys_from[place], key = ordered(own);
    unsigned rank = 0;
#pragma unroll 2
    for (unsigned k = 0; k < length; ++k) {
        const Bits other = ordered(keys_from[k]);
        rank += (other < key) | ((other == key) & (k < place));
    }
    if (keys_to) keys_to[row + rank] = own;
    if (places_to) places_to[row + rank] = place;
}
)";

constexpr const char* counts = R"(
extern "C" __global__ void __launch_bounds__(256) $name$(const Bits* keys, unsigned* counts, unsigned length,
    unsigned tiles, unsigned shift)
{
    __shared__ unsigned count[256];
    count[threadIdx.x] = 0;
    __syncthreads();
    const unsigned row = blockIdx.x / tiles, tile = blockIdx.x - row * tiles, begin = tile * $tile$;
    const unsigned here = length - begin < $tile$ ? length - begin : $tile$;
    keys += static_cast<unsigned long long>(row) * length + begin;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < here; i += 256) atomicAdd(&count[digit_of(keys[i], shift)], 1u);
    __syncthreads();
    counts[(row * 256ull + threadIdx.x) * tiles + tile] = count[threadIdx.x];
}
)";

constexpr const char* moves = R"(
extern "C" __global__ void __launch_bounds__(256) $name$(Bits* keys_to, const Bits* keys_from, const unsigned* sums,
    unsigned length, unsigned tiles, unsigned shift$places_parameters$)
{
    enum { of_a_warp = $items$ * 32 };
    __shared__ Bits keys[$tile$];
    __shared__ unsigned short ranks[$tile$];
    __shared__ unsigned before[8][256];  // by warp and digit: how many came before, in the end where to begin
    __shared__ unsigned totals[2][256];
    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32, first = warp * of_a_warp + lane;
    const unsigned row = blockIdx.x / tiles, tile = blockIdx.x - row * tiles, begin = tile * $tile$;
    const unsigned here = length - begin < $tile$ ? length - begin : $tile$;
    const unsigned long long row_begin = static_cast<unsigned long long>(row) * length;
    keys_to += row_begin;
    keys_from += row_begin + begin + first;
#pragma unroll 1
    for (unsigned k = 0; k < $items$; ++k) before[k][tid] = 0;
#pragma unroll
    for (unsigned k = 0; k < $items$; ++k)
        if (first + k * 32 < here) keys[first + k * 32] = keys_from[k * 32];

    // Thread by thread a digit: it begins behind all smaller ones, and what tiles before this one have of it.
    sums += (row * 256ull + tid) * tiles;
    unsigned total = sums[tiles - 1], turn = 0;
    unsigned start = (tile > 0 ? sums[tile - 1] : 0) - total;
    totals[0][tid] = total;
    __syncthreads();
#pragma unroll 1
    for (unsigned distance = 1; distance < 256; distance *= 2) {
        if (tid >= distance) total += totals[turn][tid - distance];
        turn ^= 1;
        totals[turn][tid] = total;
        __syncthreads();
    }
    start += total;

    // A warp has adjacent keys; those of one digit find their order among themselves.
#pragma unroll 1
    for (unsigned i = first; i < (warp + 1) * of_a_warp; i += 32) {
        const bool exists = i < here;
        const unsigned digit = exists ? digit_of(keys[i], shift) : 256;
        const unsigned same = __match_any_sync(0xffffffffu, digit);
        const unsigned earlier = __popc(same & ((1u << lane) - 1));
        if (exists) ranks[i] = before[warp][digit] + earlier;
        __syncwarp();
        if (exists && earlier == 0) before[warp][digit] += __popc(same);
        __syncwarp();
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned k = 0; k < 8; ++k) {
        const unsigned own = before[k][tid];
        before[k][tid] = start;
        start += own;
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned i = first; i < (warp + 1) * of_a_warp && i < here; i += 32) {
        const Bits key = keys[i];
        const unsigned to = before[warp][digit_of(key, shift)] + ranks[i];
        keys_to[to] = key;
$places_moved$    }
}
)";

constexpr const char* place_moved =
    R"(        // Asked in each round: the compiler would else make a loop for each case.
        unsigned is_last = last;
        const unsigned* from = places_from;
        asm("" : "+r"(is_last), "+l"(from));
        const unsigned place = from ? from[row_begin + begin + i] : begin + i;
        if (is_last)
            static_cast<long long*>(places_to)[row_begin + to] = place;
        else
            static_cast<unsigned*>(places_to)[row_begin + to] = place;
)";

constexpr const char* mark = R"(
extern "C" __global__ void __launch_bounds__(128) $name$(bool* mask, const Bits* sorted, unsigned long long n)
{
    const unsigned long long first = blockIdx.x * 512ull + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const unsigned long long i = first + k * 128;
        if (i < n) mask[i] = i == 0 || ordered(sorted[i]) != ordered(sorted[i - 1]);
    }
}
)";

const char* bits_type(DType dtype) {
    static constexpr const char* types[] = {"", "unsigned char",     "unsigned short", "", "unsigned", "", "",
                                            "", "unsigned long long"};
    return types[info(dtype).size];
}

std::string common_text(DType dtype) {
    const DTypeInfo& row = info(dtype);
    const std::string top = "Bits(1) << " + std::to_string(8 * row.size - 1);
    std::string order;
    if (row.kind == DTypeKind::Signed) order = "    bits ^= " + top + ";\n";
    if (row.kind == DTypeKind::Floating) {
        // Above the bits of infinity is what is no number, whatever its sign: it becomes the largest.
        static constexpr const char* infinities[] = {
            "", "", "0x7c00", "", "0x7f800000u", "", "", "", "0x7ff0000000000000ull"};
        const std::string infinity = dtype == DType::BFloat16 ? "0x7f80" : infinities[row.size];
        order = "    if (Bits(bits & ~(" + top + ")) > Bits(" + infinity + ")) return ~Bits(0);\n" +
                "    if (bits == Bits(" + top + ")) bits = 0;  // zeros are equal\n" + "    bits = bits & " + top +
                " ? Bits(~bits) : Bits(bits | " + top + ");\n";
    }
    return fill_in(common, {{"bits", bits_type(dtype)}, {"order", order}});
}

KernelSource source_of(const char* what, const char* text, DType dtype, bool with_places = false) {
    KernelSource source;
    source.name = std::string(what) + "_" + info(dtype).short_name;
    source.text = with_includes(
        common_text(dtype) +
        fill_in(text, {{"name", source.name},
                       {"tile", std::to_string(sort_tile)},
                       {"items", std::to_string(sort_items)},
                       {"places_parameters",
                        with_places ? ", void* places_to, const unsigned* places_from, unsigned last" : ""},
                       {"places_moved", with_places ? place_moved : ""}}));
    return source;
}

}  // namespace

KernelSource ranks_source(DType dtype) {
    return source_of("sort_ranks", ranks, dtype);
}

KernelSource digit_counts_source(DType dtype) {
    return source_of("sort_counts", counts, dtype);
}

KernelSource digit_moves_source(DType dtype, bool with_places) {
    return source_of(with_places ? "sort_moves_places" : "sort_moves", moves, dtype, with_places);
}

KernelSource mark_first_source(DType dtype) {
    return source_of("mark_first", mark, dtype);
}

}  // namespace pycuda::gpuarray
