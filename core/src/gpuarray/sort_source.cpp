#include "sort_source.hpp"

#include "device_types.hpp"
#include "text.hpp"

namespace pycuda::gpuarray {
namespace {

/// Keys are compared as unsigned numbers of their size, into which every type is turned so that order is kept.
constexpr const char* common = R"($includes$typedef $bits$ Bits;

/// One pass: by a byte of the key, or of the row that the key is of.
struct Pass {
    pycuda::arrays::WideDivisor row;
    unsigned n, tiles, shift;
    unsigned flags;
    enum { first = 1, last = 2, by_row = 4 };
};

__device__ __forceinline__ Bits ordered(Bits bits)
{
$encode$    return bits;
}

__device__ __forceinline__ Bits restored(Bits bits)
{
$decode$    return bits;
}

__device__ __forceinline__ unsigned digit_of(const Pass& pass, Bits key, unsigned place)
{
    if (pass.flags & Pass::by_row) return static_cast<unsigned>(pass.row.divide(place) >> pass.shift) & 255;
    return static_cast<unsigned>(key >> pass.shift) & 255;
}
)";

constexpr const char* counts = R"(
extern "C" __global__ void __launch_bounds__(256) $name$(const Bits* keys, const unsigned* places, unsigned* counts,
    const Pass pass)
{
    __shared__ unsigned count[256];
    count[threadIdx.x] = 0;
    __syncthreads();
    const unsigned begin = blockIdx.x * $tile$;
#pragma unroll
    for (int k = 0; k < $items$; ++k) {
        const unsigned i = begin + k * 256 + threadIdx.x;
        if (i >= pass.n) break;
        const Bits key = pass.flags & Pass::first ? ordered(keys[i]) : keys[i];
        const unsigned place = pass.flags & Pass::first || !places ? i : places[i];
        atomicAdd(&count[digit_of(pass, key, place)], 1u);
    }
    __syncthreads();
    counts[threadIdx.x * pass.tiles + blockIdx.x] = count[threadIdx.x];
}
)";

constexpr const char* moves = R"(
extern "C" __global__ void __launch_bounds__(256) $name$(Bits* keys_to, const Bits* keys_from, void* places_to,
    const unsigned* places_from, const unsigned* offsets, const Pass pass)
{
    __shared__ unsigned before[8][256];  // by warp and digit: how many came before, in the end where to begin
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned k = 0; k < 8; ++k) before[k][threadIdx.x] = 0;
    __syncthreads();

    // A warp has adjacent keys; those of one digit find their order among themselves.
    const unsigned begin = blockIdx.x * $tile$ + warp * $items$ * 32;
    Bits keys[$items$];
    unsigned places[$items$], ranks[$items$];
#pragma unroll
    for (int k = 0; k < $items$; ++k) {
        const unsigned i = begin + k * 32 + lane;
        keys[k] = 0;
        places[k] = i;
        if (i < pass.n) {
            keys[k] = pass.flags & Pass::first ? ordered(keys_from[i]) : keys_from[i];
            if (places_from && !(pass.flags & Pass::first)) places[k] = places_from[i];
        }
    }
#pragma unroll
    for (int k = 0; k < $items$; ++k) {
        const bool exists = begin + k * 32 + lane < pass.n;
        const unsigned digit = exists ? digit_of(pass, keys[k], places[k]) : 256;
        const unsigned same = __match_any_sync(0xffffffffu, digit);
        const unsigned earlier = __popc(same & ((1u << lane) - 1));
        if (exists) ranks[k] = before[warp][digit] + earlier;
        __syncwarp();
        if (exists && earlier == 0) before[warp][digit] += __popc(same);
        __syncwarp();
    }
    __syncthreads();
    unsigned start = offsets[threadIdx.x * pass.tiles + blockIdx.x];
    for (unsigned k = 0; k < 8; ++k) {
        const unsigned own = before[k][threadIdx.x];
        before[k][threadIdx.x] = start;
        start += own;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < $items$; ++k) {
        if (begin + k * 32 + lane >= pass.n) break;
        const unsigned to = before[warp][digit_of(pass, keys[k], places[k])] + ranks[k];
        if (keys_to) keys_to[to] = pass.flags & Pass::last ? restored(keys[k]) : keys[k];
        if (!places_to) continue;
        if (pass.flags & Pass::last)
            static_cast<long long*>(places_to)[to] = places[k] - pass.row.divide(places[k]) * pass.row.size;
        else
            static_cast<unsigned*>(places_to)[to] = places[k];
    }
}
)";

constexpr const char* mark = R"(
extern "C" __global__ void __launch_bounds__(128) $name$(bool* mask, const Bits* sorted, unsigned long long n)
{
    const unsigned long long first = blockIdx.x * 512ull + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const unsigned long long i = first + k * 128;
        if (i < n) mask[i] = i == 0 || ordered(sorted[i]) != ordered(sorted[i - 1])$zeros$;
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
    std::string encode, decode;
    if (row.kind == DTypeKind::Signed) encode = decode = "    bits ^= " + top + ";\n";
    if (row.kind == DTypeKind::Floating) {
        // Above the bits of infinity is what is no number, whatever its sign: it becomes the largest.
        static constexpr const char* infinities[] = {
            "", "", "0x7c00", "", "0x7f800000u", "", "", "", "0x7ff0000000000000ull"};
        const std::string infinity = dtype == DType::BFloat16 ? "0x7f80" : infinities[row.size];
        encode = "    if (Bits(bits & ~(" + top + ")) > Bits(" + infinity + ")) return ~Bits(0);\n" +
                 "    bits = bits & " + top + " ? Bits(~bits) : Bits(bits | " + top + ");\n";
        decode = "    bits = bits & " + top + " ? Bits(bits ^ (" + top + ")) : Bits(~bits);\n";
    }
    return fill_in(
        common,
        {{"includes", includes_for(false)}, {"bits", bits_type(dtype)}, {"encode", encode}, {"decode", decode}});
}

KernelSource source_of(const char* what, const char* text, DType dtype) {
    KernelSource source;
    source.name = std::string(what) + "_" + info(dtype).short_name;
    const bool floating = info(dtype).kind == DTypeKind::Floating;
    const std::string top = "(Bits(1) << " + std::to_string(8 * info(dtype).size - 1) + ")";
    source.text =
        common_text(dtype) +
        fill_in(text, {{"name", source.name},
                       {"tile", std::to_string(sort_tile)},
                       {"items", std::to_string(sort_items)},
                       {"zeros", floating ? " && Bits((sorted[i] | sorted[i - 1]) & ~" + top + ") != 0" : ""}});
    return source;
}

}  // namespace

KernelSource digit_counts_source(DType dtype) {
    return source_of("sort_counts", counts, dtype);
}

KernelSource digit_moves_source(DType dtype) {
    return source_of("sort_moves", moves, dtype);
}

KernelSource mark_first_source(DType dtype) {
    return source_of("mark_first", mark, dtype);
}

}  // namespace pycuda::gpuarray
