#include "scan_source.hpp"

#include <algorithm>
#include <stdexcept>

#include "driver_table.hpp"
#include "pycuda/gpuarray/kernel_text.hpp"
#include "scratch.hpp"
#include "text.hpp"

namespace pycuda::gpuarray {
namespace {

constexpr const char* scan_kernel = R"($headers$#include <pycuda-arrays.hpp>

$preamble$

typedef $type$ scan_type;
#define SCAN_EXPR(a, b) ($expression$)

// The user's text, where it sees its own names only.

__device__ __forceinline__ scan_type pycuda_combine(const scan_type& a, const scan_type& b)
{
    return SCAN_EXPR(a, b);
}

__device__ __forceinline__ scan_type pycuda_input($parameters$, size_t i, size_t N)
{
    return $input$;
}
$starts$
__device__ __forceinline__ void pycuda_output($parameters$, size_t i, size_t N, const scan_type& item$prev_item$)
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

extern "C" __global__ void __launch_bounds__($threads$, $blocks$) $name$($own_parameters$, char *scratch, size_t n)
{
    enum { threads = $threads$, items = $items$, ahead = $ahead$, tile_size = threads * items, warps = threads / 32 };
    __shared__ pycuda::arrays::Room<Item> tile[tile_size];
    __shared__ pycuda::arrays::Room<Item> warp_sums[warps];
    __shared__ pycuda::arrays::Room<Item> before_tile;
    __shared__ unsigned taken;
    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    const unsigned tiles = (n + tile_size - 1) / tile_size;
    if (tid == 0) taken = tiles > 1 ? atomicAdd(reinterpret_cast<unsigned*>(scratch), 1u) : blockIdx.x;
    __syncthreads();
    const unsigned block = taken, row = block / tiles, place = block - row * tiles;
    const size_t begin = static_cast<size_t>(place) * tile_size;
    const unsigned count = n - begin < tile_size ? n - begin : tile_size;
    pycuda::arrays::Announcements<Item> announced(scratch + 16);
$setup$
    // Only loads are unrolled: the compiler's time goes with the length, and other blocks fill what waits.
    // Elements go through shared memory, where they rest: neighbours to neighbouring threads, then several to each.
    if (count == tile_size) {
#pragma unroll 1
        for (unsigned k = 0; k < items; k += ahead) {
            Item loaded[ahead];
#pragma unroll
            for (unsigned j = 0; j < ahead; ++j) {
                const size_t i = begin + (k + j) * threads + tid;
                loaded[j].value = pycuda_input($arguments$, i, n);
$start_loaded$            }
#pragma unroll
            for (unsigned j = 0; j < ahead; ++j) tile[(k + j) * threads + tid].put(loaded[j]);
        }
    } else {
#pragma unroll 1
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
#pragma unroll 1
        for (unsigned k = 1; k < items; ++k)
            if (k < mine) sum = join(sum, tile[first + k].get());
    }

    // The sums of the threads before, within the warp. Threads without elements are the last.
    Item up_to = sum;
#pragma unroll 1
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const Item other = pycuda::arrays::shuffle_up(up_to, distance);
        if (lane >= distance && mine > 0) up_to = join(other, up_to);
    }
    Item before = pycuda::arrays::shuffle_up(up_to, 1);
    const unsigned last_lane = count > warp * 32 * items ? min(31u, (count - 1 - warp * 32 * items) / items) : 0;
    if (lane == last_lane) warp_sums[warp].put(up_to);
    __syncthreads();

    // The first warp finds what comes before each warp, within the tile and before it: it asks 32 blocks at a time.
    if (warp == 0) {
        const unsigned used_warps = (count + 32 * items - 1) / (32 * items);
        Item own;
        if (lane < used_warps) own = warp_sums[lane].get();
#pragma unroll 1
        for (unsigned distance = 1; distance < warps; distance *= 2) {
            const Item other = pycuda::arrays::shuffle_up(own, distance);
            if (lane >= distance && lane < used_warps) own = join(other, own);
        }
        const Item all_own = pycuda::arrays::shuffle_from(own, used_warps - 1);
        const Item earlier = pycuda::arrays::shuffle_up(own, 1);
        if (lane == 0 && tiles > 1) announced.tell(block, all_own, place == 0 ? 2 : 1);
        if (place == 0) {
            if (lane > 0 && lane < used_warps) warp_sums[lane].put(earlier);
        } else {
            // In a crowd that asks all the time the answers come late. Those before have not told yet, either.
            const unsigned pause = gridDim.x > 1024 ? 600 : 20;
            pycuda::arrays::rest(3 * pause);
            Item all;
            bool any = false;
            for (unsigned end = place;; end -= 32) {
                Item heard;
                unsigned what = 0;
                const bool exists = end + lane >= 32;
                if (exists) what = announced.hear(block - place + (end + lane - 32), heard, pause);
                const unsigned complete = __ballot_sync(0xffffffffu, what == 2);
#pragma unroll 1
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
                announced.tell(block, join(all, all_own), 2);
                before_tile.put(all);
            }
            if (lane < used_warps) warp_sums[lane].put(lane > 0 ? join(all, earlier) : all);
        }
    }
    __syncthreads();
    bool any_before = lane > 0;
    if (warp > 0 || place > 0) {
        before = any_before ? join(warp_sums[warp].get(), before) : warp_sums[warp].get();
        any_before = true;
    }

#pragma unroll 1
    for (unsigned k = 0; k < items; ++k) {
        if (k >= mine) break;
        Item item = tile[first + k].get();
        if (any_before) item = join(before, item);
        before = item;
        any_before = true;
        tile[first + k].put(item);
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned k = tid; k < count; k += threads) {
        const size_t i = begin + k;
        const scan_type item = tile[k].get().value;
$previous$        pycuda_output($arguments$, i, n, item$given_previous$);
    }
}

}  // namespace pycuda_scan
)";

constexpr const char* starts = R"(
__device__ __forceinline__ bool pycuda_starts($parameters$, size_t i, size_t N)
{
    return $start$;
}
)";

constexpr const char* previous = R"(        scan_type prev_item = $neutral$;
        if (i > 0$unless_start$) prev_item = k > 0 ? tile[k - 1].get().value : before_tile.get().value;
)";

const std::string own_parameters = "const scan_type *in, scan_type *out", last_parameter = ", scan_type *pycuda_last";

}  // namespace

ScanTile scan_tile(std::size_t itemsize, bool segmented) {
    if (itemsize > 256)
        throw std::invalid_argument("scans support values of at most 256 bytes, not " + std::to_string(itemsize));
    if (segmented) itemsize += std::min<std::size_t>(itemsize, 16);  // the flag, and what it is aligned to
    // Odd numbers of words a thread spread over the banks of shared memory. As many blocks a multiprocessor as its
    // shared memory has room for: while some wait for those before them, others keep the memory busy.
    if (itemsize <= 4) return {256, 25, 5, 8};
    if (itemsize <= 8) return {256, 15, 5, 6};
    if (itemsize <= 16) return {256, 9, 3, 5};
    if (itemsize <= 64) return {128, 3, 3, 1};
    return {64, 1, 1, 1};
}

std::size_t scan_scratch_bytes(std::size_t itemsize, bool segmented, std::uint64_t blocks) {
    // With its flag a value may grow by what it is aligned to.
    return 16 + blocks * 2 * ((itemsize + 3) / 4 * 4 + (segmented ? 16 : 0));
}

void launch_scan(Kernels& kernels, const Kernel& kernel, Arguments& arguments, std::size_t itemsize, std::uint64_t n,
                 std::uint64_t rows, CUstream stream) {
    const ScanTile tile = scan_tile(itemsize, false);
    const std::uint64_t tiles = (n + tile.elements() - 1) / tile.elements();
    const auto launch = [&](DevicePtr scratch) {
        arguments.add(scratch);
        arguments.add(n);
        kernels.launch(kernel, tiles * rows, tile.threads, arguments.data(), arguments.size(), stream);
    };
    if (tiles == 1) return launch(0);
    const std::size_t bytes = scan_scratch_bytes(itemsize, false, tiles * rows);
    const Scratch scratch(bytes, stream);
    driver().cuMemsetD8Async(scratch.pointer(), 0, bytes, stream);
    launch(scratch.pointer());
}

std::string scan_text(const ScanPieces& pieces) {
    const bool segmented = !pieces.segment_start.empty();
    const ScanTile tile = scan_tile(pieces.itemsize, segmented);
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
    return fill_in(scan_kernel,
                   {{"headers", pieces.headers},
                    {"preamble", pieces.preamble},
                    {"type", pieces.type},
                    {"expression", pieces.expression},
                    {"starts", segmented ? start_text : ""},
                    {"prev_item", uses_previous ? ", const scan_type& prev_item" : ""},
                    {"flag", segmented ? "    bool start;\n" : ""},
                    {"join", join},
                    {"threads", std::to_string(tile.threads)},
                    {"items", std::to_string(tile.items)},
                    {"ahead", std::to_string(tile.ahead)},
                    {"blocks", std::to_string(tile.blocks)},
                    {"name", pieces.name},
                    {"parameters", pieces.parameters},
                    {"own_parameters", own},
                    {"arguments", arguments},
                    {"setup", pieces.setup},
                    {"input", pieces.input},
                    {"start", segmented ? "            item.start = " + begins + ";\n" : ""},
                    {"start_loaded", segmented ? "                loaded[j].start = " + begins + ";\n" : ""},
                    {"previous", uses_previous ? previous_text : ""},
                    {"given_previous", uses_previous ? ", prev_item" : ""},
                    {"output", pieces.output}});
}

bool ScanText::uses_last() const {
    return output.find("last_item") != std::string::npos;
}

ScanText ScanText::finding_last() const {
    ScanText text = *this;
    text.name += "_last";
    text.parameters = (parameters.empty() ? own_parameters : parameters) + last_parameter;
    text.output = "if (i + 1 == N) *pycuda_last = item";
    return text;
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
    pieces.parameters = text.parameters.empty() ? own_parameters : text.parameters;
    pieces.input = text.input.empty() ? "in[i]" : text.input;
    pieces.output = text.output.empty() ? "out[i] = item" : text.output;
    if (text.uses_last()) {
        pieces.parameters += last_parameter;
        pieces.output = "const scan_type last_item = *pycuda_last;\n    " + pieces.output;
    }
    pieces.segment_start = text.segment_start;
    text_ = scan_text(pieces);
    const ScanTile tile = scan_tile(text.itemsize, !text.segment_start.empty());
    threads_ = tile.threads;
    items_ = tile.items;
    itemsize_ = text.itemsize;
    segmented_ = !text.segment_start.empty();
}

std::size_t ScanKernelSource::scratch_bytes(std::uint64_t blocks) const noexcept {
    return scan_scratch_bytes(itemsize_, segmented_, blocks);
}

}  // namespace pycuda::gpuarray
