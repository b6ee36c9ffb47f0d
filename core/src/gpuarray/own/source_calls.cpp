#include "pycuda/gpuarray/own/source_calls.hpp"

#include "gpuarray/scan_source.hpp"
#include "pycuda/gpuarray/own/kernel_text.hpp"

namespace pycuda::gpuarray {

std::vector<std::string> kernel_parameters(const std::string& parameters) {
    std::vector<std::string> flat;
    for (const KernelParameterText& parameter : parse_parameters(parameters))
        flat.insert(flat.end(), {parameter.type, parameter.name, parameter.is_vector ? "*" : ""});
    return flat;
}

std::string elementwise_source(const std::string& parameters, const std::string& operation, const std::string& name,
                               const std::string& preamble, const std::string& loop_prep, const std::string& after_loop,
                               bool use_range, const std::string& bounds) {
    return elementwise_text(
        {parse_parameters(parameters), operation, name, preamble, loop_prep, after_loop, use_range, bounds});
}

std::vector<std::int64_t> used_vectors(const std::string& parameters, const std::string& code,
                                       const std::string& preamble) {
    const VectorUse use = vector_use(parse_parameters(parameters), code, preamble);
    std::vector<std::int64_t> flat{use.names_count};
    flat.insert(flat.end(), use.at_every_index.begin(), use.at_every_index.end());
    return flat;
}

std::string reduction_source(int stage, const std::string& parameters, const std::string& out_type, unsigned block_size,
                             const std::string& neutral, const std::string& reduce_expr, const std::string& map_expr,
                             const std::string& name, const std::string& preamble) {
    return reduction_text(
        {parse_parameters(parameters), out_type, neutral, reduce_expr, map_expr, name, preamble, block_size, stage});
}

std::vector<std::int64_t> reduction_launch(std::int64_t n) {
    const ReductionGeometry geometry = reduction_geometry(static_cast<std::uint64_t>(n));
    return {geometry.blocks, geometry.seq_count};
}

std::vector<std::string> scan_source(const std::string& type, std::int64_t itemsize, const std::string& expression,
                                     const std::string& neutral, const std::string& preamble,
                                     const std::string& parameters, const std::string& input, const std::string& output,
                                     const std::string& segment_start, const std::string& name, bool find_last) {
    const ScanText text{
        name,   type,         static_cast<std::size_t>(itemsize), expression, neutral, preamble, parameters, input,
        output, segment_start};
    const ScanKernelSource source(find_last ? text.finding_last() : text);
    return {source.text(), source.name()};
}

std::vector<std::int64_t> scan_launch(std::int64_t itemsize, bool segmented) {
    const auto size = static_cast<std::size_t>(itemsize);
    const ScanTile tile = scan_tile(size, segmented);
    const std::size_t once = scan_scratch_bytes(size, segmented, 0);
    return {tile.threads, tile.elements(), std::int64_t(once),
            std::int64_t(scan_scratch_bytes(size, segmented, 1) - once)};
}

}  // namespace pycuda::gpuarray
