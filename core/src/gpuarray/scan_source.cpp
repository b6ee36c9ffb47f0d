#include "gpuarray/scan_source.hpp"

#include <algorithm>
#include <stdexcept>

#include "driver/driver_table.hpp"
#include "gpuarray/scratch.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"
#include "pycuda/gpuarray/kernel_parameters.hpp"

namespace pycuda::gpuarray {
namespace {

const std::string own_parameters = "const scan_type *in, scan_type *out", last_parameter = ", scan_type *pycuda_last";

}  // namespace

ScanTile scan_tile(std::size_t itemsize, bool segmented) {
    if (itemsize > 256)
        throw std::invalid_argument("scans support values of at most 256 bytes, not " + std::to_string(itemsize));
    if (segmented) itemsize += std::min<std::size_t>(itemsize, 16);  // the flag, with its alignment
    // An odd number of words per thread avoids bank conflicts. Use as many blocks per multiprocessor as its
    // shared memory holds: while some wait for earlier blocks, others keep the memory busy.
    if (itemsize <= 4) return {256, 25, 5, 8};
    if (itemsize <= 8) return {256, 15, 5, 6};
    if (itemsize <= 16) return {256, 9, 3, 4};
    if (itemsize <= 64) return {128, 3, 3, 1};
    if (itemsize <= 128) return {64, 1, 1, 1};
    // Scratch memory takes three times the size of the threads' sums; static shared memory is limited to 48 KB.
    return {32, 1, 1, 1};
}

std::size_t scan_scratch_bytes(std::size_t itemsize, bool segmented, std::uint64_t blocks) {
    // With its flag, a value may grow by its alignment.
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
    const bool segmented = !pieces.segment_start.empty(), rows = !pieces.setup.empty();
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
        fill_in(kernel_files::scan::starts, {{"parameters", pieces.parameters}, {"start", pieces.segment_start}});
    const std::string previous_text =
        fill_in(kernel_files::scan::previous,
                {{"neutral", pieces.neutral}, {"unless_start", segmented ? " && !" + begins : ""}});
    return fill_in(
        kernel_files::scan::scan_kernel,
        {{"headers", pieces.headers},
         {"preamble", pieces.preamble},
         {"type", pieces.type},
         {"expression", pieces.expression},
         {"starts", segmented ? start_text : ""},
         {"prev_item", uses_previous ? ", const scan_type& prev_item" : ""},
         {"flag", segmented ? "    pycuda::arrays::FlagBeside<alignof(scan_type)>::Type start;\n" : ""},
         {"join", join},
         {"threads", std::to_string(tile.threads)},
         {"items", std::to_string(tile.items)},
         {"ahead", std::to_string(tile.ahead)},
         {"blocks", std::to_string(tile.blocks)},
         {"name", pieces.name},
         {"parameters", pieces.parameters},
         {"own_parameters", own},
         {"arguments", arguments},
         {"tiles", rows ? "(n + tile_size - 1) / tile_size" : "gridDim.x"},
         {"index", rows ? ", row = block / tiles, tile_index = block - row * tiles" : ", tile_index = block"},
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
