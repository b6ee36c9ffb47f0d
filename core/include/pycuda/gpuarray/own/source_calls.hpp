#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pycuda::gpuarray {

// Sources of kernels over a user's expressions, and their launches, in types that every language has. `parameters` is a
// C parameter list. kernel_text.hpp and scan.hpp say what the texts are.

/// Type, name, and "*" or "" of each parameter.
std::vector<std::string> kernel_parameters(const std::string& parameters);
/// Empty `bounds`: those of ElementwiseText.
std::string elementwise_source(const std::string& parameters, const std::string& operation, const std::string& name,
                               const std::string& preamble, const std::string& loop_prep, const std::string& after_loop,
                               bool use_range, const std::string& bounds);
/// Whether the code uses n; then, for each parameter, whether it is a vector that the code uses at every index.
std::vector<std::int64_t> used_vectors(const std::string& parameters, const std::string& code,
                                       const std::string& preamble);
std::string reduction_source(int stage, const std::string& parameters, const std::string& out_type, unsigned block_size,
                             const std::string& neutral, const std::string& reduce_expr, const std::string& map_expr,
                             const std::string& name, const std::string& preamble);
/// Blocks, and elements per thread, of a launch over n elements with 512 threads per block.
std::vector<std::int64_t> reduction_launch(std::int64_t n);
/// Text and name of the kernel or, with `find_last`, of that which finds the last item before it.
std::vector<std::string> scan_source(const std::string& type, std::int64_t itemsize, const std::string& expression,
                                     const std::string& neutral, const std::string& preamble,
                                     const std::string& parameters, const std::string& input, const std::string& output,
                                     const std::string& segment_start, const std::string& name, bool find_last);
/// Threads and elements per block, and bytes of scratch memory: once, and for each block.
std::vector<std::int64_t> scan_launch(std::int64_t itemsize, bool segmented);

}  // namespace pycuda::gpuarray
