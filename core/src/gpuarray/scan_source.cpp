#include "scan_source.hpp"

#include <algorithm>
#include <stdexcept>

#include "pycuda/gpuarray/kernel_text.hpp"
#include "text.hpp"

namespace pycuda::gpuarray {
namespace {

constexpr const char* kernel = R"($headers$#include <pycuda-arrays.hpp>

$preamble$

typedef $type$ scan_type;
#define SCAN_EXPR(a, b) ($expression$)

// The user's text, where it sees its own names only.

__device__ __forceinline__ scan_type pycuda_combine(const scan_type& a, const scan_type& b)
{
    return SCAN_EXPR(a, b);
}

__device__ __forceinline__ scan_type pycuda_input($parameters$, size_t i, size_t n)
{
    return $input$;
}
$starts$
__device__ __forceinline__ void pycuda_output($parameters$, size_t i, size_t n, const scan_type& item$prev_item$)
{
    $output$;
}

namespace pycuda_scan {

struct Item {
    scan_type value;
$flag$};

__device__ __forceinline__ Item join(const Item& before, const Item& after)
{
    Item joined = after;
$join$    return joined;
}

extern "C" __global__ void __launch_bounds__($threads$) $name$($own_parameters$, char *scratch, size_t n)
{
    enum { threads = $threads$, items = $items$, tile_size = threads * items, warps = threads / 32 };
    __shared__ pycuda::arrays::Room<Item> tile[tile_size];
    __shared__ pycuda::arrays::Room<Item> warp_sums[warps];
    __shared__ pycuda::arrays::Room<Item> before_tile;
    __shared__ unsigned long long taken;

    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    if (tid == 0) taken = atomicAdd(reinterpret_cast<unsigned long long*>(scratch), 1ull);
    __syncthreads();
    const unsigned long long block = taken, tiles = (n + tile_size - 1) / tile_size;
    const unsigned long long row = block / tiles, place = block - row * tiles;
    const size_t begin = place * tile_size;
    const unsigned count = n - begin < tile_size ? n - begin : tile_size;
    pycuda::arrays::Announcements<Item> announced(scratch + 16, gridDim.x);
$setup$
    // Elements go through shared memory: neighbours to neighbouring threads, then several to each.
    if (count == tile_size) {
        Item loaded[items];
#pragma unroll
        for (unsigned k = 0; k < items; ++k) {
            const size_t i = begin + k * threads + tid;
            loaded[k].value = pycuda_input($arguments$, i, n);
$start_loaded$        }
#pragma unroll
        for (unsigned k = 0; k < items; ++k) tile[k * threads + tid].put(loaded[k]);
    } else {
        for (unsigned k = tid; k < count; k += threads) {
            const size_t i = begin + k;
            Item item;
            item.value = pycuda_input($arguments$, i, n);
$start$            tile[k].put(item);
        }
    }
    __syncthreads();
    const unsigned first = tid * items, mine = first < count ? (count - first < items ? count - first : items) : 0;
    Item sum;
    if (mine > 0) {
        sum = tile[first].get();
#pragma unroll
        for (unsigned k = 1; k < items; ++k)
            if (k < mine) sum = join(sum, tile[first + k].get());
    }

    // The sums of the threads before, within the warp and within the block. Threads without elements are the last.
    Item up_to = sum;
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const Item other = pycuda::arrays::shuffle_up(up_to, distance);
        if (lane >= distance && mine > 0) up_to = join(other, up_to);
    }
    Item before = pycuda::arrays::shuffle_up(up_to, 1);
    bool any_before = lane > 0;
    const unsigned last_lane = count > warp * 32 * items ? min(31u, (count - 1 - warp * 32 * items) / items) : 0;
    if (lane == last_lane) warp_sums[warp].put(up_to);
    __syncthreads();
    const unsigned full_warps = (count + 32 * items - 1) / (32 * items);
    if (warp > 0 && mine > 0) {
        Item others = warp_sums[0].get();
        for (unsigned k = 1; k < warp; ++k) others = join(others, warp_sums[k].get());
        before = any_before ? join(others, before) : others;
        any_before = true;
    }

    // What comes before the tile: the first warp asks 32 blocks at a time.
    if (warp == 0) {
        Item own = warp_sums[0].get();
        for (unsigned k = 1; k < full_warps; ++k) own = join(own, warp_sums[k].get());
        if (lane == 0) announced.tell(block, own, place == 0 ? 2 : 1);
        if (place > 0) {
            Item all;
            bool any = false;
            for (unsigned long long end = place;; end -= 32) {
                Item heard;
                unsigned what = 0;
                const bool exists = end + lane >= 32;
                if (exists) what = announced.hear(block - place + (end + lane - 32), heard);
                const unsigned complete = __ballot_sync(0xffffffffu, what == 2);
#pragma unroll
                for (unsigned distance = 1; distance < 32; distance *= 2) {
                    const Item other = pycuda::arrays::shuffle_down(heard, distance);
                    if (lane + distance < 32 && exists) heard = join(heard, other);
                }
                const unsigned from = complete ? 31 - __clz(complete) : 0;
                const Item window = pycuda::arrays::shuffle_from(heard, from);
                all = any ? join(window, all) : window;
                any = true;
                if (complete) break;
            }
            if (lane == 0) {
                announced.tell(block, join(all, own), 2);
                before_tile.put(all);
            }
        }
    }
    __syncthreads();
    if (place > 0) {
        before = any_before ? join(before_tile.get(), before) : before_tile.get();
        any_before = true;
    }

#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
        if (k >= mine) break;
        Item item = tile[first + k].get();
        if (any_before) item = join(before, item);
        before = item;
        any_before = true;
        tile[first + k].put(item);
    }
    __syncthreads();
    for (unsigned k = tid; k < count; k += threads) {
        const size_t i = begin + k;
        const scan_type item = tile[k].get().value;
$previous$        pycuda_output($arguments$, i, n, item$given_previous$);
    }
}

}  // namespace pycuda_scan
)";

constexpr const char* starts = R"(
__device__ __forceinline__ bool pycuda_starts($parameters$, size_t i, size_t n)
{
    return $start$;
}
)";

constexpr const char* previous = R"(        scan_type prev_item = $neutral$;
        if (i > 0$unless_start$) prev_item = k > 0 ? tile[k - 1].get().value : before_tile.get().value;
)";

}  // namespace

ScanTile scan_tile(std::size_t itemsize) {
    // Odd numbers of words a thread spread over the banks of shared memory.
    if (itemsize <= 4) return {256, 15};
    if (itemsize <= 8) return {256, 9};
    if (itemsize <= 16) return {256, 5};
    if (itemsize <= 64) return {128, 3};
    if (itemsize <= 256) return {64, 1};
    throw std::invalid_argument("scans take values of at most 256 bytes, not " + std::to_string(itemsize));
}

std::string scan_text(const ScanPieces& pieces) {
    const ScanTile tile = scan_tile(pieces.itemsize);
    const bool segmented = !pieces.segment_start.empty();
    const bool uses_previous = pieces.output.find("prev_item") != std::string::npos;
    if (uses_previous && pieces.neutral.empty())
        throw std::invalid_argument("a scan that uses the item before the first needs a neutral element");
    const std::string join = segmented
                                 ? "    if (!after.start) joined.value = pycuda_combine(before.value, after.value);\n"
                                   "    joined.start = before.start || after.start;\n"
                                 : "    joined.value = pycuda_combine(before.value, after.value);\n";
    std::string own, arguments;
    for (const KernelParameterText& parameter : parse_parameters(pieces.parameters)) {
        const std::string name = "p" + std::to_string(std::count(own.begin(), own.end(), ',') + !own.empty());
        own += (own.empty() ? "" : ", ") + KernelParameterText{parameter.type, name, parameter.is_vector}.declarator();
        arguments += (arguments.empty() ? "" : ", ") + name;
    }
    const std::string begins = "pycuda_starts(" + arguments + ", i, n)";
    const std::string start_text =
        fill_in(starts, {{"parameters", pieces.parameters}, {"start", pieces.segment_start}});
    const std::string previous_text =
        fill_in(previous, {{"neutral", pieces.neutral}, {"unless_start", segmented ? " && !" + begins : ""}});
    return fill_in(kernel, {{"headers", pieces.headers},
                            {"preamble", pieces.preamble},
                            {"type", pieces.type},
                            {"expression", pieces.expression},
                            {"starts", segmented ? start_text : ""},
                            {"prev_item", uses_previous ? ", const scan_type& prev_item" : ""},
                            {"flag", segmented ? "    bool start;\n" : ""},
                            {"join", join},
                            {"threads", std::to_string(tile.threads)},
                            {"items", std::to_string(tile.items)},
                            {"name", pieces.name},
                            {"parameters", pieces.parameters},
                            {"own_parameters", own},
                            {"arguments", arguments},
                            {"setup", pieces.setup},
                            {"input", pieces.input},
                            {"start", segmented ? "            item.start = " + begins + ";\n" : ""},
                            {"start_loaded", segmented ? "            loaded[k].start = " + begins + ";\n" : ""},
                            {"previous", uses_previous ? previous_text : ""},
                            {"given_previous", uses_previous ? ", prev_item" : ""},
                            {"output", pieces.output}});
}

ScanKernelSource::ScanKernelSource(const ScanText& text) : name_(text.name) {
    ScanPieces pieces;
    pieces.headers = "#include <pycuda-complex.hpp>\n";
    if (text.type == "__half") pieces.headers += "#include <cuda_fp16.h>\n";
    if (text.type == "__nv_bfloat16") pieces.headers += "#include <cuda_bf16.h>\n";
    pieces.preamble = text.preamble;
    pieces.type = text.type;
    pieces.itemsize = text.itemsize;
    for (const char c : text.expression) pieces.expression += c == '\n' ? ' ' : c;
    pieces.neutral = text.neutral;
    pieces.name = text.name;
    pieces.parameters = text.parameters.empty() ? "const scan_type *in, scan_type *out" : text.parameters;
    pieces.input = text.input.empty() ? "in[i]" : text.input;
    pieces.output = text.output.empty() ? "out[i] = item" : text.output;
    pieces.segment_start = text.segment_start;
    text_ = scan_text(pieces);
    const ScanTile tile = scan_tile(text.itemsize);
    threads_ = tile.threads;
    items_ = tile.items;
    // With its flag a value may grow by what it is aligned to.
    slot_bytes_ = (text.itemsize + 3) / 4 * 4 + (text.segment_start.empty() ? 0 : 16);
}

}  // namespace pycuda::gpuarray
